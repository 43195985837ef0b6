import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { distFile } from "../../proffer/test/dist.ts";
import { createProject, type Project } from "./project.ts";
import { hasTerminal, Person } from "./pseudo-terminal.ts";

const DOWN = "\u001b[B";
const ENTER = "\r";
const ESCAPE = "\u001b";
const BACKSPACE = "\u007f";

let project: Project;

beforeAll(() => {
  project = createProject();
  project.write(
    "tools.ts",
    'import type { Context } from "proffer";',
    'interface Order { name: string; color: "red" | "blue"; count: number; sure: boolean; note?: string }',
    "/** Takes an order. */",
    "export async function order(ctx: Context): Promise<string> {",
    '  ctx.progress(1, 2, "half\\u001b[2J way");',
    "  await new Promise((resolve) => setTimeout(resolve, 300));",
    '  const answer = await ctx.ask<Order>("What do you want?\\u001b[2J");',
    '  return answer.action === "accept" ? "ordered " + JSON.stringify(answer.content) : "ended by " + answer.action;',
    "}",
    "declare function setTimeout(then: (value: unknown) => void, time: number): void;",
  );
  // The first start derives the module.
  expect(project.proffer("check", "tools.ts").status).toBe(0);
});

afterAll(() => project.remove());

function call(...flags: string[]): Person {
  const launch = [process.execPath, distFile("bin.js"), "call", "tools.ts", "order"];
  return new Person(project.folder, [...launch, ...flags].join(" "));
}

describe.skipIf(!hasTerminal).each(["2025-11-25", "2026-07-28"])("a question in a terminal, on %s", (revision) => {
  it("asks field by field and validates each input", async () => {
    const person = call("--revision", revision);
    await person.types(ENTER, "Your answer");
    await person.types(`Ada${ENTER}`, "name");
    await person.types(`${DOWN}${ENTER}`, "color");
    await person.types(`x${ENTER}`, "count");
    await person.types(`${BACKSPACE}7${ENTER}`, "Enter a number.");
    await person.types("y", "sure");
    await person.types(ENTER, "note (optional)");
    const { raw, text } = await person.sees();
    expect(text).toContain('ordered {"name":"Ada","color":"blue","count":7,"sure":true}');
    // Text from the server must not contain control sequences, such as one that clears the screen.
    expect(text).toContain("half\\u001b[2J way");
    expect(raw).not.toContain("\u001b[2J");
  });

  it("can be declined, or canceled with Escape", async () => {
    const declining = call("--revision", revision);
    await declining.types(`${DOWN}${ENTER}`, "Your answer");
    expect((await declining.sees()).text).toContain("ended by decline");
    const cancelling = call("--revision", revision);
    await cancelling.types(ENTER, "Your answer");
    await cancelling.types(ESCAPE, "name");
    expect((await cancelling.sees()).text).toContain("ended by cancel");
  });
});
