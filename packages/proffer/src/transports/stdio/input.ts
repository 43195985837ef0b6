import type { RpcError } from "../../protocol/errors.ts";
import { HeaderSplitter } from "./headers.ts";
import { LineSplitter } from "./lines.ts";
import { PendingBytes, type Splitter } from "./splitter.ts";

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
