import { MemoryStore } from "../../calls/store.ts";
import type { ResourceChange } from "../../catalog/changes.ts";
import { ownPorts } from "../../nodes/own-ports.ts";
import type { Bus, BusListener, Cluster, SharedStore } from "../../nodes/ports.ts";
import { nodeName } from "../../nodes/topics.ts";
import type { Feature } from "../../server/feature.ts";
import { findKeys } from "../../server/keys.ts";
import { addMetrics } from "../../server/metrics.ts";
import { addReadinessCheck } from "../../server/readiness.ts";
import type { ServerState } from "../../server/server.ts";
import { unref } from "../../support/async.ts";
import type { HttpFeature } from "../../transports/http/legacy-session.ts";

/** The servers of this process that are nodes: their clusters as the authors passed them, and their changes. */
const nodes = new WeakMap<ServerState, { readonly cluster: Cluster; readonly changes: SharedChanges }>();

/** The option `cluster`: the server is one of several nodes, which share changes, sessions and tasks. */
export const feature: Feature = {
  attach(server) {
    const cluster = server.cluster as Cluster;
    const counts: Record<string, number> = {};
    const own = ownPorts(cluster, server.info.name, counts);
    const changes = new SharedChanges(server, own.bus);
    server.cluster = own;
    server.store = own.store;
    addMetrics(server, "store", () => ({ ...counts }));
    addMetrics(server, "changes", () => changes.counts);
    nodes.set(server, { cluster, changes });
  },

  open(server) {
    const node = nodes.get(server);
    if (node === undefined || !node.changes.join()) return;
    const { store } = node.cluster;
    const { queue } = server.cluster as Cluster;
    // Servers of one process, as in tests, need no keys unless they open each other's state.
    if (findKeys(server.options.keys) === undefined && !(store instanceof MemoryStore))
      server.log({ level: "warning", message: NO_KEYS });
    // A store that cannot be reached now gives no advice; readiness reports it.
    logAdvice(server, store).catch(() => {});
    server.observers?.event({ type: "node_joined", node: nodeName(server) });
    addReadinessCheck(server, "store", async () => {
      // A store without `ping` is asked for a record, which does not exist.
      await (store.ping === undefined ? store.read("ready", ["ready"]) : store.ping());
      return true;
    });
    if (queue === undefined) return;
    addReadinessCheck(server, "queue", async () => {
      await queue.waiting?.();
      return true;
    });
  },

  notified(server, changed) {
    nodes.get(server)?.changes.changed(changed);
  },

  async close(server) {
    await nodes.get(server)?.changes.leave();
  },

  loadHttp: async () => {
    const [{ ClusterSessions }, { SseRelay }] = await Promise.all([
      import("../../nodes/sessions/cluster-sessions.ts"),
      import("../../nodes/sessions/sse-relay.ts"),
    ]);
    return {
      createSessions: (endpoint) => new ClusterSessions(endpoint),
      createRelay: (endpoint, receive) => new SseRelay(endpoint, receive),
    } satisfies HttpFeature;
  },
};

const NO_KEYS =
  "This server has a cluster but no keys, so other nodes cannot open what this one seals. Set the option keys, or PROFFER_KEYS, to the same keys on all nodes. Generate one with: openssl rand -base64 32";

async function logAdvice({ log }: ServerState, store: SharedStore): Promise<void> {
  for (const message of (await store.advice?.()) ?? []) log({ level: "warning", message });
}

/** The topic of changes. All nodes of the server share it: each of them knows the subscriptions of its clients. */
const TOPIC = "changes";

/** A message with more entries or characters says that anything may have changed: each watched URI is notified once. */
const MAX_ENTRIES = 1000;
const MAX_LENGTH = 65_536;

/** Milliseconds before the next attempt to publish: doubled with each failure. */
const FIRST_DELAY = 100;
const LONGEST_DELAY = 5000;

const NOT_PUBLISHED = "A change could not be sent to the other nodes. It will be sent when the bus works again";

/** Any resource may have changed. */
const EVERYTHING: Message = { uris: [], prefixes: [""] };

interface Message {
  readonly uris: readonly string[];
  readonly prefixes: readonly string[];
}

/**
 * Exchanges changes with the other nodes of a server. The bus may lose messages: after a gap, and after a message that
 * cannot be read, all listeners of this node are notified. A change that could not be published is kept until it is: the
 * other nodes would not know that they missed one.
 */
