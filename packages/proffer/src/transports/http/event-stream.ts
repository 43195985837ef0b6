import type { CallerMarks } from "../../calls/caller.ts";
import { hasShare, ShareError } from "../../calls/in-flight.ts";
import { delayOf } from "../../calls/timeout.ts";
import { RpcError } from "../../protocol/errors.ts";
import { surround, type Wire } from "../../protocol/messages.ts";
import type { DisconnectListener, HttpExchange } from "./exchange.ts";
import { STREAM_HEADERS } from "./http-error.ts";
import { shareOf } from "./options.ts";

/** Makes a stream resumable after a lost connection. */
interface Resumption {
  readonly log: EventLog;
  /** The stream's number in its session. */
  readonly number: number;
  /** Start with an event that has only an id. */
  readonly primed: boolean;
}

/** Milliseconds after which a client should reconnect to a stream that ended too early. */
const RETRY = 1000;

/**
 * A stream of messages to one client. With a `Resumption` it outlives its connection: events sent while the client is
 * disconnected are kept, and delivered when it reconnects.
 */
export class EventStream implements OpenStream, DisconnectListener {
  readonly client: CallerMarks;
  readonly #streams: OpenStreams;
  readonly #resumption: Resumption | undefined;
  readonly #listener: DisconnectListener | undefined;
  /** Whether it ends with the permission of its caller; a call in flight may finish. */
  readonly #isStanding: boolean;
  #exchange: HttpExchange | undefined;
  #position = 0;

  constructor(
    streams: OpenStreams,
    client: CallerMarks,
    listener: DisconnectListener | undefined,
    isStanding: boolean,
    resumption?: Resumption,
  ) {
    this.client = client;
    this.#streams = streams;
    this.#resumption = resumption;
    this.#listener = listener;
    this.#isStanding = isStanding;
  }

  get connected(): boolean {
    return this.#exchange !== undefined;
  }

  get expires(): number | undefined {
    return this.#isStanding ? this.#exchange?.principal?.expires : undefined;
  }

  /** The number of the last event. */
  get position(): number {
    return this.#position;
  }

  /** Answers a request with this stream. */
  open(exchange: HttpExchange): void {
    exchange.open(STREAM_HEADERS);
    if (this.#resumption?.primed) exchange.write(primingEvent(`${this.#resumption.number}-${this.#position}`, RETRY));
    this.#connect(exchange);
  }

  /** Continues over another connection, starting with the events that the client missed. */
  resume(exchange: HttpExchange, missed: readonly Wire[]): void {
    this.release();
    exchange.open(STREAM_HEADERS);
    for (const event of missed) exchange.write(event);
    this.#connect(exchange);
  }

  send(wire: Wire): void {
    const resumption = this.#resumption;
    if (resumption === undefined) {
      this.#write(toEvent(wire));
      return;
    }
    this.#position++;
    const event = toEvent(wire, `${resumption.number}-${this.#position}`);
    resumption.log.append(resumption.number, this.#position, event);
    this.#write(event);
  }

  keepAlive(): void {
    this.#write(COMMENT);
  }

  release(): void {
    const exchange = this.#exchange;
    this.#disconnect();
    exchange?.end();
  }

  expire(): void {
    if (this.#listener?.onExpired !== undefined) this.#listener.onExpired();
    else {
      this.release();
      this.#listener?.onDisconnect();
    }
  }

  onDisconnect(): void {
    this.#disconnect();
    this.#listener?.onDisconnect();
  }

  #connect(exchange: HttpExchange): void {
    this.#exchange = exchange;
    this.#streams.add(this);
    exchange.watchDisconnect(this);
  }

  #disconnect(): void {
    this.#exchange = undefined;
    this.#streams.delete(this);
  }

  #write(wire: Wire): void {
    if (this.#exchange !== undefined && !this.#exchange.write(wire)) this.onDisconnect();
  }
}

/** The memory that all logs of an endpoint share. */
export interface ReplayBudget {
  used: number;
  readonly max: number;
  /** Called when more than `max` is used. */
  exceeded(): void;
}

interface Entry {
  readonly stream: number;
  readonly position: number;
  readonly wire: Wire;
  readonly size: number;
}

/** A longer log drops its oldest events, however small they are. */
const MAX_ENTRIES = 1000;

/** The latest events of one session, for a client that lost its connection and reconnects. */
export class EventLog {
  readonly #budget: ReplayBudget;
  readonly #maxBytes: number;
  #entries: Entry[] = [];
  bytes = 0;

  constructor(maxBytes: number, budget: ReplayBudget) {
    this.#maxBytes = maxBytes;
    this.#budget = budget;
  }

