import { type Bus, type BusListener, type Cluster, defineResource, defineServer, type ServerOptions } from "proffer";
import { memoryCluster } from "proffer/testing";

/** A bus between nodes of one process that loses messages and fails while a test says so, and counts. */
export class FaultyBus implements Bus {
  readonly published: string[] = [];
  /** Messages are lost without notice. */
  isCut = false;
  /** `publish` rejects. */
  isAway = false;
  readonly #bus = memoryCluster().bus;
  readonly #listeners = new Set<BusListener>();

  async publish(topic: string, message: string): Promise<void> {
    if (this.isAway) throw new Error("The bus is away.");
    this.published.push(message);
    if (!this.isCut) await this.#bus.publish(topic, message);
  }

  subscribe(topic: string, listener: BusListener): () => void {
    this.#listeners.add(listener);
    const stop = this.#bus.subscribe(topic, listener);
    return () => {
      this.#listeners.delete(listener);
      stop();
    };
  }

  /** Delivers messages again, and reports the gap. */
  mend(): void {
    this.isCut = false;
    for (const listener of this.#listeners) listener.missed();
  }
}

/** A node of a server with resources `a://{id}{?x}`. */
export function defineNode(cluster: Cluster, options: Partial<ServerOptions> = {}) {
  const resources = [defineResource({ uri: "a://{id}{?x}", name: "thing", read: ({ id }) => String(id) })];
  return defineServer({ name: "nodes", version: "1", log: () => {}, resources, cluster, ...options });
}
