import { describe, expect, it } from "vitest";
import { BYTES, HTTP_CHUNKS, HTTP_WRITES, PROMISES, START, START_BUILT, STDIO_WRITES } from "./budgets.ts";
import { probe } from "./probe.ts";

/** Allocation is measured as heap growth; a garbage collection would falsify it. */
const NO_COLLECTION = ["--expose-gc", "--min-semi-space-size=128", "--max-semi-space-size=128"];

describe("over stdio, a request", () => {
  const events = probe<Record<string, { promises: number; writes: number }>>("budgets/probe-stdio.mjs", ["events"]);
  const bytes = probe<Record<string, number>>("budgets/probe-stdio.mjs", ["bytes"], NO_COLLECTION);

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
  const sent = probe<Record<string, { writes: number; chunks: number }>>("budgets/probe-http.mjs", []);

  it.each(Object.entries(HTTP_WRITES))("%s is written no more often than its budget", async (name, { most }) => {
    expect((await sent)[name]?.writes).toBeLessThanOrEqual(most);
  });

  it.each(Object.entries(HTTP_CHUNKS))("%s has no more chunks than its budget", async (name, { most }) => {
    expect((await sent)[name]?.chunks).toBeLessThanOrEqual(most);
  });
});

describe.each([
  ["a stdio server", START, ["index.js", "process.js"]],
  ["a built server", START_BUILT, ["process.js", "built.js"]],
])("%s", (_name, budgets, entries) => {
  const start = probe<Record<string, number>>("budgets/probe-start.mjs", entries);

  it.each(Object.entries(budgets))("loads no more %s at start than its budget", async (name, { most }) => {
    expect((await start)[name]).toBeLessThanOrEqual(most);
  });
});
