import { isUtf8 } from "node:buffer";
import { Lanes, recordClients } from "./lanes.ts";
import type { WireRecord } from "./record.ts";

/** Records the messages of one client and the server behind a relay, from the bytes of both directions. */
export class TapRecorder {
  readonly #out: LineReader;
  readonly #in: LineReader;
  readonly #close: () => void;

  constructor(record: WireRecord) {
    const lanes = new Lanes(recordClients(record));
    const lane = lanes.create("stdio");
    this.#out = new LineReader((line) => read(line, (text, note) => lanes.received(lane, text, undefined, note)));
    this.#in = new LineReader((line) => read(line, (text, note) => lanes.sent(lane, text, undefined, note)));
    this.#close = () => lanes.closed(lane);
  }

  sent(chunk: Buffer): void {
    this.#out.add(chunk);
  }

  received(chunk: Buffer): void {
    this.#in.add(chunk);
  }

  end(): void {
    this.#out.end();
    this.#in.end();
    this.#close();
  }
}

/** A blank line is no message. */
function read(line: Line, add: (text: string, note: string | undefined) => void): void {
  const text = line.bytes.toString();
  if (text.trim() !== "") add(text, noteOf(line));
}

/** Says what the text does not show. */
function noteOf({ bytes, size, isComplete }: Line): string | undefined {
  if (bytes.length < size) return `too long to record: the first of ${size} bytes`;
  if (!isComplete) return "the stream ended before the line feed";
  return isUtf8(bytes) ? undefined : "not UTF-8";
}

const LF = 10;
/** A longer line is not kept whole: whoever writes it could fill the memory. */
const MAX_LINE = 64 * 1024 * 1024;
/** The bytes that are kept of a longer line. */
const MAX_START = 1024;

/** A line of a stream, without its line feed. */
interface Line {
  /** The whole line, or its start. */
  readonly bytes: Buffer;
  /** The number of bytes on the wire. */
  readonly size: number;
  /** False if the stream ended in the middle. */
  readonly isComplete: boolean;
}

/** Finds the lines of a stream of bytes. */
class LineReader {
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
