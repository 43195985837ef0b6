import type { DisconnectListener, HttpExchange } from "../../transports/http/exchange.ts";
import { STREAM_HEADERS } from "../../transports/http/http-error.ts";
import type { OpenStream, OpenStreams } from "../../transports/http/open-streams.ts";
import type { ClientIdentity } from "../../transports/http/shares.ts";
import { COMMENT } from "../../transports/http/sse.ts";
import type { StreamEvent } from "./events.ts";

/** One connection over which a client receives the events of a stream, each once and in order. */
export class Delivery implements OpenStream, DisconnectListener {
  readonly client: ClientIdentity;
  /** The place of the last event that was written. */
  place: number;
  readonly #exchange: HttpExchange;
  readonly #streams: OpenStreams;
  readonly #isStanding: boolean;
  readonly #onEnd: (delivery: Delivery) => void;
  #isOpen = true;

  /** `onEnd` is called when the client disconnects, not after `release`. */
  constructor(
    exchange: HttpExchange,
    streams: OpenStreams,
    client: ClientIdentity,
    { place, isStanding, onEnd }: { place: number; isStanding: boolean; onEnd: (delivery: Delivery) => void },
  ) {
    this.#exchange = exchange;
    this.#streams = streams;
    this.client = client;
    this.place = place;
    this.#isStanding = isStanding;
    this.#onEnd = onEnd;
    exchange.open(STREAM_HEADERS);
    streams.add(this);
    exchange.watchDisconnect(this);
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get expires(): number | undefined {
    return this.#isStanding ? this.#exchange.principal?.expires : undefined;
  }

  /** Writes the events that were not written yet; false if some before them are missing. */
  deliver(events: readonly StreamEvent[]): boolean {
    for (const { place, text, final } of events) {
      if (place <= this.place) continue;
      if (place > this.place + 1) return false;
      if (text !== "" && !this.write(text)) return true;
      this.place = place;
      if (final) this.release();
    }
    return true;
  }

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
    if (!this.#isOpen) return;
    this.#close();
    this.#exchange.end();
  }

  onDisconnect(): void {
    if (!this.#isOpen) return;
    this.#close();
    this.#onEnd(this);
  }

  #close(): void {
    this.#isOpen = false;
    this.#streams.delete(this);
  }
}
