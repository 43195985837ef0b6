import { AsyncLocalStorage } from "node:async_hooks";

const runs = new AsyncLocalStorage();
const METHODS = ["claim", "count", "read", "change", "remove", "append", "since", "ping", "advice"];

/** The epoch of the run in whose handler this is called. */
export function currentEpoch() {
  return runs.getStore().epoch;
}

/**
 * Returns the ports with a record of runs: `onRun` receives the task, the epoch and the number of the wake-up when the store has accepted a
 * run. The order of handlers is not enough: one that was frozen may begin after a newer one.
 *
 * @param around - calls a method of the store, or does not: receives its name, its arguments and the call
 */
export function traceCluster({ store, bus, queue }, onRun, around = (_name, _args, call) => call()) {
  const traced = { timeLimit: store.timeLimit };
  for (const name of METHODS) {
    if (store[name] === undefined) continue;
    traced[name] = (...args) => {
      const made = around(name, args, () => store[name](...args));
      return name === "change" && args[1].add?.epoch === 1 && args[1].set?.lease !== undefined
        ? Promise.resolve(made).then((changed) => noteRun(args[0], changed, onRun))
        : made;
    };
  }
  const work = (run, options) =>
    queue.work((job, signal) => runs.run({ epoch: undefined }, () => run(job, signal)), options);
  return {
    store: traced,
    bus,
    queue: { push: (job, server) => queue.push(job, server), work, waiting: (server) => queue.waiting?.(server) ?? 0 },
  };
}

function noteRun(key, changed, onRun) {
  const run = runs.getStore();
  if (changed.made && run !== undefined) {
    const { epoch, wakeup } = changed.fields;
    run.epoch = epoch;
    onRun(key.slice(key.lastIndexOf(" ") + 1), epoch, wakeup);
  }
  return changed;
}
