import type { RpcError } from "../../protocol/errors.ts";
import { HeaderSplitter } from "./headers.ts";
import { LineSplitter } from "./lines.ts";
import { PendingBytes, type Splitter } from "./splitter.ts";

/** How the client marks where a message ends: by a newline, or by a header that tells the length. */
export type Framing = "lines" | "headers";

/** No JSON begins like this; a header that tells a length or a type does. */
const HEADER_START = "content-";
const BLANKS: ReadonlySet<number> = new Set([..."\t\n\r "].map((blank) => blank.charCodeAt(0)));

/**
 * Makes messages of the bytes of stdin. Its work is linear in the number of bytes however they are chunked, and what
 * it holds is no more than what is left of one chunk and one message that is not complete.
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

  /** What the client's first bytes tell; answers must have the same framing. */
  get framing(): Framing {
    return this.#framing;
  }

  /** The bytes make no sense any more, and there is nowhere to go on from. */
  get broken(): boolean {
    return this.#splitter?.broken ?? false;
  }

  push(chunk: Buffer): void {
    if (this.#splitter !== undefined) this.#splitter.push(chunk);
    else this.#detect(chunk);
  }

  /** There will be no more bytes: a last line without a newline counts as a message. */
  end(): void {
    if (this.#splitter === undefined) this.#begin("lines", this.#first.take());
    this.#splitter?.end();
  }

  /** The next message; an error where something arrived that is none; undefined when all was taken. */
  next(): string | RpcError | undefined {
    while (this.#taken < this.#ready.length) {
      const item = this.#ready[this.#taken++];
      if (item !== "" && item !== "\r") return item;
    }
    this.#ready.length = 0;
    this.#taken = 0;
    return undefined;
  }

  /** The first bytes tell the framing. They may come one by one, after blank lines. */
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
