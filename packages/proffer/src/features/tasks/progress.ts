import { truncateText } from "../../results/truncate.ts";

/** Milliseconds between two writes of the status. */
const INTERVAL = 1000;
/** In characters. */
const MAX_MESSAGE = 1000;

/** Writes the latest message of a run, at most once a second. */
export class ProgressWriter {
  /** The last message that was reported. */
  latest: string | undefined;
  readonly #write: (message: string) => Promise<void>;
  #written = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(write: (message: string) => Promise<void>) {
    this.#write = write;
  }

  report(message: string): void {
    this.latest = truncateText(message, MAX_MESSAGE);
    if (this.#timer !== undefined) return;
    const wait = this.#written + INTERVAL - Date.now();
    if (wait <= 0) {
      this.#flush();
      return;
    }
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#flush();
    }, wait);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #flush(): void {
    this.#written = Date.now();
    // A message that cannot be written is replaced by the next one.
    this.#write(this.latest as string).catch(() => {});
  }
}
