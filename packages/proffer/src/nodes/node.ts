import type { ResourceChange } from "../catalog/changes.ts";
import { findKeys } from "../server/keys.ts";
import { addMetrics } from "../server/metrics.ts";
import type { ServerState } from "../server/server.ts";
import { MemoryStore } from "../server/store.ts";
import { nodeName } from "./node-name.ts";
import type {
  Cluster,
  Later,
  LogLimits,
  RecordChange,
  RecordChanged,
  RecordFields,
  SharedStore,
  StoredEntry,
} from "./ports.ts";
import { SharedChanges } from "./shared-changes.ts";

const NO_KEYS =
  "This server has a cluster but no keys, so other nodes cannot open what this one seals. Set the option keys, or PROFFER_KEYS, to the same keys on all nodes. Generate one with: openssl rand -base64 32";

/** This process as one of those that serve a server. */
export class ClusterNode {
  readonly name: string;
  readonly #server: ServerState;
  readonly #cluster: Cluster;
  readonly #changes: SharedChanges;
  #hasJoined = false;

  constructor(server: ServerState, cluster: Cluster) {
    this.name = nodeName(server);
    this.#server = server;
    this.#cluster = cluster;
    this.#changes = new SharedChanges(server, cluster.bus);
    const store = new MeasuredStore(cluster.store);
    server.cluster = { ...cluster, store };
    server.store = store;
    addMetrics(server, "store", () => store.metrics());
    addMetrics(server, "changes", () => this.#changes.metrics());
  }

  /** Listens to the other nodes from now on. */
  join(): void {
    if (this.#hasJoined) return;
    this.#hasJoined = true;
    const { options, log, observers } = this.#server;
    // Servers of one process, as in tests, need no keys unless they open each other's state.
    if (findKeys(options.keys) === undefined && !(this.#cluster.store instanceof MemoryStore))
      log({ level: "warning", message: NO_KEYS });
    this.#changes.join();
    // A store that cannot be reached now gives no advice; readiness reports it.
    this.#logAdvice().catch(() => {});
    observers?.event({ type: "node_joined", node: this.name });
  }

  /** Publishes the changes that wait, and stops listening. */
  async leave(): Promise<void> {
    this.#hasJoined = false;
    await this.#changes.leave();
  }

  /** Notifies the listeners of the other nodes of a change. */
  changed(changed: ResourceChange): void {
    this.#changes.changed(changed);
  }

  /** Whether the store answers. A store without `ping` is asked for a record, which does not exist. */
  async storeWorks(): Promise<boolean> {
    const { store } = this.#cluster;
    await (store.ping === undefined ? store.read("ready", ["ready"]) : store.ping());
    return true;
  }

  /** Whether the queue can be reached, if it can tell. */
  async queueWorks(): Promise<boolean> {
    await this.#cluster.queue?.waiting?.();
    return true;
  }

  async #logAdvice(): Promise<void> {
    const { log } = this.#server;
    for (const message of (await this.#cluster.store.advice?.()) ?? []) log({ level: "warning", message });
  }
}

/** Milliseconds: the upper bounds of the counts by duration. */
const BOUNDS = [1, 5, 25, 100, 1000] as const;

/** The operations of a shared store; `within5` are those that took at most 5 ms. */
export type StoreMetrics = Readonly<
  Record<"operations" | "errors" | "milliseconds" | `within${(typeof BOUNDS)[number]}`, number>
>;

/** Passes everything on to a store, and measures how long it takes. */
class MeasuredStore implements SharedStore {
  readonly #store: SharedStore;
  readonly #within = BOUNDS.map(() => 0);
  #operations = 0;
  #errors = 0;
  #milliseconds = 0;

  constructor(store: SharedStore) {
    this.#store = store;
  }

  metrics(): StoreMetrics {
    const within = Object.fromEntries(BOUNDS.map((bound, index) => [`within${bound}`, this.#within[index]]));
    const totals = { operations: this.#operations, errors: this.#errors, milliseconds: this.#milliseconds };
    return { ...totals, ...within } as StoreMetrics;
  }

  get timeLimit(): number | undefined {
    return this.#store.timeLimit;
  }

  claim(key: string, milliseconds: number, owner?: string): Later<boolean> {
    return this.#measure(() => this.#store.claim(key, milliseconds, owner));
  }

  count(key: string, milliseconds: number): Later<number> {
    return this.#measure(() => this.#store.count(key, milliseconds));
  }

  read(key: string, names?: readonly string[]): Later<RecordFields | undefined> {
    return this.#measure(() => this.#store.read(key, names));
  }

  change(key: string, change: RecordChange): Later<RecordChanged> {
    return this.#measure(() => this.#store.change(key, change));
  }

  remove(key: string): Later<void> {
    return this.#measure(() => this.#store.remove(key));
  }

  append(log: string, entries: readonly StoredEntry[], limits: LogLimits): Later<void> {
    return this.#measure(() => this.#store.append(log, entries, limits));
  }

  since(log: string, place: number): Later<readonly StoredEntry[] | undefined> {
    return this.#measure(() => this.#store.since(log, place));
  }

  ping(): Later<void> {
    return this.#store.ping?.();
  }

  advice(): Later<readonly string[]> {
    return this.#store.advice?.() ?? [];
  }

  #measure<Value>(operate: () => Later<Value>): Later<Value> {
    const started = performance.now();
    let pending: Later<Value>;
    try {
      pending = operate();
    } catch (error) {
      this.#ended(started, true);
      throw error;
    }
    if (typeof (pending as Partial<Promise<Value>> | undefined)?.then !== "function") {
      this.#ended(started, false);
      return pending;
    }
    return Promise.resolve(pending).then(
      (value) => {
        this.#ended(started, false);
        return value;
      },
      (error: unknown) => {
        this.#ended(started, true);
        throw error;
      },
    );
  }

  #ended(started: number, failed: boolean): void {
    const milliseconds = performance.now() - started;
    this.#operations++;
    if (failed) this.#errors++;
    this.#milliseconds += milliseconds;
    for (const [index, bound] of BOUNDS.entries()) {
      if (milliseconds <= bound) this.#within[index] = (this.#within[index] ?? 0) + 1;
    }
  }
}
