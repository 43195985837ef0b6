import { isUtf8 } from "node:buffer";
import { Lanes } from "../clients/lanes.ts";
import { recordClients } from "../clients/record-clients.ts";
import type { WireRecord } from "../record/record.ts";
import { type Line, LineReader } from "./line-reader.ts";

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
