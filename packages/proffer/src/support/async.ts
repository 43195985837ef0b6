/** Applies `next` now, or when the promise settles; a synchronous value costs no microtask. */
export function whenReady<Value, Next>(
  value: Value | Promise<Value>,
  next: (value: Value) => Next | Promise<Next>,
): Next | Promise<Next> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Runs `work` at the end of this event-loop turn. */
export function atEndOfTurn(work: () => void): void {
  const { setImmediate } = globalThis as { setImmediate?: (work: () => void) => void };
  if (setImmediate) setImmediate(work);
  else setTimeout(work, 0);
}

/**
 * Calls a function of the author whose result nobody waits for, and reports its failure: an exception, or a rejection
 * if it is asynchronous. Either would otherwise end the process.
 */
export function contain(work: () => unknown, failed: (error: unknown) => void): void {
  try {
    const outcome = work();
    // `Promise.resolve` also follows promises of other realms and libraries.
    if (typeof outcome === "object" && outcome !== null) Promise.resolve(outcome).catch(failed);
  } catch (error) {
    failed(error);
  }
}

/**
 * Returns a function that runs `work`, never twice at once: if it is called meanwhile, `work` runs once more, and so sees
 * the state after the last call.
 */
export function coalesce(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let isStale = false;
  const run = async () => {
    try {
      while (isStale) {
        isStale = false;
        await work();
      }
    } finally {
      running = undefined;
    }
  };
  return () => {
    isStale = true;
    running ??= run();
    return running;
  };
}

/** Lets a process of Node end although the timer still runs. Other run-times have no such method, and no need of it. */
export function unref<Timer>(timer: Timer): Timer {
  (timer as { unref?: () => void }).unref?.();
  return timer;
}
