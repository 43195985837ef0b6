import type { Cluster } from "proffer";
import { memoryCluster } from "proffer/testing";

/** A cluster whose store and bus fail when a test says so. */
export interface FaultyCluster extends Cluster {
  /** Every operation of the store rejects. */
  isAway: boolean;
  /** Each operation of the store takes up to this many milliseconds. */
  delay: number;
  /** Messages of the bus are lost. */
  isDeaf: boolean;
  /** Tells all listeners that messages may have been lost. */
  missed(): void;
  /** The number of operations by name. */
  readonly operations: Map<string, number>;
  /** The keys whose time was extended. */
  readonly extended: Set<string>;
}

type Method = (...given: unknown[]) => unknown;

/** Puts faults between the nodes and their store and bus. */
export function faultyCluster(cluster: Cluster = memoryCluster()): FaultyCluster {
  const operations = new Map<string, number>();
  const extended = new Set<string>();
  const missed = new Set<() => void>();
  const store = new Proxy(cluster.store, {
    get(target, name) {
      const method = Reflect.get(target, name) as Method;
      return (...given: unknown[]) => {
        operations.set(String(name), (operations.get(String(name)) ?? 0) + 1);
        const [key, change] = given as [string, { expire?: number } | undefined];
        if (name === "change" && change?.expire !== undefined) extended.add(key);
        if (faulty.isAway) return Promise.reject(new Error("The store is away."));
        if (faulty.delay > 0) return slowly(faulty.delay, () => method.apply(target, given));
        return method.apply(target, given);
      };
    },
  });
  const faulty: FaultyCluster = {
    isAway: false,
    delay: 0,
    isDeaf: false,
    operations,
    extended,
    missed: () => {
      for (const each of missed) each();
    },
    store,
    bus: {
      publish: (topic, message) => (faulty.isDeaf ? undefined : cluster.bus.publish(topic, message)),
      subscribe(topic, listener) {
        const each = () => listener.missed();
        missed.add(each);
        const unsubscribe = cluster.bus.subscribe(topic, listener);
        return () => {
          missed.delete(each);
          unsubscribe();
        };
      },
    },
  };
  return faulty;
}

async function slowly(delay: number, work: () => unknown): Promise<unknown> {
  const wait = () => new Promise((resolve) => setTimeout(resolve, (Math.random() * delay) / 2));
  await wait();
  const result = await work();
  await wait();
  return result;
}
