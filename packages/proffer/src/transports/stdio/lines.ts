import type { RpcError } from "../../protocol/errors.ts";
import { isUtf8 } from "./builtins.ts";
import { decode, PendingBytes, type Splitter, tooLarge } from "./splitter.ts";

const NEWLINE = 10;

/** Splits bytes into lines. A line that is too large gets one error and is skipped up to its newline. */
export class LineSplitter implements Splitter {
  readonly broken = false;
  readonly #maxBytes: number;
  readonly #ready: (string | RpcError)[];
  readonly #pending = new PendingBytes();
  #skipping = false;

  constructor(maxBytes: number, ready: (string | RpcError)[]) {
    this.#maxBytes = maxBytes;
    this.#ready = ready;
  }

  push(chunk: Buffer): void {
    let from = 0;
    if (this.#pending.length > 0 || this.#skipping) {
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
  end(): void {
    if (this.#pending.length > 0) this.#ready.push(decode(this.#pending.take()));
  }

  /** Decodes whole lines together: one call for a chunk costs less than one for each message. */
  #decodeLines(lines: Buffer): void {
    if (lines.length <= this.#maxBytes && isUtf8(lines)) {
      for (const line of lines.toString("utf8").split("\n")) this.#ready.push(line);
      return;
    }
    for (let from = 0; from <= lines.length; ) {
      const newline = lines.indexOf(NEWLINE, from);
      const line = lines.subarray(from, newline < 0 ? lines.length : newline);
      this.#ready.push(line.length > this.#maxBytes ? tooLarge(this.#maxBytes) : decode(line));
      from += line.length + 1;
    }
  }

  #keep(part: Buffer): void {
    if (this.#skipping) return;
    if (this.#pending.length + part.length <= this.#maxBytes) {
      this.#pending.add(part);
      return;
    }
    this.#pending.take();
    this.#skipping = true;
    this.#ready.push(tooLarge(this.#maxBytes));
  }
}
