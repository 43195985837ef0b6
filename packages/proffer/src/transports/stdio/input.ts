import { RpcError } from "../../protocol/errors.ts";
import { isUtf8 } from "./builtins.ts";

/** How messages are delimited: by newlines, or by a Content-Length header. */
export type Framing = "lines" | "headers";

/** Content-Length and Content-Type start like this; JSON never does. */
const HEADER_START = "content-";
const BLANKS: ReadonlySet<number> = new Set([..."\t\n\r "].map((blank) => blank.charCodeAt(0)));

/**
 * Splits the bytes of stdin into messages. Its work is linear in the number of bytes, however they are chunked, and it
 * buffers at most one chunk and one incomplete message.
 */
export class StdioInput {
  readonly #maxBytes: number;
  readonly #ready: (string | RpcError)[] = [];
  readonly #first = new PendingBytes();
  #taken = 0;
  #framing: Framing = "lines";
  #splitter: Splitter | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The framing of the client's first bytes; responses must use the same. */
  get framing(): Framing {
    return this.#framing;
  }

  /** The framing is broken, and the start of the next message is unknown. */
  get broken(): boolean {
    return this.#splitter?.broken ?? false;
  }

  push(chunk: Buffer): void {
    if (this.#splitter !== undefined) this.#splitter.push(chunk);
    else this.#detect(chunk);
  }

  /** Ends the input: a last line without a newline counts as a message. */
  end(): void {
    if (this.#splitter === undefined) this.#begin("lines", this.#first.take());
    this.#splitter?.end();
  }

  /** The next message, or the error for an invalid one; undefined if there is no complete message. */
  next(): string | RpcError | undefined {
    while (this.#taken < this.#ready.length) {
      const item = this.#ready[this.#taken++];
      if (item !== "" && item !== "\r") return item;
    }
    this.#ready.length = 0;
    this.#taken = 0;
    return undefined;
  }

  /** Detects the framing from the first bytes, which may arrive one by one, after blank lines. */
  #detect(chunk: Buffer): void {
    this.#first.add(chunk);
    const bytes = this.#first.take();
    const start = bytes.findIndex((byte) => !BLANKS.has(byte));
    if (start < 0) return;
    const rest = bytes.subarray(start);
    const word = rest.toString("latin1", 0, HEADER_START.length).toLowerCase();
    if (word === HEADER_START) this.#begin("headers", rest);
    else if (HEADER_START.startsWith(word)) this.#first.add(rest);
    else this.#begin("lines", rest);
  }

  #begin(framing: Framing, bytes: Buffer): void {
    this.#framing = framing;
    const Kind = framing === "headers" ? HeaderSplitter : LineSplitter;
    this.#splitter = new Kind(this.#maxBytes, this.#ready);
    this.#splitter.push(bytes);
  }
}

const NOTHING = Buffer.alloc(0);

/**
 * Buffers the bytes of an incomplete message. The buffer doubles when it is full, so each byte is copied a constant
 * number of times on average, whether a message arrives in two chunks or byte by byte.
 */
class PendingBytes {
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
function decode(bytes: Buffer): string | RpcError {
  return isUtf8(bytes) ? bytes.toString("utf8") : new RpcError("parse_error", "The message is not valid UTF-8.");
}

/** Splits bytes into messages, with an error for each invalid one. */
abstract class Splitter {
  /** The framing is broken, and the start of the next message is unknown. */
  broken = false;
  protected readonly maxBytes: number;
  protected readonly ready: (string | RpcError)[];
  /** The bytes of an incomplete message. */
  protected readonly pending = new PendingBytes();

  constructor(maxBytes: number, ready: (string | RpcError)[]) {
    this.maxBytes = maxBytes;
    this.ready = ready;
  }

  abstract push(chunk: Buffer): void;
  /** Ends the input. */
  abstract end(): void;

  protected refuseLarge(): void {
    this.ready.push(new RpcError("invalid_request", `The message is larger than ${this.maxBytes} bytes.`));
  }
}

const NEWLINE = 10;

/** Splits bytes into lines. A line that is too large gets one error and is skipped up to its newline. */
class LineSplitter extends Splitter {
  #skipping = false;

  override push(chunk: Buffer): void {
    let from = 0;
    if (this.pending.length > 0 || this.#skipping) {
      const newline = chunk.indexOf(NEWLINE);
      this.#keep(newline < 0 ? chunk : chunk.subarray(0, newline));
      if (newline < 0) return;
      this.end();
      this.#skipping = false;
      from = newline + 1;
    }
    const last = chunk.lastIndexOf(NEWLINE);
    if (last > from) this.#decodeLines(chunk.subarray(from, last));
    const rest = Math.max(from, last + 1);
    if (rest < chunk.length) this.#keep(chunk.subarray(rest));
  }

