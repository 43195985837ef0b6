import { toText, type Wire } from "../../protocol/messages.ts";
import { coalesce } from "../../support/async.ts";
import { primingEvent, toEvent } from "../../transports/http/event-stream.ts";
import type { ReplyStream } from "../../transports/http/legacy-session.ts";
import { type Delivery, type StreamEvent, toEventId } from "./delivery.ts";
import type { LocalSession } from "./local-session.ts";

/** Milliseconds after which a client should reconnect to a stream that ended too early. */
export const RETRY = 1000;
/** A longer log drops its oldest events, however small they are. */
const MAX_ENTRIES = 1000;
/** The events of an ended stream are kept for this many times `reconnectTimeout`. */
const KEPT = 5;

/**
 * A stream that this node writes. Each event is appended to the log in the store before it is written to the wire: once a
 * client has seen an event, any node can send it again, and a lost connection loses none.
 */
export class ClusterStream implements ReplyStream {
  readonly name: string;
  /** The last connection of the client to this node. */
  delivery: Delivery | undefined;
  readonly #local: LocalSession;
  readonly #onDisconnect: () => void;
  /** The node on which the client resumed the stream. */
  #follower: string | undefined;
  #place = 0;
  #queue: StreamEvent[] = [];
  /** The events that the store could not take; they are sent to it again. */
  #unsaved: StreamEvent[] = [];
  #saved = performance.now();
  #releases = false;
  #final = false;

  constructor(local: LocalSession, name: string, onDisconnect: () => void = () => {}) {
    this.#local = local;
    this.name = name;
    this.#onDisconnect = onDisconnect;
  }

  get connected(): boolean {
    return this.delivery?.isOpen === true || this.#follower !== undefined;
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
    void this.#save();
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
      this.delivery?.release();
      // It may have read the log before an event that was appended meanwhile.
      this.#hintFollower();
    } else if (wasConnected && !this.connected) this.#onDisconnect();
  }

  /** The client disconnected. */
  lost(delivery: Delivery): void {
    if (this.delivery === delivery) this.#onDisconnect();
  }

  /** Called at intervals: saves the events that could not be saved, and keeps the log of a silent stream from expiring. */
  tick(): void {
    const { idleTimeout } = this.#local.sessions.limits;
    if (this.#unsaved.length > 0) void this.#save();
    else if (!this.#final && this.#place > 0 && performance.now() - this.#saved > idleTimeout / 2)
      this.#push("", false);
  }

  /** Resolves when all events are in the store, or could not be saved. */
  flush(): Promise<void> {
    return this.#save();
  }

  /** Ends the connection, and forgets the events that were not written: the session has ended. */
  drop(): void {
    this.#queue = [];
    this.#unsaved = [];
    this.delivery?.release();
  }

  #push(text: string, final: boolean): void {
    if (this.#final) return;
    this.#final = final;
    this.#queue.push({ place: ++this.#place, text, final });
    void this.#save();
  }

  readonly #save = coalesce(async () => {
    // The events of one turn are saved together, and the last one with the end of the stream.
    await Promise.resolve();
    const events = this.#queue;
    const unsaved = [...this.#unsaved, ...events];
    this.#queue = [];
    if (unsaved.length > 0) await this.#append(unsaved);
    if (events.length > 0) this.#deliver(events);
    // Events were sent meanwhile: this runs again.
    if (this.#queue.length > 0) return;
    if (this.#releases && this.delivery?.isOpen) {
      this.delivery.release();
      this.#onDisconnect();
    }
    this.#releases = false;
    if (unsaved.length === 0 || !this.#final || this.#unsaved.length > 0) return;
    this.#local.streamEnded(this, this.delivery?.place === this.#place);
  });

  async #append(events: readonly StreamEvent[]): Promise<void> {
    const { id, sessions } = this.#local;
    const { maxReplayBytes, idleTimeout, reconnectTimeout } = sessions.limits;
    // Most clients read the end of a stream as soon as it is written.
    const milliseconds = this.#final ? Math.min(idleTimeout, KEPT * reconnectTimeout) : idleTimeout;
    try {
      await sessions.store.append(id, this.name, events, { entries: MAX_ENTRIES, bytes: maxReplayBytes, milliseconds });
      this.#unsaved = [];
      this.#saved = performance.now();
    } catch {
      this.#unsaved = withinLimit(events, maxReplayBytes);
    }
  }

  #deliver(events: readonly StreamEvent[]): void {
    const { delivery } = this;
    if (delivery?.deliver(events) === false) delivery.catchUp().catch(() => delivery.release());
    this.#hintFollower();
  }

  #hintFollower(): void {
    const { id, sessions } = this.#local;
    if (this.#follower !== undefined) sessions.store.publish(`node ${this.#follower}`, `events ${id} ${this.name}`);
  }
}

/** The last events, as far as the limit allows. A gap in the log shows a client that events are lost. */
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