  append(stream: number, position: number, wire: Wire): void {
    const size = typeof wire === "string" ? wire.length : wire.reduce((sum, part) => sum + part.length, 0);
    this.#entries.push({ stream, position, wire, size });
    this.#count(size);
    let dropped = 0;
    let excess = this.bytes - this.#maxBytes;
    while (dropped < this.#entries.length && (excess > 0 || this.#entries.length - dropped > MAX_ENTRIES)) {
      excess -= this.#entries[dropped]?.size ?? 0;
      dropped++;
    }
    for (const entry of this.#entries.splice(0, dropped)) this.#count(-entry.size);
    if (this.#budget.used > this.#budget.max) this.#budget.exceeded();
  }

  /** The events of a stream after a position; undefined if some of them were dropped, or none was ever kept. */
  after(stream: number, position: number): readonly Wire[] | undefined {
    const events = this.#entries.filter((entry) => entry.stream === stream);
    const first = events[0];
    if (first === undefined || first.position > position + 1) return undefined;
    return events.filter((entry) => entry.position > position).map((entry) => entry.wire);
  }

  clear(): void {
    this.#count(-this.bytes);
    this.#entries = [];
  }

  #count(bytes: number): void {
    this.bytes += bytes;
    this.#budget.used += bytes;
  }
}

/** An empty comment: it keeps proxies from closing an idle stream. */
export const COMMENT = ":\n\n";

/**
 * Formats one message as a server-sent event. JSON contains no raw line breaks, so one `data:` line is enough; our ids
 * contain none either. Clients of the first revision require the event name.
 */
export function toEvent(wire: Wire, id?: string): Wire {
  const start = id === undefined ? "event: message\ndata: " : `event: message\nid: ${id}\ndata: `;
  return surround(start, wire, "\n\n");
}

/** An event without data: its id lets a client resume before the first message; `retry` says when to reconnect. */
export function primingEvent(id: string, retry: number): string {
  return `id: ${id}\nretry: ${retry}\ndata: \n\n`;
}

/** A stream that needs keep-alive comments, and must end when the server stops. */
export interface OpenStream {
  readonly client: CallerMarks;
  keepAlive(): void;
  /** When the permission of its caller ends, in milliseconds since 1970; undefined if it stays open until then. */
  readonly expires: number | undefined;
  /** The permission of its caller has ended. */
  expire(): void;
  /** Ends the connection; a resumable stream can continue over another one. */
  release(): void;
}

/** The open streams of one endpoint. One timer serves all of them, and runs only while a stream is open. */
export class OpenStreams {
  readonly #streams = new Set<OpenStream>();
  readonly #interval: number;
  /** The seconds since 1970 that have a timer. */
  readonly #expiring = new Set<number>();
  readonly #changed: (type: "stream_opened" | "stream_closed") => void;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** `interval` is in milliseconds. */
  constructor(interval: number, changed: (type: "stream_opened" | "stream_closed") => void) {
    this.#interval = interval;
    this.#changed = changed;
  }

  get size(): number {
    return this.#streams.size;
  }

  /** Why a caller cannot open another stream now; undefined if it can. Its share counts once half of the room is taken. */
  refusal(client: CallerMarks, maxStreams: number): RpcError | undefined {
    if (this.size >= maxStreams)
      return new RpcError("busy", `The server is busy: ${maxStreams} streams are open. Try again later.`);
    const share = shareOf(maxStreams);
    if (this.size * 2 < maxStreams || !hasShare(client, share, this.#clients())) return undefined;
    return new ShareError(share, "open streams");
  }

  *#clients(): Iterable<CallerMarks> {
    for (const { client } of this.#streams) yield client;
  }

  add(stream: OpenStream): void {
    this.#streams.add(stream);
    this.#changed("stream_opened");
    this.#timer ??= setInterval(() => this.#keepAlive(), this.#interval);
    if (stream.expires !== undefined) this.#expireAt(stream.expires);
  }

  delete(stream: OpenStream): void {
    if (this.#streams.delete(stream)) this.#changed("stream_closed");
    if (this.#streams.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  releaseAll(): void {
    for (const stream of [...this.#streams]) stream.release();
  }

  /** One timer for all streams whose permission ends in the same second. */
  #expireAt(time: number): void {
    const second = Math.ceil(time / 1000);
    if (this.#expiring.has(second)) return;
    const timer = setTimeout(
      () => {
        this.#expiring.delete(second);
        // A timer cannot wait longer than 24 days.
        if (Date.now() < second * 1000) this.#expireAt(time);
        else this.#expire(second * 1000);
      },
      delayOf(second * 1000 - Date.now()),
    );
    (timer as { unref?: () => void }).unref?.();
    this.#expiring.add(second);
  }

  #expire(now: number): void {
    for (const stream of [...this.#streams]) if (stream.expires !== undefined && stream.expires <= now) stream.expire();
  }

  #keepAlive(): void {
    for (const stream of [...this.#streams]) stream.keepAlive();
  }
}