  /** A last line without a newline counts as a message. */
  override end(): void {
    if (this.pending.length > 0) this.ready.push(decode(this.pending.take()));
  }

  /** Decodes whole lines together: one call for a chunk costs less than one for each message. */
  #decodeLines(lines: Buffer): void {
    if (lines.length <= this.maxBytes && isUtf8(lines)) {
      for (const line of lines.toString("utf8").split("\n")) this.ready.push(line);
      return;
    }
    for (let from = 0; from <= lines.length; ) {
      const newline = lines.indexOf(NEWLINE, from);
      const line = lines.subarray(from, newline < 0 ? lines.length : newline);
      if (line.length > this.maxBytes) this.refuseLarge();
      else this.ready.push(decode(line));
      from += line.length + 1;
    }
  }

  #keep(part: Buffer): void {
    if (this.#skipping) return;
    if (this.pending.length + part.length <= this.maxBytes) {
      this.pending.add(part);
      return;
    }
    this.pending.take();
    this.#skipping = true;
    this.refuseLarge();
  }
}

const MAX_HEADER_BYTES = 8 * 1024;
const NO_LENGTH = "Each message requires one Content-Length header with a number of bytes.";

/**
 * Splits bytes into messages with a Content-Length header, as in the Language Server Protocol. After an invalid header,
 * the start of the next message is unknown, so nothing more is read.
 */
class HeaderSplitter extends Splitter {
  #headerBytes = 0;
  /** The length that the header in progress announced. */
  #announced: number | undefined;
  /** The length of the body in progress. */
  #expected: number | undefined;
  /** The bytes of a too large body that remain to be skipped. */
  #skip = 0;

  override push(chunk: Buffer): void {
    let from = 0;
    while (from < chunk.length && !this.broken) {
      if (this.#skip > 0) from = this.#skipBody(chunk, from);
      else if (this.#expected !== undefined) from = this.#readBody(chunk, from, this.#expected);
      else from = this.#readHeaderLine(chunk, from);
    }
  }

  /** An incomplete message is dropped. */
  override end(): void {}

  #skipBody(chunk: Buffer, from: number): number {
    const skipped = Math.min(this.#skip, chunk.length - from);
    this.#skip -= skipped;
    return from + skipped;
  }

  #readBody(chunk: Buffer, from: number, length: number): number {
    const end = Math.min(chunk.length, from + length - this.pending.length);
    const part = chunk.subarray(from, end);
    if (part.length < length) this.pending.add(part);
    if (part.length < length && this.pending.length < length) return end;
    this.ready.push(decode(part.length === length ? part : this.pending.take()));
    this.#expected = undefined;
    return end;
  }

  /** Reads one header line, or the part of it that has arrived; returns the position after it. */
  #readHeaderLine(chunk: Buffer, from: number): number {
    const newline = chunk.indexOf(NEWLINE, from);
    const end = newline < 0 ? chunk.length : newline + 1;
    this.#headerBytes += end - from;
    if (this.#headerBytes > MAX_HEADER_BYTES) {
      this.#break(`The header of a message is longer than ${MAX_HEADER_BYTES} bytes.`);
      return end;
    }
    this.pending.add(chunk.subarray(from, end));
    if (newline < 0) return end;
    const line = this.pending.take().toString("latin1").trimEnd();
    if (line === "") this.#endHeader();
    else this.#readField(line);
    return end;
  }

  #readField(line: string): void {
    const [, name, value = ""] = /^([\w-]+):[ \t]*(.*)$/.exec(line) ?? [];
    if (name === undefined) {
      this.#break("A header line must be a name, a colon and a value; each message requires a Content-Length header.");
    } else if (name.toLowerCase() === "content-length") {
      if (this.#announced !== undefined || !/^\d{1,15}$/.test(value)) this.#break(NO_LENGTH);
      this.#announced = Number(value);
    }
  }

  #endHeader(): void {
    const announced = this.#announced;
    const blank = this.#headerBytes <= "\r\n".length;
    this.#announced = undefined;
    this.#headerBytes = 0;
    if (announced === undefined) {
      // Some clients end a body with a newline that Content-Length does not count; ignore it.
      if (!blank) this.#break(NO_LENGTH);
    } else if (announced > this.maxBytes) {
      this.#skip = announced;
      this.refuseLarge();
    } else if (announced > 0) {
      this.#expected = announced;
    }
  }

  #break(message: string): void {
    this.broken = true;
    this.ready.push(new RpcError("parse_error", message));
  }
}
