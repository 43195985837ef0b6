import type { Bus, BusListener } from "./bus.ts";

/** A bus between the servers of one process. */
export class MemoryBus implements Bus {
  readonly #topics = new Map<string, Set<BusListener>>();

  publish(topic: string, message: string): void {
    // A copy: a listener may subscribe or leave while it hears the message.
    for (const listener of [...(this.#topics.get(topic) ?? [])]) listener.heard(message);
  }

  subscribe(topic: string, listener: BusListener): () => void {
    const listeners = this.#topics.get(topic) ?? new Set();
    listeners.add(listener);
    this.#topics.set(topic, listeners);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#topics.get(topic) === listeners) this.#topics.delete(topic);
    };
  }
}
