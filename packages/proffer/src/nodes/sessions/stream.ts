import type { Wire } from "../../protocol/messages.ts";
import { toText } from "../../protocol/messages.ts";
import type { ReplyStream } from "../../transports/http/legacy-session.ts";
import type { HttpLimits } from "../../transports/http/options.ts";
import { primingEvent, toEvent } from "../../transports/http/sse.ts";
import type { Delivery } from "./delivery.ts";
import { type StreamEvent, toEventId } from "./events.ts";
import type { SessionStore } from "./store.ts";

/** Milliseconds after which a client should reconnect to a stream that ended too early. */
export const RETRY = 1000;
/** A longer log drops its oldest events, however small they are. */
const MAX_ENTRIES = 1000;
/** The events of an ended stream are kept for this many times `reconnectTimeout`. */
const KEPT = 5;

/** The parts of a stream that its session knows. */
export interface StreamOwner {
  readonly id: string;
  readonly store: SessionStore;
  readonly limits: HttpLimits;
  /** The stream has ended, and all of its events are kept. `isRead`: its client has received them on this node. */
  streamEnded(stream: ClusterStream, isRead: boolean): void;
}

/**
 * A stream that this node writes. Each event is appended to the log in the store before it is written to the wire: once a
 * client has seen an event, any node can send it again, and a lost connection loses none.
 */
export class ClusterStream implements ReplyStream {
  readonly name: string;
  /** The connection of the client, if it is on this node. */
  delivery: Delivery | undefined;
  readonly #owner: StreamOwner;
  readonly #onDisconnect: () => void;
  /** The node on which the client resumed the stream. */
  #follower: string | undefined;
  #place = 0;
  #queue: StreamEvent[] = [];
  /** The events that the store could not take; they are sent to it again. */
  #unsaved: StreamEvent[] = [];
  #saved = performance.now();
  #pumping: Promise<void> | undefined;
  #releases = false;
  #final = false;

  constructor(owner: StreamOwner, name: string, onDisconnect: () => void = () => {}) {
    this.#owner = owner;
    this.name = name;
    this.#onDisconnect = onDisconnect;
  }

  get connected(): boolean {
    return this.delivery !== undefined || this.#follower !== undefined;
  }

  get place(): number {
    return this.#place;
  }

  /** Starts with an event that has only an id. */
  prime(): void {
    this.#push(primingEvent(toEventId(this.name, this.#place + 1), RETRY), false);
  }

  send(wire: Wire): void {
    this.#push(toText(toEvent(toText(wire), toEventId(this.name, this.#place + 1))), false);
  }

  /** Ends the stream after the events that were sent. */
  close(): void {
    this.#push("", true);
  }

  /** Ends the connection after the events that were sent; the client can resume the stream on any node. */
  release(): void {
    this.#releases = true;
    this.#pump();
  }

  /** The client continues over this connection. */
  attach(delivery: Delivery): void {
    this.delivery?.release();
    this.delivery = delivery;
    this.#releases = false;
    this.#follower = undefined;
  }

  /** The client continues on another node, or no longer does. */
  follow(node: string | undefined): void {
    if (node === this.#follower) return;
    const wasConnected = this.connected;
    this.#follower = node;
    if (node !== undefined) {
      this.#releaseDelivery();
      // It may have read the log before an event that was appended meanwhile.
      this.#hintFollower();
    } else if (wasConnected && !this.connected) this.#onDisconnect();
  }

  /** The client disconnected. */
  lost(delivery: Delivery): void {
    if (this.delivery !== delivery) return;
    this.delivery = undefined;
    this.#onDisconnect();
  }

  /** Sends the events to the client that it has not received yet. */
  async catchUp(): Promise<void> {
    const { delivery } = this;
    if (delivery === undefined) return;
    const { id, store } = this.#owner;
    const events = await store.since(id, this.name, delivery.place);
    if (events === undefined || !delivery.deliver(events)) delivery.release();
    if (!delivery.isOpen && this.delivery === delivery) this.delivery = undefined;
  }

  /** Called at intervals: saves what could not be saved, and keeps the log of a silent stream from expiring. */
  tick(): void {
    const { idleTimeout } = this.#owner.limits;
    if (this.#unsaved.length > 0) this.#pump();
    else if (!this.#final && this.#place > 0 && performance.now() - this.#saved > idleTimeout / 2)
      this.#push("", false);
  }

  /** Resolves when all events are in the store, or could not be saved. */
  async flush(): Promise<void> {
    await this.#pumping;
  }

  /** Ends the connection, and forgets the events that were not written: the session has ended. */
  drop(): void {
    this.#queue = [];
    this.#unsaved = [];
    this.#releaseDelivery();
  }

  #push(text: string, final: boolean): void {
    if (this.#final) return;
    this.#final = final;
    this.#queue.push({ place: ++this.#place, text, final });
    this.#pump();
  }

  #pump(): void {
    this.#pumping ??= this.#save().finally(() => {
      this.#pumping = undefined;
      if (this.#queue.length > 0) this.#pump();
    });
  }

  async #save(): Promise<void> {
    // The events of one turn are saved together, and the last one with the end of the stream.
    await Promise.resolve();
    let isRead = false;
    do {
      const events = this.#queue;
      this.#queue = [];
      await this.#append([...this.#unsaved, ...events]);
      isRead = this.#deliver(events);
    } while (this.#queue.length > 0);
    if (this.#releases && this.delivery !== undefined) {
      this.#releaseDelivery();
      this.#onDisconnect();
    }
    this.#releases = false;
    if (this.#final && this.#unsaved.length === 0) this.#owner.streamEnded(this, isRead);
  }

  async #append(events: readonly StreamEvent[]): Promise<void> {
    if (events.length === 0) return;
    const { id, store, limits } = this.#owner;
    const { maxReplayBytes, idleTimeout, reconnectTimeout } = limits;
    // Most clients read the end of a stream as soon as it is written.
    const milliseconds = this.#final ? Math.min(idleTimeout, KEPT * reconnectTimeout) : idleTimeout;
    try {
      await store.append(id, this.name, events, { entries: MAX_ENTRIES, bytes: maxReplayBytes, milliseconds });
      this.#unsaved = [];
      this.#saved = performance.now();
    } catch {
      this.#unsaved = withinLimit(events, maxReplayBytes);
    }
  }

  /** Whether the client has received all events on this node. */
  #deliver(events: readonly StreamEvent[]): boolean {
    if (events.length === 0) return false;
    const { delivery } = this;
    if (delivery !== undefined && !delivery.deliver(events)) this.catchUp().catch(() => delivery.release());
    if (delivery?.isOpen === false && this.delivery === delivery) this.delivery = undefined;
    this.#hintFollower();
    return delivery?.place === this.#place;
  }

  #hintFollower(): void {
    const { id, store } = this.#owner;
    if (this.#follower !== undefined) store.publish(`node ${this.#follower}`, `events ${id} ${this.name}`);
  }

  #releaseDelivery(): void {
    const { delivery } = this;
    this.delivery = undefined;
    delivery?.release();
  }
}

/** The last events, as far as the limit allows. A gap in the log tells a client that events are lost. */
function withinLimit(events: readonly StreamEvent[], maxBytes: number): StreamEvent[] {
  let bytes = 0;
  let first = events.length;
  while (first > 0 && events.length - first < MAX_ENTRIES) {
    bytes += events[first - 1]?.text.length ?? 0;
    if (bytes > maxBytes) break;
    first--;
  }
  return events.slice(first);
}
