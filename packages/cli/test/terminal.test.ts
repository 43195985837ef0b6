import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { distFile } from "../../proffer/test/dist.ts";
import { createProject, type Project, waitForStderr } from "./project.ts";
import { hasTerminal, Person } from "./pseudo-terminal.ts";

const UP = "\u001b[A";
const DOWN = "\u001b[B";
const ENTER = "\r";
const CTRL_C = "\u0003";
const ESCAPE = "\u001b";
const BACKSPACE = "\u007f";

let project: Project;

beforeAll(async () => {
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
    "/** Asks twice. */",
    "export async function twice(ctx: Context): Promise<string> {",
    '  const first = await ctx.ask<{ sure: boolean }>("Are you sure?");',
    '  const second = await ctx.ask<{ color?: "red" | "blue" }>("Which color?");',
    '  return "answers " + JSON.stringify([first, second]);',
    "}",
    "/** Logs. */",
    "export function talk(ctx: Context): string {",
    '  ctx.log("warning", "low\\u001b[2J on\\npaper");',
    '  ctx.log("info", { pages: 3 });',
    '  return "done";',
    "}",
    "/** Fails. */",
    'export function broken(): string { throw new TypeError("wires\\u001b[2J crossed"); }',
    "/** Never ends. */",
    "export async function hang(ctx: Context): Promise<string> {",
    '  ctx.progress(1, 2, "process " + process.pid + " waits");',
    "  await new Promise(() => {});",
    '  return "";',
    "}",
    "declare const process: { pid: number };",
    "declare function setTimeout(then: (value: unknown) => void, time: number): void;",
  );
  // The first start derives the module.
  expect((await project.proffer("check", "tools.ts")).status).toBe(0);
});

afterAll(() => project.remove());

const PROFFER = [process.execPath, distFile("bin.js")];

function run(...words: string[]): Person {
  return new Person(project.folder, [...PROFFER, ...words].join(" "));
}

const call = (...flags: string[]) => run("call", "tools.ts", "order", ...flags);

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

  it("is one prompt if its form has one choice or yes and no", async () => {
    const person = run("call", "tools.ts", "twice", "--revision", revision);
    await person.types(`${UP}${ENTER}`, "Are you sure?");
    await person.types(`${DOWN}${DOWN}${DOWN}${ENTER}`, "Which color?");
    const { text } = await person.sees();
    expect(text).toMatch(/Are you sure\?\r\n│ {2}○ Yes\r\n│ {2}● No\r\n│ {2}○ Decline\r\n/);
    expect(text).toMatch(/Which color\?\r\n│ {2}● red\r\n│ {2}○ blue\r\n│ {2}○ –\r\n│ {2}○ Decline\r\n/);
    expect(text).toContain('answers [{"action":"accept","content":{"sure":true}},{"action":"decline"}]');
  });

  it("ends the command with Ctrl-C, without the next question", async () => {
    const person = run("call", "tools.ts", "twice", "--revision", revision);
    await person.types(CTRL_C, "Are you sure?");
    const { status, raw, text } = await person.sees();
    expect(status).toBe(130);
    expect(text).not.toMatch(/Which color|answers|error/);
    // The cursor is visible again.
    expect(raw.lastIndexOf("\u001b[?25h")).toBeGreaterThan(raw.lastIndexOf("\u001b[?25l"));
  });
});

it.skipIf(!hasTerminal)("a question in a terminal that says to have no size is as wide as 80 columns", async () => {
  const words = [...PROFFER, "call", "tools.ts", "twice"].join(" ");
  const person = new Person(project.folder, words, "cols 0 rows 0");
  await person.types(CTRL_C, "Are you sure?");
  expect((await person.sees()).text).toContain("Are you sure?");
});

describe.skipIf(!hasTerminal)("Ctrl-C during a call", () => {
  it.each([
    ["of a module", ["call", "tools.ts", "hang"]],
    ["of a command", ["call", "hang", "--", ...PROFFER, "serve", "tools.ts"]],
  ])("%s ends it and its server, and leaves nothing of the progress bar", async (_, words) => {
    const person = run(...words);
    await person.types(CTRL_C, "50% process ");
    const { status, raw, text } = await person.sees();
    expect(status).toBe(130);
    expect(raw.endsWith("\r\u001b[2K")).toBe(true);
    const pid = Number(/process (\d+) waits/.exec(text)?.[1]);
    await expect.poll(() => isRunning(pid)).toBe(false);
  });
});

describe.skipIf(!hasTerminal)("the log on a terminal is for people", () => {
  const LINE = /\d\d:\d\d:\d\d error {3}\S.*broken.*\r\n {4}TypeError: wires\\u001b\[2J crossed\r\n {8}at broken /;

  it("of proffer call", async () => {
    const { text, status } = await run("call", "tools.ts", "broken").sees();
    expect(status).toBe(1);
    expect(text).toMatch(LINE);
    expect(project.profferProcess({}, "call", "tools.ts", "broken").stderr).toMatch(/^\{"time":/);
  });

  it("of proffer serve", async () => {
    const meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
    const _meta = { ...meta, "io.modelcontextprotocol/clientCapabilities": {} };
    const request = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "broken", arguments: {}, _meta } };
    const person = run("serve", "tools.ts");
    await person.types(`${JSON.stringify(request)}\n`, "Press Ctrl-C to stop.");
    await person.types(CTRL_C, '"isError":true');
    const { text, status } = await person.sees();
    expect(status).toBe(0);
    expect(text).toMatch(LINE);
  });
});

describe.skipIf(!hasTerminal).each(["2025-11-25", "2026-07-28"])("on a terminal, on %s, proffer call", (revision) => {
  it("shows the log messages of the server before the result", async () => {
    const { text } = await run("call", "tools.ts", "talk", "--revision", revision).sees();
    expect(text).toBe('warning low\\u001b[2J on\r\n  paper\r\ninfo {"pages":3}\r\ndone\r\n');
  });
});

it.skipIf(!hasTerminal)("a terminal shows that the first start takes a while, and nothing of it is left", async () => {
  project.write("fresh.ts", "/** Says a word. */", 'export const say = () => "word";');
  const status = "Reading the types of fresh.ts …";
  const first = await run("call", "fresh.ts", "say").sees();
  expect(first.raw).toBe(`${status}\r\u001b[2Kword\r\n`);
  expect((await run("call", "fresh.ts", "say").sees()).raw).toBe("word\r\n");
});

it("SIGINT kills a server that does not end", async () => {
  project.write(
    "hangs.mjs",
    'process.on("SIGTERM", () => {});',
    'process.stdin.resume().on("end", () => {});',
    "setInterval(() => {}, 1000);",
    'console.error("process " + process.pid + " waits");',
  );
  const child = project.start("list", "--", process.execPath, "hangs.mjs");
  const pid = Number(/process (\d+)/.exec(await waitForStderr(child, "waits"))?.[1]);
  child.kill("SIGINT");
  expect(await once(child, "close")).toEqual([130, null]);
  await expect.poll(() => isRunning(pid)).toBe(false);
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
