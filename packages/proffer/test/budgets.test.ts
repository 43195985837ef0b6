import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { BYTES, HTTP_WRITES, PROMISES, START, STDIO_WRITES } from "./budgets.ts";
import { distFile } from "./dist.ts";

const dist = dirname(pathToFileURL(distFile("index.js")).href);

/** Allocation is measured as heap growth; a garbage collection would falsify it. */
const NO_COLLECTION = ["--expose-gc", "--min-semi-space-size=128", "--max-semi-space-size=128"];

describe("over stdio, a request", () => {
  const events = probe<Record<string, { promises: number; writes: number }>>("probe-stdio.mjs", ["events"]);
  const bytes = probe<Record<string, number>>("probe-stdio.mjs", ["bytes"], NO_COLLECTION);

  it.each(Object.entries(PROMISES))("for %s creates no more promises than its budget", async (name, { most }) => {
    expect((await events)[name]?.promises).toBeLessThanOrEqual(most);
  });

  it.each(Object.entries(STDIO_WRITES))("for %s is answered in one write with its chunk", async (name, { most }) => {
    expect((await events)[name]?.writes).toBeLessThanOrEqual(most);
  });

  it.each(Object.entries(BYTES))("for %s allocates no more than its budget", async (name, { most }) => {
    expect((await bytes)[name]).toBeLessThanOrEqual(most);
  });
});

describe("over HTTP", () => {
  const writes = probe<Record<string, number>>("probe-http.mjs", []);

  it.each(Object.entries(HTTP_WRITES))("%s is written no more often than its budget", async (name, { most }) => {
    expect((await writes)[name]).toBeLessThanOrEqual(most);
  });
});

describe("a stdio server", () => {
  const start = probe<Record<string, number>>("probe-start.mjs", ["index.js", "stdio.js"]);

  it.each(Object.entries(START))("loads no more %s at start than its budget", async (name, { most }) => {
    expect((await start)[name]).toBeLessThanOrEqual(most);
  });
});

/** Runs a probe of `budgets/` in a separate process and returns its counts. */
async function probe<Counts>(name: string, args: readonly string[], flags: readonly string[] = []): Promise<Counts> {
  const file = fileURLToPath(new URL(`./budgets/${name}`, import.meta.url));
  const child = spawn(process.execPath, [...flags, file, dist, ...args], { stdio: ["pipe", "ignore", "pipe"] });
  let printed = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${name} ended with exit code ${code}:\n${printed}`);
  return JSON.parse(printed);
}
