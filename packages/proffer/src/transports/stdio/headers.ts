import { RpcError } from "../../protocol/errors.ts";
import { decode, PendingBytes, type Splitter, tooLarge } from "./splitter.ts";

const NEWLINE = 10;
const MAX_HEADER_BYTES = 8 * 1024;
const NO_LENGTH = "Each message requires one Content-Length header with a number of bytes.";

/**
 * Splits bytes into messages with a Content-Length header, as in the Language Server Protocol. After an invalid header,
 * the start of the next message is unknown, so nothing more is read.
 */
export class HeaderSplitter implements Splitter {
  broken = false;
  readonly #maxBytes: number;
  readonly #ready: (string | RpcError)[];
  /** The incomplete header line or body. */
  readonly #pending = new PendingBytes();
  #headerBytes = 0;
  /** The length that the header in progress announced. */
  #announced: number | undefined;
  /** The length of the body in progress. */
  #expected: number | undefined;
  /** The bytes of a too large body that remain to be skipped. */
  #skip = 0;

  constructor(maxBytes: number, ready: (string | RpcError)[]) {
    this.#maxBytes = maxBytes;
    this.#ready = ready;
  }

  push(chunk: Buffer): void {
    let from = 0;
    while (from < chunk.length && !this.broken) {
      if (this.#skip > 0) from = this.#skipBody(chunk, from);
      else if (this.#expected !== undefined) from = this.#readBody(chunk, from, this.#expected);
      else from = this.#readHeaderLine(chunk, from);
    }
  }

  /** An incomplete message is dropped. */
  end(): void {}

  #skipBody(chunk: Buffer, from: number): number {
    const skipped = Math.min(this.#skip, chunk.length - from);
    this.#skip -= skipped;
    return from + skipped;
  }

  #readBody(chunk: Buffer, from: number, length: number): number {
    const end = Math.min(chunk.length, from + length - this.#pending.length);
    const part = chunk.subarray(from, end);
    if (part.length < length) this.#pending.add(part);
    if (part.length < length && this.#pending.length < length) return end;
    this.#ready.push(decode(part.length === length ? part : this.#pending.take()));
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
    this.#pending.add(chunk.subarray(from, end));
    if (newline < 0) return end;
    const line = this.#pending.take().toString("latin1").trimEnd();
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
    } else if (announced > this.#maxBytes) {
      this.#skip = announced;
      this.#ready.push(tooLarge(this.#maxBytes));
    } else if (announced > 0) {
      this.#expected = announced;
    }
  }

  #break(message: string): void {
    this.broken = true;
    this.#ready.push(new RpcError("parse_error", message));
  }
}
