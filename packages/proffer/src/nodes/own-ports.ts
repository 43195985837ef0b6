import type { Cluster, Later, SharedStore } from "./ports.ts";

/**
 * The ports of one server. Several servers may share an engine, also by mistake: the default prefix is the same for all. So
 * each has its own keys, topics and jobs, by its name.
 */
export function ownPorts({ store, bus, queue }: Cluster, server: string, counts: Record<string, number>): Cluster {
  // Without spaces, which separate it from the rest, and without braces, by which Redis would choose a server.
  const own = encodeURIComponent(JSON.stringify(server).slice(1, -1));
  const ownName = (name: string) => `${own} ${name}`;
  return {
    store: measured(store, ownName, counts),
    bus: {
      publish: (topic, message) => bus.publish(ownName(topic), message),
      subscribe: (topic, listener) => bus.subscribe(ownName(topic), listener),
    },
    ...(queue && {
      queue: {
        push: (job) => queue.push(job, own),
        work: (work, options) => queue.work(work, { ...options, server: own }),
        waiting: () => queue.waiting?.(own) ?? 0,
      },
    }),
  };
}

/** Milliseconds: the upper bounds of the counts by duration. */
const BOUNDS = [1, 5, 25, 100, 1000];

/** A store that passes everything on. It counts the operations and their durations; `within5` took at most 5 ms. */
function measured(store: SharedStore, ownName: (name: string) => string, counts: Record<string, number>): SharedStore {
  Object.assign(counts, { operations: 0, errors: 0, milliseconds: 0 });
  for (const bound of BOUNDS) counts[`within${bound}`] = 0;
  const count = (name: string, more = 1) => {
    counts[name] = (counts[name] ?? 0) + more;
  };
  const ended = (started: number, failed: boolean) => {
    const milliseconds = performance.now() - started;
    count("operations");
    count("milliseconds", milliseconds);
    if (failed) count("errors");
    for (const bound of BOUNDS) if (milliseconds <= bound) count(`within${bound}`);
  };
  const measure = <Value>(operate: () => Later<Value>): Later<Value> => {
    const started = performance.now();
    const failed = (error: unknown): never => {
      ended(started, true);
      throw error;
    };
    const succeeded = (value: Value): Value => {
      ended(started, false);
      return value;
    };
    let pending: Later<Value>;
    try {
      pending = operate();
    } catch (error) {
      return failed(error);
    }
    // The promise of another library is not an instance of Promise.
    const isPending = typeof (pending as Partial<Promise<Value>> | undefined)?.then === "function";
    return isPending ? Promise.resolve(pending).then(succeeded, failed) : succeeded(pending as Value);
  };
  return {
    get timeLimit() {
      return store.timeLimit;
    },
    claim: (key, milliseconds, owner) => measure(() => store.claim(ownName(key), milliseconds, owner)),
    count: (key, milliseconds) => measure(() => store.count(ownName(key), milliseconds)),
    read: (key, names) => measure(() => store.read(ownName(key), names)),
    change: (key, change) => measure(() => store.change(ownName(key), change)),
    remove: (key) => measure(() => store.remove(ownName(key))),
    append: (log, entries, limits) => measure(() => store.append(ownName(log), entries, limits)),
    since: (log, place) => measure(() => store.since(ownName(log), place)),
  };
}
