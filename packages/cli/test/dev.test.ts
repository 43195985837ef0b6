import { writeFileSync } from "node:fs";
import { linkCommand, linkUrl } from "proffer/client";
import { connectOver, type TestClient } from "proffer/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createProject, type Project, waitForStderr } from "./project.ts";

let project: Project;

beforeAll(() => {
  project = createProject();
});

afterAll(() => project.remove());

/** Returns a module whose tools return `word`. */
function module(word: string, description = "Says a word."): string {
  return [
    'import type { Context } from "proffer";',
    `/** ${description} */`,
    `export const say = () => "${word}";`,
    "/** Says a word when it was answered. */",
    "export async function asked(ctx: Context): Promise<string> {",
    '  const { action } = await ctx.ask<{ name: string }>("Who?");',
    `  return action + " ${word}";`,
    "}",
    "/** Says a word when it was waited for. */",
    "export async function slow(ctx: Context): Promise<string> {",
    '  ctx.progress(1, 2, "started");',
    "  await new Promise((resolve) => setTimeout(resolve, 1500));",
    `  return "${word}";`,
    "}",
    "declare function setTimeout(then: (value: unknown) => void, time: number): void;",
    "",
  ].join("\n");
}

const edit = (text: string) => writeFileSync(project.path("tools.ts"), text);
const textOf = (result: { content: readonly unknown[] }) => (result.content[0] as { text: string }).text;

/** Polls until the tool returns `word`. There is no time limit, because an edit takes longer on a busy machine. */
async function until(client: TestClient, word: string): Promise<void> {
  while (textOf(await client.call("say")) !== word) await new Promise((resolve) => setTimeout(resolve, 50));
}

describe.each(["2025-11-25", "2026-07-28"])("proffer dev over HTTP, on %s", (revision) => {
  let client: TestClient;
  let stderr = "";

  beforeEach(async () => {
    edit(module("one"));
    const child = project.start("dev", "tools.ts", "--http", "0");
    child.stderr?.on("data", (chunk) => {
      stderr += chunk;
    });
    const url = /http:\S+(?=;)/.exec(await waitForStderr(child, /http:\S+;/))?.[0] ?? "";
    client = await connectOver(linkUrl(url), { revision, answers: later });
  });

  afterEach(() => client.close());

  let answer: ((value: { name: string }) => void) | undefined;
  const later = () =>
    new Promise<{ name: string }>((resolve) => {
      answer = resolve;
    });

  it("applies edits, and finishes calls and questions in flight on the version that they started with", async () => {
    const asked = client.call("asked");
    const started = new Promise<void>((resolve) => {
      void client.call("slow", {}, { onProgress: () => resolve() }).then((result) => slow.push(textOf(result)));
    });
    const slow: string[] = [];
    await started;
    while (answer === undefined) await new Promise((resolve) => setTimeout(resolve, 20));
    edit(module("two"));
    await until(client, "two");
    answer({ name: "Ada" });
    expect(textOf(await asked)).toBe("accept one");
    while (slow.length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(slow).toEqual(["one"]);

    edit("export const say = () => {");
    while (!stderr.includes("The last good version stays active."))
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(stderr).toMatch(/tools\.ts:\d+:\d+ error TS1/);
    expect(textOf(await client.call("say"))).toBe("two");
    edit(module("three"));
    await until(client, "three");
  });
});

describe("proffer dev over stdio", () => {
  it("sends list_changed only for changes that clients can see", async () => {
    edit(module("one"));
    const launch = [
      process.execPath,
      project.path("node_modules/proffer/dist/bin.js"),
      "dev",
      project.path("tools.ts"),
    ];
    const client = await connectOver(linkCommand(launch), { revision: "2025-11-25" });
    const changes = () => client.notifications.filter(({ method }) => method === "notifications/tools/list_changed");
    edit(module("two"));
    await until(client, "two");
    expect(changes()).toHaveLength(0);
    // A formatter may write so soon after the editor that the watcher reports only one of the two changes.
    edit(module("saved"));
    await new Promise((resolve) => setTimeout(resolve, 40));
    edit(module("formatted"));
    await until(client, "formatted");
    edit(module("three", "Says another word."));
    await client.waitFor("notifications/tools/list_changed");
    expect((await client.listTools()).find(({ name }) => name === "say")?.description).toBe("Says another word.");
    expect(textOf(await client.call("say"))).toBe("three");
    edit(`${module("four", "Says another word.")}/** New. */\nexport const added = () => 1;\n`);
    await client.waitFor("notifications/tools/list_changed");
    expect((await client.listTools()).map(({ name }) => name).sort()).toEqual(["added", "asked", "say", "slow"]);
    edit(`${module("five", "Says another word.")}/** New. */\nexport const added = (back: () => void) => back();\n`);
    await client.waitFor("notifications/tools/list_changed");
    expect((await client.listTools()).map(({ name }) => name).sort()).toEqual(["asked", "say", "slow"]);
    expect(textOf(await client.call("say"))).toBe("five");
    await client.close();
  });
});
