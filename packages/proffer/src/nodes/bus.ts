import type { Later } from "./store.ts";

/** Receives the messages of a topic. */
export interface BusListener {
  heard(message: string): void;
  /**
   * Called after any gap, in which messages may have been lost: read the truth again. The time between `subscribe` and the
   * moment from which messages arrive is such a gap, unless they arrive at once. Must not throw, as `heard`.
   */
  missed(): void;
}

/** Hints between nodes: fast, in order per sender, and lost if nobody listens. Never the only way to learn anything. */
export interface Bus {
  /** Sends a message to the listeners of a topic on every node, this one included. */
  publish(topic: string, message: string): Later<void>;
  /** Listens until the returned function is called. */
  subscribe(topic: string, listener: BusListener): () => void;
}
