import { CommandError, WrongUsage } from "../terminal/command-error.ts";

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

/** `JSON.stringify` and other recursive functions handle this many levels. */
const MAX_DEPTH = 512;
/** A message within the limit in bytes could still create more objects than fit in memory. */
const MAX_ITEMS = 2_000_000;

const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;

/** Returns the problem with the size of a JSON text, before it is parsed. */
export function findOversize(text: string): string | undefined {
  let depth = 0;
  let items = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
    } else if (code === COMMA) {
      if (++items > MAX_ITEMS) return `has more than ${MAX_ITEMS} items`;
      // The brackets are 0x5b, 0x5d, 0x7b and 0x7d.
    } else if ((code | 0x20) === 0x7b) {
      items++;
      if (++depth > MAX_DEPTH) return `has more than ${MAX_DEPTH} levels`;
    } else if ((code | 0x20) === 0x7d) depth--;
  }
  return undefined;
}

/** Returns the index of the closing quote, or the length of the text. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}
