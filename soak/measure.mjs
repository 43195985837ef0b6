import { setTimeout as sleep } from "node:timers/promises";
import { median } from "../bench/lib/statistics.mjs";

/** Time that the server gets to release the resources of the attackers, in milliseconds. */
const SETTLE_LIMIT = 90_000;
const STEP = 200;
const MEASUREMENTS = 5;
/** The largest growth of the heap that counts as flat, in bytes per millisecond: 1 MB in 10 minutes. */
const FLAT = 1_000_000 / 600_000;
/** Fewer samples are too few to tell growth from noise. */
export const MIN_SAMPLES = 10;

/** Measures the server until all connections are closed and nothing is left that `before` did not have. */
export async function settle(server, before) {
  const deadline = Date.now() + SETTLE_LIMIT;
  for (;;) {
    const measured = await server.measure();
    if (measured === undefined || Date.now() > deadline || isSettled(measured, before)) return measured;
    await sleep(STEP);
  }
}

/** The smallest of some measurements of the heap: the requests of honest clients that are in flight are noise. */
export async function sampleHeap(server, measurements = MEASUREMENTS) {
  const heaps = [];
  for (let left = measurements; left > 0; left--) {
    const measured = await server.measure();
    if (measured === undefined) return undefined;
    heaps.push(measured.heap);
    await sleep(STEP);
  }
  return { time: Date.now(), heap: Math.min(...heaps) };
}

function isSettled(measured, before) {
  return before === undefined ? !("TCPSocketWrap" in measured.handles) : leaks(before, measured).length === 0;
}

/** Describes the handles and file descriptors that are still open. */
export function leaks(before, after) {
  const found = Object.entries(after.handles)
    .map(([kind, count]) => [kind, count - (before.handles[kind] ?? 0)])
    .filter(([, more]) => more > 0)
    .map(([kind, more]) => `${more} × ${kind}`);
  const descriptors = after.descriptors - before.descriptors;
  return descriptors > 0 ? [...found, `${descriptors} file descriptors`] : found;
}

/**
 * The growth of the heap over samples of time and bytes, in bytes per millisecond: the median of the slopes between all
 * pairs (Theil and Sen), which single outliers do not affect. The first fifth of the samples is warm-up.
 */
export function slopeOf(samples) {
  const warm = samples.slice(Math.floor(samples.length / 5));
  const slopes = warm.flatMap((one, at) =>
    warm.slice(at + 1).map((other) => (other.heap - one.heap) / (other.time - one.time)),
  );
  return slopes.length === 0 ? 0 : median(slopes);
}

/** Returns true if the heap grows; a short run has too few samples to tell. */
export function grows(samples) {
  return samples.length >= MIN_SAMPLES && slopeOf(samples) > FLAT;
}
