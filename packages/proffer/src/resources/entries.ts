import type { Context } from "../questions/context.ts";
import { atEndOfTurn, contain } from "../support/async.ts";
import type { ListEntries, ListEntry } from "./list.ts";

/** After this many entries, other requests and timers run: a list that never waits would block them. */
const ENTRIES_PER_TURN = 10_000;

/** Passes the entries to `add` until it returns false. An aborted signal stops the iteration. */
export async function forEachEntry(
  given: ListEntries,
  ctx: Pick<Context, "signal">,
  add: (entry: ListEntry) => boolean,
): Promise<void> {
  let left = ENTRIES_PER_TURN;
  const addOne = (entry: ListEntry): boolean | Promise<boolean> => {
    if (!add(entry)) return false;
    if (--left > 0) return true;
    left = ENTRIES_PER_TURN;
    return new Promise((resolve) => atEndOfTurn(() => resolve(!ctx.signal.aborted)));
  };
  if (!(Symbol.asyncIterator in given)) {
    for (const entry of given) {
      // Awaiting each of a thousand synchronous entries takes longer than creating them.
      const more = addOne(entry instanceof Promise ? await entry : entry);
      if (!(more instanceof Promise ? await more : more)) break;
    }
    return;
  }
  const { signal } = ctx;
  const iterator = given[Symbol.asyncIterator]();
  // The loop calls return() only once next() settles, which may be never.
  const stop = () =>
    contain(
      () => iterator.return?.(),
      () => undefined,
    );
  signal.addEventListener("abort", stop, { once: true });
  try {
    for await (const entry of { [Symbol.asyncIterator]: () => iterator }) {
      const more = addOne(entry);
      if (!(more instanceof Promise ? await more : more)) break;
    }
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
