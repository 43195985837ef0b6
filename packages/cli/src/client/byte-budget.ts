import { CommandError } from "../terminal/command-error.ts";

/** Counts the bytes that a server sends during one command: one endless message and endless messages cost the same. */
export class ByteBudget {
  readonly #max: number;
  #spent = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Begins anew: a connection that stays open has the budget for each of its requests. */
  renew(): void {
    this.#spent = 0;
  }

  /** Yields the chunks of a stream. @throws {CommandError} beyond the limit. */
  async *meter(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.#spent += chunk.length;
      if (this.#spent > this.#max) {
        throw new CommandError(
          `The server sent more than ${this.#max} bytes. If you expect this, raise the limit with --max-bytes.`,
        );
      }
      yield chunk;
    }
  }
}
