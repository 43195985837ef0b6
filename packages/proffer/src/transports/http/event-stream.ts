import type { Wire } from "../../protocol/messages.ts";
import type { EventLog } from "./event-log.ts";
import type { DisconnectListener, HttpExchange } from "./exchange.ts";
import { STREAM_HEADERS } from "./http-error.ts";
import type { OpenStream, OpenStreams } from "./open-streams.ts";
import type { ClientIdentity } from "./shares.ts";
import { COMMENT, primingEvent, toEvent } from "./sse.ts";

/** Makes a stream resumable after a lost connection. */
export interface Resumption {
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
  readonly client: ClientIdentity;
  readonly #streams: OpenStreams;
  readonly #resumption: Resumption | undefined;
  readonly #listener: DisconnectListener | undefined;
  /** Whether it ends with the permission of its caller; a call in flight may finish. */
  readonly #isStanding: boolean;
  #exchange: HttpExchange | undefined;
  #position = 0;

  constructor(
    streams: OpenStreams,
    client: ClientIdentity,
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
