const LF = 10;
/** A longer line is not kept whole: whoever writes it could fill the memory. */
const MAX_LINE = 64 * 1024 * 1024;
/** The bytes that are kept of a longer line. */
const MAX_START = 1024;

/** A line of a stream, without its line feed. */
export interface Line {
  /** The whole line, or its start. */
  readonly bytes: Buffer;
  /** The number of bytes on the wire. */
  readonly size: number;
  /** False if the stream ended in the middle. */
  readonly isComplete: boolean;
}

/** Finds the lines of a stream of bytes. */
export class LineReader {
  readonly #found: (line: Line) => void;
  #parts: Buffer[] = [];
  #size = 0;

  constructor(found: (line: Line) => void) {
    this.#found = found;
  }

  add(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      this.#keep(chunk.subarray(start, end));
      this.#end(true);
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
  }

  /** The stream has ended. */
  end(): void {
    if (this.#size > 0) this.#end(false);
  }

  #keep(part: Buffer): void {
    this.#size += part.length;
    if (this.#size <= MAX_LINE) this.#parts.push(part);
    else this.#parts = [Buffer.concat(this.#parts.slice(0, 1)).subarray(0, MAX_START)];
  }

  #end(isComplete: boolean): void {
    const bytes = Buffer.concat(this.#parts);
    const size = this.#size;
    this.#parts = [];
    this.#size = 0;
    this.#found({ bytes, size, isComplete });
  }
}
