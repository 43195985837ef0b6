import { once } from "node:events";
import type { Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProject, type Project } from "./project.ts";

const SIZE = 4_000_000;

let project: Project;

beforeAll(() => {
  project = createProject();
  project.write(
    "tools.ts",
    'import { ToolError } from "proffer";',
    "/** Returns a long text. */",
    "export const long = (size: number): string => 'x'.repeat(size);",
    "/** Fails with a long text. */",
    "export const fail = (size: number): string => { throw new ToolError('x'.repeat(size)); };",
  );
});

afterAll(() => project.remove());

/** Reads a stream with pauses at first, so that the process has ended its work long before its output is read. */
async function readSlowly(stream: Readable | null): Promise<number> {
  let bytes = 0;
  let pauses = 0;
  for await (const chunk of stream ?? []) {
    bytes += chunk.length;
    if (pauses++ < 10) await wait(20);
  }
  return bytes;
}

describe("the output of a command reaches a slow pipe whole", () => {
  it.each([
    ["stdout", "long", 0, SIZE + "\n".length],
    ["stderr", "fail", 1, "error: ".length + SIZE + "\n".length],
  ] as const)("on %s", async (name, tool, status, bytes) => {
    const child = project.start("call", "tools.ts", tool, "--arg", `size=${SIZE}`);
    const ended = once(child, "close");
    const other = name === "stdout" ? child.stderr : child.stdout;
    other?.resume();
    expect(await readSlowly(child[name])).toBe(bytes);
    expect(await ended).toEqual([status, null]);
  });
});

describe("the error of a server that cannot start reaches a slow pipe whole", () => {
  it.each([
    ["stdio", []],
    ["HTTP", ["--http", "0"]],
  ])("over %s", async (_, flags) => {
    // Larger than a pipe, and small enough for the time that an exiting server gives its reader.
    const size = 400_000;
    project.write("broken.ts", "/** Says. */", "export const say = () => 1;", `throw new Error("x".repeat(${size}));`);
    const child = project.start("serve", "broken.ts", ...flags);
    child.stdout?.resume();
    const ended = once(child, "close");
    expect(await readSlowly(child.stderr)).toBeGreaterThan(size);
    expect(await ended).toEqual([1, null]);
  });
});

it("a reader that closes the pipe ends the command quietly", async () => {
  const child = project.start("call", "tools.ts", "long", "--arg", `size=${SIZE}`);
  let stderr = "";
  child.stderr?.on("data", (chunk) => {
    stderr += chunk;
  });
  await once(child.stdout as Readable, "data");
  child.stdout?.destroy();
  expect(await once(child, "close")).toEqual([0, null]);
  expect(stderr).toBe("");
});
