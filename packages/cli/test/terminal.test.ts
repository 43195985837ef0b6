import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { distFile } from "../../proffer/test/dist.ts";
import { createProject, type Project } from "./project.ts";

/** util-linux `script` runs a command in a pseudo-terminal; on other systems it has different options. */
const hasTerminal = spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux") ?? false;
if (!hasTerminal) console.warn("Questions in a terminal are NOT tested: script(1) of util-linux is not installed.");

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

/** Simulates a user: waits for a text after the previous one, then types. */
class Person {
  readonly #terminal: ChildProcess;
  #shown = "";
  #seen = 0;
  #waiting = () => {};

  constructor(command: string) {
    this.#terminal = spawn("script", ["-qec", command, "/dev/null"], { cwd: project.folder });
    this.#terminal.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#shown += text;
      this.#waiting();
    });
  }

  async types(keys: string, after: string): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#waiting = () => {
        const at = stripVTControlCharacters(this.#shown).indexOf(after, this.#seen);
        if (at === -1) return;
        this.#seen = at + after.length;
        resolve();
      };
      this.#waiting();
    });
    this.#terminal.stdin?.write(keys);
  }

  /** Waits for the command to exit, and returns its whole output. */
  async sees(): Promise<{ raw: string; text: string }> {
    await once(this.#terminal, "close");
    return { raw: this.#shown, text: stripVTControlCharacters(this.#shown) };
  }
}

function call(...flags: string[]): Person {
  // A pseudo-terminal without a window has no width.
  const launch = ["stty cols 100 rows 40 &&", process.execPath, distFile("bin.js"), "call", "tools.ts", "order"];
  return new Person([...launch, ...flags].join(" "));
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
    expect(text).toContain("half[2J way");
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
