import type { Bus, BusListener } from "./bus.ts";
import { Topics } from "./topics.ts";

/** A bus between the servers of one process. */
export class MemoryBus implements Bus {
  readonly #topics = new Topics();

  publish(topic: string, message: string): void {
    this.#topics.hear(topic, message);
  }

  subscribe(topic: string, listener: BusListener): () => void {
    return this.#topics.add(topic, listener);
  }
}
