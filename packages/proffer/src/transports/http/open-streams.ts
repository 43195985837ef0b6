/** Something that stays open: it wants to be kept alive, and ended when the server stops. */
export interface OpenStream {
  keepAlive(): void;
  /** Ends the connection; what belongs to it may go on. */
  release(): void;
}

/** The streams that are open at one endpoint. One timer serves them all, and runs only while there are any. */
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
