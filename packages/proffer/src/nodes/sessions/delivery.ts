import type { CallerMarks } from "../../calls/caller.ts";
import { coalesce } from "../../support/async.ts";
import { COMMENT, type OpenStream } from "../../transports/http/event-stream.ts";
import type { DisconnectListener, HttpExchange } from "../../transports/http/exchange.ts";
import { STREAM_HEADERS } from "../../transports/http/http-error.ts";
import type { LocalSession } from "./local-session.ts";

/** One connection over which a client receives the events of a stream, each once and in order. */
export class Delivery implements OpenStream, DisconnectListener {
  readonly client: CallerMarks;
  readonly stream: string;
  /** The place of the last event that was written. */
  place: number;
  readonly #local: LocalSession;
  readonly #exchange: HttpExchange;
  readonly #onEnd: (delivery: Delivery) => void;
  #isOpen = true;

  /** `onEnd` is called when the client disconnects, not after `release`. */
  constructor(
    local: LocalSession,
    exchange: HttpExchange,
    { stream, place }: EventPlace,
    onEnd: (delivery: Delivery) => void,
  ) {
    this.client = { principal: local.principal, address: exchange.address, listener: local };
    this.stream = stream;
    this.place = place;
    this.#local = local;
    this.#exchange = exchange;
    this.#onEnd = onEnd;
    exchange.open(STREAM_HEADERS);
    local.sessions.endpoint.streams.add(this);
    exchange.watchDisconnect(this);
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** A standalone stream ends with the permission of its caller; a call in flight may finish. */
  get expires(): number | undefined {
    return openingOf(this.stream) === undefined ? undefined : this.#exchange.principal?.expires;
  }

  /** Writes the events that were not written yet; false if some before them are missing. */
  deliver(events: readonly StreamEvent[]): boolean {
    for (const { place, text, final } of events) {
      if (place <= this.place || !this.#isOpen) continue;
      if (place > this.place + 1) return false;
      if (text !== "" && !this.write(text)) return true;
      this.place = place;
      if (final) this.release();
    }
    return true;
  }

  /** Writes the events of the log that were not written yet. */
  readonly catchUp = coalesce(async () => {
    if (!this.#isOpen) return;
    const { id, sessions } = this.#local;
    const events = await sessions.store.since(id, this.stream, this.place);
    // The log was emptied: the client must send its request again.
    if (events === undefined || !this.deliver(events)) this.release();
  });

  /** False if the client is no longer connected. */
  write(text: string): boolean {
    if (this.#isOpen && !this.#exchange.write(text)) this.onDisconnect();
    return this.#isOpen;
  }

  keepAlive(): void {
    this.write(COMMENT);
  }

  expire(): void {
    this.release();
    this.#onEnd(this);
  }

  release(): void {
    if (this.#close()) this.#exchange.end();
  }

  onDisconnect(): void {
    if (this.#close()) this.#onEnd(this);
  }

  /** False if it was closed before. */
  #close(): boolean {
    if (!this.#isOpen) return false;
    this.#isOpen = false;
    this.#local.sessions.endpoint.streams.delete(this);
    return true;
  }
}

/** The events of a stream that another node writes, for a client that resumed it on this node. */
export class Follower {
  readonly delivery: Delivery;
  /** Whether the record names this node. */
  isEntered = false;
  readonly #local: LocalSession;

  constructor(local: LocalSession, delivery: Delivery) {
    this.#local = local;
    this.delivery = delivery;
  }

  /**
   * Enters this node in the record and hints the writer; then reads the events that were written in between. Later calls
   * renew the entry, unless the client has resumed the stream elsewhere, and repeat the hint, which may have been lost.
   * Never twice at once: the entries could not be distinguished from those of other nodes.
   */
  readonly enter = coalesce(async () => {
    const { id, sessions } = this.#local;
    const { stream } = this.delivery;
    const set = { [`f:${stream}`]: sessions.node };
    const change = { if: this.isEntered ? set : {}, set, stamp: [`t:${stream}`] };
    const { made } = await sessions.store.change(id, change);
    if (!made) this.delivery.release();
    this.isEntered = true;
    this.#hintWriter();
    await this.delivery.catchUp();
  });

  /** The client is no longer here. */
  async leave(): Promise<void> {
    this.delivery.release();
    const { id, sessions } = this.#local;
    const { stream } = this.delivery;
    const field = `f:${stream}`;
    await sessions.store.change(id, { if: { [field]: sessions.node }, remove: [field, `t:${stream}`] });
    this.#hintWriter();
  }

  /** The node that writes the stream of a request is in its name. */
  #hintWriter(): void {
    const { id, sessions } = this.#local;
    const [writer] = this.delivery.stream.split(".");
    sessions.store.publish(`node ${writer}`, `session ${id}`);
  }
}

/** One event of a stream. Its place is counted by the only writer of the stream: 1, 2, 3, … */
export interface StreamEvent {
  readonly place: number;
  /** As it goes on the wire; empty if there is nothing to send. */
  readonly text: string;
  /** The stream ends with it. */
  readonly final: boolean;
}

/** The place of an event that a client received last. */
export interface EventPlace {
  readonly stream: string;
  readonly place: number;
}

/** A stream of a request is named by its node and a number; a standalone stream by how often one was opened. */
const EVENT_ID = /^([\w-]{12}\.\d{1,9}|g\d{1,9})-(\d{1,9})$/;
const STANDALONE = /^g(\d+)$/;

export function toEventId(stream: string, place: number): string {
  return `${stream}-${place}`;
}

/** Parses a `Last-Event-ID`; undefined for any other text. */
export function parseEventId(text: string): EventPlace | undefined {
  const parts = EVENT_ID.exec(text);
  return parts === null ? undefined : { stream: parts[1] as string, place: Number(parts[2]) };
}

/** How often a standalone stream was opened before this one; undefined for the stream of a request. */
export function openingOf(stream: string): number | undefined {
  const parts = STANDALONE.exec(stream);
  return parts === null ? undefined : Number(parts[1]);
}

/** The message in an event of a standalone stream. */
export function messageOf({ text }: StreamEvent): string {
  return text.slice(text.indexOf("\ndata: ") + 7, -2);
}
