import { describe, expect, it } from "vitest";
import { probe } from "./probe.ts";

/** Long runs open more sessions and restart more often. */
const SESSIONS = Number(process.env.PROFFER_SESSIONS ?? 3000);
const RESTARTS = Number(process.env.PROFFER_RESTARTS ?? 1000);

/** The heap may vary by this many bytes without a leak: code is compiled, caches fill. */
const NOISE = 2_000_000;

interface Sessions {
  readonly max: number;
  readonly busy: number;
  readonly kept: number;
  readonly busyAlive: number;
  readonly answered: number;
  readonly baseline: number;
  readonly firstHeap: number;
  readonly secondHeap: number;
  readonly end: number;
}

interface Restarts {
  readonly answered: number;
  readonly warnings: readonly string[];
  readonly listeners: number;
  readonly free: boolean;
  readonly firstHeap: number;
  readonly secondHeap: number;
}

describe("the heap", () => {
  it(`T088: is flat while ${SESSIONS} sessions are abandoned among busy ones, and back once they are idle`, async () => {
    const result = await probe<Sessions>("heap/sessions.mjs", [String(SESSIONS)], ["--expose-gc"]);
    const { max, busy, kept, busyAlive, answered, baseline, firstHeap, secondHeap, end } = result;
    expect({ kept, busyAlive, answered }).toEqual({ kept: max - busy, busyAlive: busy, answered: busy });
    expect(secondHeap - firstHeap).toBeLessThan(NOISE);
    expect(end - baseline).toBeLessThan(NOISE);
  });

  it(`T104: is flat while a server starts and stops ${RESTARTS} times on one port, without warnings`, async () => {
    const result = await probe<Restarts>("heap/restarts.mjs", [String(RESTARTS)], ["--expose-gc"]);
    const { firstHeap, secondHeap, ...counts } = result;
    expect(counts).toEqual({ answered: 2 * Math.ceil(RESTARTS / 2), warnings: [], listeners: 0, free: true });
    expect(secondHeap - firstHeap).toBeLessThan(NOISE);
  });
});
