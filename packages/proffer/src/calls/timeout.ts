import { RpcError } from "../protocol/errors.ts";
import { ToolError } from "../results/content.ts";
import type { Call } from "./call.ts";

/** Returns the delay of a timer for a limit: at most 24 days, because a longer one would fire at once. */
export function delayOf(milliseconds: number): number {
  return Math.min(milliseconds, 2 ** 31 - 1);
}

/** Ends the call after `milliseconds`: the handler's signal is aborted and its late result ignored. */
export function limitTime(
  call: Call,
  milliseconds: number,
  handler: unknown,
  lateError: (milliseconds: number, call: Call) => Error = lateTool,
): void {
  const delay = delayOf(milliseconds);
  call.timer = setTimeout(check, delay);
  function check(): void {
    // The time that a user takes to answer does not count.
    if (call.waiting) {
      call.timer = setTimeout(check, delay);
      return;
    }
    const late = lateError(milliseconds, call);
    call.lateHandler = Promise.resolve(handler);
    call.abort(late.message);
    call.interrupt(late);
  }
}

function lateTool(milliseconds: number): Error {
  return new ToolError(`The tool did not finish within ${milliseconds} ms.`);
}

/**
 * Limits the author's functions that have no time limit of their own, such as a list: one that never settles would keep
 * its request, and its slot, forever. Work that still runs afterwards counts as in flight until it ends.
 */
export function limitHook<Result extends object>(call: Call, pending: Promise<Result>): Promise<Result> {
  limitTime(call, call.server.limits.hookTimeout, pending, lateHook);
  return call.outcome(pending, unchanged, rethrow) as Promise<Result>;
}

function unchanged(result: unknown): object {
  return result as object;
}

function rethrow(error: unknown): never {
  throw error;
}

function lateHook(milliseconds: number, { method }: Call): Error {
  const cause = new Error("a function did not settle in time");
  return new RpcError("internal_error", `${method} did not finish within ${limitText(milliseconds)}.`, { cause });
}

/**
 * Awaits a value of the author's code for which there is no call yet. @throws {Error} after `milliseconds`, with the name
 * of the limit.
 */
export async function within(milliseconds: number, pending: unknown, limit?: string): Promise<unknown> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const refuse = () => reject(new Error(`It did not settle within ${limitText(milliseconds, limit)}`));
    timer = setTimeout(refuse, delayOf(milliseconds));
  });
  try {
    return await Promise.race([pending, late]);
  } finally {
    clearTimeout(timer);
  }
}

function limitText(milliseconds: number, limit = "limits.hookTimeout"): string {
  return `${milliseconds} ms (${limit})`;
}
