import type { Wire } from "../../protocol/messages.ts";
import type { EventLog } from "./event-log.ts";
import type { DisconnectListener, HttpExchange } from "./exchange.ts";
import { STREAM_HEADERS } from "./http-error.ts";
import type { OpenStream, OpenStreams } from "./open-streams.ts";
import { COMMENT, primingEvent, toEvent } from "./sse.ts";

/** What makes a stream one that its client can come back to. */
export interface Resumption {
  readonly log: EventLog;
  /** The stream's number in its session. */
  readonly number: number;
  /** Begin with an event that has only an id. */
  readonly primed: boolean;
}

/** After how many milliseconds a client whose stream ended too early should come back. */
const RETRY = 1000;

/**
 * A stream of messages to one client. With a `Resumption` it outlives its connection: what is sent while the client is
 * away is kept, and goes out when the client comes back.
 */
export class EventStream implements OpenStream, DisconnectListener {
  readonly #streams: OpenStreams;
  readonly #resumption: Resumption | undefined;
  readonly #departure: DisconnectListener | undefined;
  #exchange: HttpExchange | undefined;
  #place = 0;

  constructor(streams: OpenStreams, resumption?: Resumption, departure?: DisconnectListener) {
    this.#streams = streams;
    this.#resumption = resumption;
    this.#departure = departure;
  }

  get connected(): boolean {
    return this.#exchange !== undefined;
  }

  /** The number of the last event. */
  get place(): number {
    return this.#place;
  }

  /** Answers a request with this stream. */
  open(exchange: HttpExchange): void {
    exchange.open(STREAM_HEADERS);
    if (this.#resumption?.primed) exchange.write(primingEvent(`${this.#resumption.number}-${this.#place}`, RETRY));
    this.#connect(exchange);
  }

  /** Goes on over another connection, after what the client has missed. */
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
    this.#place++;
    const event = toEvent(wire, `${resumption.number}-${this.#place}`);
    resumption.log.append(resumption.number, this.#place, event);
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

  onDisconnect(): void {
    this.#disconnect();
    this.#departure?.onDisconnect();
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
