import { ConnectionError } from "proffer/client";
import { WrongUsage } from "../terminal/command-error.ts";

/** The limits of the responses that one command accepts from a server. */
export interface ClientLimits {
  /** The time for the server's responses, in seconds; 0 means no limit. */
  readonly timeout: number;
  /** The bytes of all messages. */
  readonly maxBytes: number;
}

export interface LimitFlags {
  readonly timeout?: string;
  readonly maxBytes?: string;
}

/** Node's `fetch` ends a response after the same time of silence. */
export const DEFAULT_TIMEOUT = 300;
export const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;
/** The longest timer of Node, in seconds. */
const LONGEST_TIMEOUT = 2_147_483;
/** Node cannot create a longer string. */
const LARGEST_MESSAGE = 500_000_000;

/** @throws {WrongUsage} for an invalid value. */
export function toLimits({ timeout, maxBytes }: LimitFlags): ClientLimits {
  return {
    timeout: timeout === undefined ? DEFAULT_TIMEOUT : parse("--timeout", timeout, 0, LONGEST_TIMEOUT),
    maxBytes: maxBytes === undefined ? DEFAULT_MAX_BYTES : parse("--max-bytes", maxBytes, 1, LARGEST_MESSAGE),
  };
}

function parse(flag: string, value: string, min: number, max: number): number {
  const number = Number(value);
  if (/^\d+$/.test(value) && number >= min && number <= max) return number;
  throw new WrongUsage(`Invalid value of ${flag}: ${JSON.stringify(value)}. Use a number from ${min} to ${max}.`);
}

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

  /** Yields the chunks of a stream. @throws {ConnectionError} beyond the limit. */
  readonly meter = (chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> => this.#count(chunks);

  async *#count(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.#spent += chunk.length;
      if (this.#spent > this.#max) {
        throw new ConnectionError(
          "malformed",
          `The server sent more than ${this.#max} bytes. If you expect this, raise the limit with --max-bytes.`,
        );
      }
      yield chunk;
    }
  }
}
