import { type ClientIdentity, isSameClient } from "./shares.ts";

/** A stream that needs keep-alive comments, and must end when the server stops. */
export interface OpenStream {
  readonly client: ClientIdentity;
  keepAlive(): void;
  /** Ends the connection; a resumable stream can continue over another one. */
  release(): void;
}

/** The open streams of one endpoint. One timer serves all of them, and runs only while a stream is open. */
export class OpenStreams {
  readonly #streams = new Set<OpenStream>();
  readonly #interval: number;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** `interval` is in milliseconds. */
  constructor(interval: number) {
    this.#interval = interval;
  }

  get size(): number {
    return this.#streams.size;
  }

  /** The number of streams of one client. */
  count(client: ClientIdentity): number {
    let count = 0;
    for (const stream of this.#streams) if (isSameClient(stream.client, client)) count++;
    return count;
  }

  add(stream: OpenStream): void {
    this.#streams.add(stream);
    this.#timer ??= setInterval(() => this.#keepAlive(), this.#interval);
  }

  delete(stream: OpenStream): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  releaseAll(): void {
    for (const stream of [...this.#streams]) stream.release();
  }

  #keepAlive(): void {
    for (const stream of [...this.#streams]) stream.keepAlive();
  }
}