class SharedChanges implements BusListener {
  /**
   * The messages about changes: those that were published (one for all changes of an event-loop turn), the attempts that
   * failed and were repeated, the messages of other nodes, and the gaps in the bus.
   */
  readonly counts = { published: 0, failed: 0, heard: 0, gaps: 0 };
  readonly #server: ServerState;
  readonly #bus: Bus;
  /** The beginning of this node's own messages. */
  readonly #mark: string;
  #uris = new Set<string>();
  #prefixes = new Set<string>();
  #length = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #publishing: Promise<void> | undefined;
  #failures = 0;
  #unsubscribe: (() => void) | undefined;

  constructor(server: ServerState, bus: Bus) {
    this.#server = server;
    this.#bus = bus;
    this.#mark = `${nodeName(server)} `;
  }

  /** Returns false if this node listens already. */
  join(): boolean {
    if (this.#unsubscribe !== undefined) return false;
    this.#unsubscribe = this.#bus.subscribe(TOPIC, this);
    return true;
  }

  /** Publishes the changes that wait, and stops listening. */
  async leave(): Promise<void> {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    await this.#publishing;
    // One more attempt. If it fails, the next one would come after this node has left.
    await this.#publish();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Publishes a change at the end of this event-loop turn, with all others. */
  changed(changed: ResourceChange): void {
    const [entries, text] = typeof changed === "string" ? [this.#uris, changed] : [this.#prefixes, changed.prefix];
    // Code without types may pass anything.
    if (typeof text !== "string" || entries.has(text) || this.#prefixes.has("")) return;
    entries.add(text);
    this.#length += text.length;
    if (this.#uris.size + this.#prefixes.size > MAX_ENTRIES || this.#length > MAX_LENGTH) this.#put(EVERYTHING);
    if (this.#publishing === undefined) this.#publishIn(0);
  }

  heard(text: string): void {
    if (text.startsWith(this.#mark)) return;
    this.counts.heard++;
    this.#notify(parse(text.slice(text.indexOf(" ") + 1)) ?? EVERYTHING);
  }

  missed(): void {
    this.counts.gaps++;
    this.#notify(EVERYTHING);
  }

  #notify({ uris, prefixes }: Message): void {
    const { changes } = this.#server.facade ?? this.#server;
    for (const uri of uris) changes.updated(uri);
    for (const prefix of prefixes) changes.updatedUnder(prefix);
  }

  #put({ uris, prefixes }: Message): void {
    this.#uris = new Set(uris);
    this.#prefixes = new Set(prefixes);
    this.#length = 0;
  }

  get #isWaiting(): boolean {
    return this.#uris.size + this.#prefixes.size > 0;
  }

  #publishIn(milliseconds: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#publish();
    }, milliseconds);
  }

  async #publish(): Promise<void> {
    if (!this.#isWaiting) return;
    const message: Message = { uris: [...this.#uris], prefixes: [...this.#prefixes] };
    this.#put({ uris: [], prefixes: [] });
    this.#publishing = this.#send(message);
    await this.#publishing;
    this.#publishing = undefined;
    if (!this.#isWaiting) return;
    const delay = this.#failures === 0 ? 0 : Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** (this.#failures - 1));
    this.#publishIn(delay);
    if (this.#failures > 0) unref(this.#timer);
  }

  /** Sends a message. If that fails, its changes wait again. */
  async #send(message: Message): Promise<void> {
    try {
      await this.#bus.publish(TOPIC, this.#mark + JSON.stringify(message));
      this.counts.published++;
      this.#failures = 0;
    } catch (error) {
      this.counts.failed++;
      if (this.#failures++ === 0) this.#server.log({ level: "warning", message: NOT_PUBLISHED, error });
      const uris = [...message.uris, ...this.#uris];
      const prefixes = [...message.prefixes, ...this.#prefixes];
      this.#put(uris.length + prefixes.length > MAX_ENTRIES ? EVERYTHING : { uris, prefixes });
    }
  }
}

/** Returns undefined for anything but a message: another version of Proffer may have sent it. */
function parse(json: string): Message | undefined {
  try {
    const { uris, prefixes } = JSON.parse(json) as Partial<Message>;
    return isTexts(uris) && isTexts(prefixes) ? { uris, prefixes } : undefined;
  } catch {
    return undefined;
  }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}
