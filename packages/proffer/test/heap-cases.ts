import { expect } from "vitest";
import { probe } from "./probe.ts";

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

/** Abandons sessions among busy ones: the heap must be flat, and back once they are idle. */
export async function abandonSessions(sessions: number): Promise<void> {
  const result = await probe<Sessions>("heap/sessions.mjs", [String(sessions)], ["--expose-gc"]);
  const { max, busy, kept, busyAlive, answered, baseline, firstHeap, secondHeap, end } = result;
  expect({ kept, busyAlive, answered }).toEqual({ kept: max - busy, busyAlive: busy, answered: busy });
  expect(secondHeap - firstHeap).toBeLessThan(NOISE);
  expect(end - baseline).toBeLessThan(NOISE);
}

/** Starts and stops a server on one port: the heap must be flat, without warnings. */
export async function restart(times: number): Promise<void> {
  const result = await probe<Restarts>("heap/restarts.mjs", [String(times)], ["--expose-gc"]);
  const { firstHeap, secondHeap, ...counts } = result;
  expect(counts).toEqual({ answered: 2 * Math.ceil(times / 2), warnings: [], listeners: 0, free: true });
  expect(secondHeap - firstHeap).toBeLessThan(NOISE);
}
