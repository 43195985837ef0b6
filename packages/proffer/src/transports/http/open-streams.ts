import { delayOf } from "../../calls/timeout.ts";
import { RpcError } from "../../protocol/errors.ts";
import type { HttpLimits } from "./options.ts";
import { type ClientIdentity, isSameClient, ShareError } from "./shares.ts";

type StreamLimits = Pick<HttpLimits, "maxStreams" | "maxStreamsPerClient">;

/** A stream that needs keep-alive comments, and must end when the server stops. */
export interface OpenStream {
  readonly client: ClientIdentity;
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

  /** Why a client cannot open another stream now; undefined if it can. Its share counts once half of the room is taken. */
  refusal(client: ClientIdentity, limits: StreamLimits): RpcError | undefined {
    const { maxStreams, maxStreamsPerClient } = limits;
    if (this.size >= maxStreams)
      return new RpcError("busy", `The server is busy: ${maxStreams} streams are open. Try again later.`);
    if (this.size * 2 < maxStreams || this.#count(client) < maxStreamsPerClient) return undefined;
    return new ShareError(maxStreamsPerClient, "open streams");
  }

  #count(client: ClientIdentity): number {
    let count = 0;
    for (const stream of this.#streams) if (isSameClient(stream.client, client)) count++;
    return count;
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
