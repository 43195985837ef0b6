import { RpcError } from "../../protocol/errors.ts";
import { isUtf8 } from "./builtins.ts";

/** Splits bytes into messages, with an error for each invalid one. */
export interface Splitter {
  /** The framing is broken, and the start of the next message is unknown. */
  readonly broken: boolean;
  push(chunk: Buffer): void;
  /** Ends the input. */
  end(): void;
}

const NOTHING = Buffer.alloc(0);

/**
 * Buffers the bytes of an incomplete message. The buffer doubles when it is full, so each byte is copied a constant
 * number of times on average, whether a message arrives in two chunks or byte by byte.
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

  /** Returns and clears the buffered bytes. */
  take(): Buffer {
    const all = this.#buffer.subarray(0, this.#length);
    this.#buffer = NOTHING;
    this.#length = 0;
    return all;
  }
}

/** Decodes a complete message. */
export function decode(bytes: Buffer): string | RpcError {
  return isUtf8(bytes) ? bytes.toString("utf8") : new RpcError("parse_error", "The message is not valid UTF-8.");
}

export function tooLarge(maxBytes: number): RpcError {
  return new RpcError("invalid_request", `The message is larger than ${maxBytes} bytes.`);
}
