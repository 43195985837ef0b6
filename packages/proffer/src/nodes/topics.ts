import { randomText } from "../support/bytes.ts";
import type { BusListener } from "./ports.ts";

/** The listeners of topics. */
export class Topics {
  readonly #topics = new Map<string, Set<BusListener>>();
  readonly #failed: (error: unknown) => void;

  /** `failed` is called if a listener throws, after all have been called. */
  constructor(
    failed: (error: unknown) => void = (error) => {
      throw error;
    },
  ) {
    this.#failed = failed;
  }

  names(): string[] {
    return [...this.#topics.keys()];
  }

  has(topic: string): boolean {
    return this.#topics.has(topic);
  }

  hear(topic: string, message: string): void {
    this.#call(this.#topics.get(topic), (listener) => listener.heard(message));
  }

  /** Notifies the listeners of some topics of a gap. */
  miss(topics: Iterable<string>): void {
    for (const topic of topics) this.#call(this.#topics.get(topic), (listener) => listener.missed());
  }

  /** Adds a listener; the returned function removes it, and calls `left` if it was the last one of its topic. */
  add(topic: string, listener: BusListener, left?: () => void): () => void {
    // The same listener may subscribe twice.
    const own: BusListener = { heard: (message) => listener.heard(message), missed: () => listener.missed() };
    const listeners = this.#topics.get(topic) ?? new Set();
    listeners.add(own);
    this.#topics.set(topic, listeners);
    return () => {
      if (!listeners.delete(own) || listeners.size > 0) return;
      this.#topics.delete(topic);
      left?.();
    };
  }

  #call(listeners: ReadonlySet<BusListener> | undefined, call: (listener: BusListener) => void): void {
    if (listeners === undefined) return;
    const errors: unknown[] = [];
    // A copy: a listener may subscribe or leave while it is called. One that throws does not keep others from hearing.
    for (const listener of [...listeners]) {
      try {
        call(listener);
      } catch (error) {
        errors.push(error);
      }
    }
    for (const error of errors) this.#failed(error);
  }
}

const NAME_BYTES = 9;

const names = new WeakMap<object, string>();

/** The name of this node: a random text for each process and server. */
export function nodeName(server: object): string {
  let name = names.get(server);
  if (name === undefined) {
    name = randomText(NAME_BYTES);
    names.set(server, name);
  }
  return name;
}
