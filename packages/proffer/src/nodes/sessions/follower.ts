import type { RecordFields } from "../ports.ts";
import type { Delivery } from "./delivery.ts";
import { type EventPlace, writerOf } from "./events.ts";
import type { SessionStore } from "./store.ts";

/** The events of a stream that another node writes, for a client that resumed it on this node. */
export class Follower {
  readonly stream: string;
  readonly delivery: Delivery;
  readonly #id: string;
  readonly #node: string;
  readonly #store: SessionStore;
  #reading: Promise<void> | undefined;
  #again = false;
  #isEntered = false;
  #entering = false;

  constructor(id: string, node: string, store: SessionStore, { stream }: EventPlace, delivery: Delivery) {
    this.#id = id;
    this.#node = node;
    this.#store = store;
    this.stream = stream;
    this.delivery = delivery;
  }

  /**
   * Enters this node in the record and hints the writer; then reads the events that were written in between. Later calls
   * renew the entry, unless the client has resumed the stream elsewhere, and repeat the hint, which may have been lost.
   */
  async enter(): Promise<void> {
    // Several entries at once could not be told from those of other nodes.
    if (this.#entering) return;
    this.#entering = true;
    try {
      await this.#enter(this.#isEntered ? { [`f:${this.stream}`]: this.#node } : {});
    } finally {
      this.#entering = false;
    }
    this.#hintWriter();
    await this.catchUp();
  }

  async #enter(condition: RecordFields): Promise<void> {
    const set = { [`f:${this.stream}`]: this.#node };
    const { made } = await this.#store.change(this.#id, { if: condition, set, stamp: [`t:${this.stream}`] });
    if (!made) this.delivery.release();
    this.#isEntered = true;
  }

  /** Whether the record names this node. */
  get isEntered(): boolean {
    return this.#isEntered;
  }

  /** Sends the client the events that it has not received yet. */
  catchUp(): Promise<void> {
    this.#again = true;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** The client is no longer here. */
  async leave(): Promise<void> {
    this.delivery.release();
    const field = `f:${this.stream}`;
    await this.#store.change(this.#id, { if: { [field]: this.#node }, remove: [field, `t:${this.stream}`] });
    this.#hintWriter();
  }

  async #read(): Promise<void> {
    while (this.#again && this.delivery.isOpen) {
      this.#again = false;
      const events = await this.#store.since(this.#id, this.stream, this.delivery.place);
      // The log was emptied: the client must send its request again.
      if (events === undefined || !this.delivery.deliver(events)) this.delivery.release();
    }
  }

  #hintWriter(): void {
    this.#store.publish(`node ${writerOf(this.stream)}`, `session ${this.#id}`);
  }
}
