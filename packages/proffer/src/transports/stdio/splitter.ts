import { isUtf8 } from "node:buffer";
import { RpcError } from "../../protocol/errors.ts";

/** Splits bytes into the texts of messages, with an error where something arrived that is none. */
export interface Splitter {
  /** The bytes make no sense any more, and there is nowhere to go on from. */
  readonly broken: boolean;
  push(chunk: Buffer): void;
  /** There will be no more bytes. */
  end(): void;
}

const NOTHING = Buffer.alloc(0);

/**
 * The bytes of a message that has not arrived as a whole. The buffer doubles when it is full, so that each byte is
 * copied a fixed number of times on average, whether a message comes in two chunks or byte by byte.
 */
export class PendingBytes {
  #buffer: Buffer = NOTHING;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(part: Buffer): void {
    const needed = this.#length + part.length;
    if (needed > this.#buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(needed, 2 * this.#buffer.length));
      this.#buffer.copy(grown, 0, 0, this.#length);
      this.#buffer = grown;
    }
    part.copy(this.#buffer, this.#length);
    this.#length = needed;
  }

  /** All that was added, which is then forgotten. */
  take(): Buffer {
    const all = this.#buffer.subarray(0, this.#length);
    this.#buffer = NOTHING;
    this.#length = 0;
    return all;
  }
}

/** The text of a whole message. */
export function decode(bytes: Buffer): string | RpcError {
  return isUtf8(bytes) ? bytes.toString("utf8") : new RpcError("parse_error", "The message is not valid UTF-8.");
}

export function tooLarge(maxBytes: number): RpcError {
  return new RpcError("invalid_request", `The message is larger than ${maxBytes} bytes.`);
}
