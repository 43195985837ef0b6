import { isUtf8 } from "node:buffer";
import { createLanes, recordClients } from "./lanes.ts";
import type { WireRecord } from "./record.ts";

/** Records the messages of one client and the server behind a relay, from the bytes of both directions. */
export function recordRelay(record: WireRecord) {
  const lanes = createLanes(recordClients(record));
  const lane = lanes.create("stdio");
  const readerOf = (direction: "received" | "sent") =>
    createLineReader((line) => {
      const text = line.bytes.toString();
      // A blank line is no message.
      if (text.trim() !== "") lanes[direction](lane, text, undefined, noteOf(line));
    });
  const [out, back] = [readerOf("received"), readerOf("sent")];
  return {
    sent: (chunk: Buffer) => out.add(chunk),
    received: (chunk: Buffer) => back.add(chunk),
    end() {
      out.end();
      back.end();
      lanes.closed(lane);
    },
  };
}

/** Notes a fact that the text does not show. */
function noteOf({ bytes, size, isComplete }: Line): string | undefined {
  if (bytes.length < size) return `too long to record: the first of ${size} bytes`;
  if (!isComplete) return "the stream ended before the line feed";
  return isUtf8(bytes) ? undefined : "not UTF-8";
}

const LF = 10;
/** A longer line is not kept whole: it could fill the memory. */
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

/** Creates a reader that finds the lines of a stream of bytes. */
export function createLineReader(found: (line: Line) => void) {
  let parts: Buffer[] = [];
  let size = 0;

  function keep(part: Buffer): void {
    size += part.length;
    if (size <= MAX_LINE) parts.push(part);
    else parts = [Buffer.concat(parts.slice(0, 1)).subarray(0, MAX_START)];
  }

  function endLine(isComplete: boolean): void {
    const line = { bytes: Buffer.concat(parts), size, isComplete };
    parts = [];
    size = 0;
    found(line);
  }

  return {
    add(chunk: Buffer): void {
      let start = 0;
      for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
        keep(chunk.subarray(start, end));
        endLine(true);
        start = end + 1;
      }
      keep(chunk.subarray(start));
    },
    /** The stream has ended. */
    end(): void {
      if (size > 0) endLine(false);
    },
  };
}
