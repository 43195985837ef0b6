import type { ResourceChange } from "../catalog/changes.ts";
import { findKeys } from "../server/keys.ts";
import { addMetrics } from "../server/metrics.ts";
import type { ServerState } from "../server/server.ts";
import { MemoryStore } from "../server/store.ts";
import type { Cluster } from "./cluster.ts";
import { MeasuredStore } from "./measured-store.ts";
import { nodeName } from "./node-name.ts";
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

/** The node of a server, which must have a cluster. It exists from its first use, before the server is served. */
export function nodeOf(server: ServerState): ClusterNode {
  server.node ??= new ClusterNode(server, server.cluster as Cluster);
  return server.node;
}
