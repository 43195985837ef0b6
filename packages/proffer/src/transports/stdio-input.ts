import { isUtf8 } from "node:buffer";
import { RpcError } from "../protocol/errors.ts";

/** Takes what was split off the bytes of stdin. */
export interface InputHandler {
  /** The client's framing is known; what is sent from now on must have the same. */
  framing(framing: Framing): void;
  message(text: string): void;
  /** Something arrived that is no message; what follows it is read on. */
  fault(error: RpcError): void;
  /** The bytes make no sense any more: there is nowhere to go on from. */
  broken(error: RpcError): void;
}

/** How the client marks where a message ends: by a newline, or by a header that tells the length. */
export type Framing = "lines" | "headers";

const NEWLINE = 10;
const MAX_HEADER_BYTES = 8 * 1024;

/**
 * Splits the bytes of stdin into messages, in time linear in their number however they are chunked. The client's
 * first bytes tell its framing: JSON starts with a bracket, a header with a letter.
 */
export class StdioInput {
  #framing: Framing | undefined;
  readonly #handler: InputHandler;
  readonly #maxBytes: number;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** Bytes of a message that is too large, still to be thrown away; Infinity for the rest of a line. */
  #skip = 0;
  /** The length that a header announced. */
  #expected: number | undefined;

  constructor(handler: InputHandler, maxBytes: number) {
    this.#handler = handler;
    this.#maxBytes = maxBytes;
  }

  push(chunk: Buffer): void {
    if (this.#framing === undefined) {
      this.#framing = detectFraming(chunk);
      if (this.#framing !== undefined) this.#handler.framing(this.#framing);
    }
    if (this.#framing === "headers") this.#pushFramed(chunk);
    else this.#pushLines(chunk);
  }

  /** The input has ended: a last line without a newline counts as a message. */
  end(): void {
    if (this.#framing !== "headers" && this.#pendingBytes > 0) this.#decode(this.#takePending());
  }

  #pushLines(chunk: Buffer): void {
    let from = 0;
    if (this.#skip > 0) {
      const newline = chunk.indexOf(NEWLINE);
      if (newline < 0) return;
      this.#skip = 0;
      from = newline + 1;
    }
    const last = chunk.lastIndexOf(NEWLINE);
    if (last >= from) {
      if (this.#pendingBytes > 0) {
        const first = chunk.indexOf(NEWLINE, from);
        this.#keep(chunk.subarray(from, first));
        if (this.#skip === 0) this.#decode(this.#takePending());
        this.#skip = 0;
        from = first + 1;
      }
      if (from < last) this.#decode(chunk.subarray(from, last));
      from = last + 1;
    }
    if (from < chunk.length) this.#keep(chunk.subarray(from));
  }

  /** Whole lines, decoded together: one call for a chunk costs less than one for each message. */
  #decode(lines: Buffer): void {
    if (!isUtf8(lines)) {
      this.#decodeEach(lines);
      return;
    }
    const text = lines.toString("utf8");
    let from = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
      this.#emit(text.slice(from, end));
      from = end + 1;
    }
    this.#emit(from === 0 ? text : text.slice(from));
  }

  #decodeEach(lines: Buffer): void {
    let from = 0;
    while (from <= lines.length) {
      const newline = lines.indexOf(NEWLINE, from);
      const line = lines.subarray(from, newline < 0 ? lines.length : newline);
      if (isUtf8(line)) this.#emit(line.toString("utf8"));
      else this.#handler.fault(new RpcError("parse_error", "The message is not valid UTF-8."));
      from = newline < 0 ? lines.length + 1 : newline + 1;
    }
  }

  #emit(line: string): void {
    if (line !== "" && line !== "\r") this.#handler.message(line);
  }

  #keep(part: Buffer): void {
    this.#pending.push(part);
    this.#pendingBytes += part.length;
    if (this.#pendingBytes <= this.#maxBytes) return;
    this.#takePending();
    this.#skip = Number.POSITIVE_INFINITY;
    this.#handler.fault(this.#tooLarge());
  }

  #takePending(): Buffer {
    const [only] = this.#pending;
    const whole = this.#pending.length === 1 && only !== undefined ? only : Buffer.concat(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    return whole;
  }

  #pushFramed(chunk: Buffer): void {
    if (this.#skip >= chunk.length) {
      this.#skip -= chunk.length;
      return;
    }
    this.#pending.push(chunk.subarray(this.#skip));
    this.#pendingBytes += chunk.length - this.#skip;
    this.#skip = 0;
    // Waiting for the rest of a body must not join what is there each time.
    while (this.#pendingBytes > 0 && this.#pendingBytes >= (this.#expected ?? 0)) {
      const bytes = this.#takePending();
      const used = this.#expected === undefined ? this.#readHeader(bytes) : this.#readBody(bytes, this.#expected);
      if (used === undefined) return;
      if (used < bytes.length) {
        this.#pending.push(bytes.subarray(used));
        this.#pendingBytes = bytes.length - used;
      }
      if (used === 0) return;
    }
  }

  /** How many bytes the header took; 0 if it is not complete, undefined if it cannot be one. */
  #readHeader(bytes: Buffer): number | undefined {
    const head = bytes.toString("latin1", 0, MAX_HEADER_BYTES);
    const blank = /\r?\n\r?\n/.exec(head);
    if (blank === null) {
      if (bytes.length < MAX_HEADER_BYTES) return 0;
      return this.#break("The header of a message has no end.");
    }
    const length = /^content-length:[ \t]*(\d{1,15})[ \t]*\r?$/im.exec(head.slice(0, blank.index));
    if (length === null) return this.#break("A header needs a line Content-Length: with a number of bytes.");
    const used = blank.index + blank[0].length;
    const announced = Number(length[1]);
    if (announced <= this.#maxBytes) {
      this.#expected = announced;
      return used;
    }
    this.#handler.fault(this.#tooLarge());
    const there = Math.min(announced, bytes.length - used);
    this.#skip = announced - there;
    return used + there;
  }

  #readBody(bytes: Buffer, length: number): number {
    this.#expected = undefined;
    this.#decodeEach(bytes.subarray(0, length));
    return length;
  }

  #break(message: string): undefined {
    this.#handler.broken(new RpcError("parse_error", message));
  }

  #tooLarge(): RpcError {
    return new RpcError("invalid_request", `The message is larger than ${this.#maxBytes} bytes.`);
  }
}

function detectFraming(chunk: Buffer): Framing | undefined {
  const first = chunk.find((byte) => byte > 32);
  if (first === undefined) return undefined;
  const letter = String.fromCharCode(first).toLowerCase();
  return letter === "c" ? "headers" : "lines";
}
