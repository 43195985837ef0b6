import { type OpenFile, openFile } from "../files/open-file.ts";

/** A line of a file that is not blank. */
export interface Line {
  /** Counted from 1, blank lines included. */
  readonly number: number;
  /** Undefined for a line that is too long to be read. */
  readonly text: string | undefined;
}

/** A part of the lines of a file. */
export interface LinePage {
  readonly lines: readonly Line[];
  readonly more: boolean;
}

/** Where the lines of a file stand: every so many of them. */
interface Checkpoint {
  readonly position: number;
  /** How many lines, and how many that are not blank, stand before. */
  readonly lines: number;
  readonly rows: number;
}

const CHUNK = 64 * 1024;
/** So far apart that a million rows need a thousand of them. */
const STEP = 1000;
const NEWLINE = 10;

/**
 * Pages through files of lines without reading more than it must: a first read goes through a file up to the page, and
 * remembers on the way where to start the next time.
 */
export class LineReader {
  readonly #maxLineBytes: number;
  readonly #open: OpenLines;
  readonly #known = new Map<string, Checkpoint[]>();

  constructor(maxLineBytes: number, open: OpenLines = openAnywhere) {
    this.#maxLineBytes = maxLineBytes;
    this.#open = open;
  }

  /** Some rows of a file; undefined if there is no such file. */
  async read(file: string, offset: number, limit: number): Promise<LinePage | undefined> {
    const held = await this.#open(file);
    if (held === undefined) return undefined;
    try {
      const stats = held.stat();
      if (!stats.isFile()) return undefined;
      // A file that grew at its end has the same beginning; any other change makes another file of it.
      const checkpoints = this.#checkpoints(`${stats.dev} ${stats.ino} ${stats.birthtimeNs}`);
      const start = await this.#startOf(held, checkpoints, offset);
      return await this.#page(held, start, checkpoints, offset, limit);
    } finally {
      held.close();
    }
  }

  #checkpoints(key: string): Checkpoint[] {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const [oldest] = this.#known.keys();
    if (this.#known.size >= MAX_FILES && oldest !== undefined) this.#known.delete(oldest);
    const made: Checkpoint[] = [];
    this.#known.set(key, made);
    return made;
  }

  /** The last checkpoint before the offset behind which a line still begins; all of them are forgotten otherwise. */
  async #startOf(held: OpenFile, checkpoints: Checkpoint[], offset: number): Promise<Checkpoint> {
    const start = checkpoints.findLast(({ rows }) => rows <= offset);
    if (start === undefined) return START;
    const before = Buffer.alloc(1);
    const count = await held.read(before, 0, 1, start.position - 1);
    if (count === 1 && before[0] === NEWLINE) return start;
    checkpoints.length = 0;
    return START;
  }

  async #page(
    held: OpenFile,
    start: Checkpoint,
    checkpoints: Checkpoint[],
    offset: number,
    limit: number,
  ): Promise<LinePage> {
    const lines: Line[] = [];
    let { lines: number, rows } = start;
    for await (const { bytes, position } of splitLines(held, start.position, this.#maxLineBytes)) {
      if (rows % STEP === 0 && rows > (checkpoints.at(-1)?.rows ?? 0))
        checkpoints.push({ position, lines: number, rows });
      number++;
      if (bytes !== undefined && isBlank(bytes)) continue;
      if (rows++ < offset) continue;
      if (lines.length === limit) return { lines, more: true };
      lines.push({ number, text: bytes?.toString("utf8").replace(/\r$/, "") });
    }
    return { lines, more: false };
  }
}

/** Opens a file for reading; undefined if there is none. */
export type OpenLines = (path: string) => Promise<OpenFile | undefined>;

async function openAnywhere(path: string): Promise<OpenFile | undefined> {
  try {
    return await openFile(path);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

const MAX_FILES = 1000;
const START: Checkpoint = { position: 0, lines: 0, rows: 0 };

interface RawLine {
  /** Undefined for a line that is too long. */
  readonly bytes: Buffer | undefined;
  /** Where in the file it begins. */
  readonly position: number;
}

/** The lines of a file from a position on; of one that is too long, no more than a chunk is held. */
async function* splitLines(held: OpenFile, from: number, maxLineBytes: number): AsyncGenerator<RawLine> {
  let position = from;
  let begun: Buffer[] = [];
  let length = 0;
  for (let at = from; ; ) {
    const chunk = Buffer.allocUnsafe(CHUNK);
    const bytesRead = await held.read(chunk, 0, CHUNK, at);
    if (bytesRead === 0) break;
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1 && end < bytesRead; end = chunk.indexOf(NEWLINE, start)) {
      length += end - start;
      begun.push(chunk.subarray(start, end));
      yield { bytes: length > maxLineBytes ? undefined : Buffer.concat(begun), position };
      position += length + 1;
      begun = [];
      length = 0;
      start = end + 1;
    }
    length += bytesRead - start;
    if (length > maxLineBytes) begun = [];
    else begun.push(chunk.subarray(start, bytesRead));
    at += bytesRead;
  }
  if (length > 0) yield { bytes: length > maxLineBytes ? undefined : Buffer.concat(begun), position };
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 32 || byte === 13 || byte === 9);
}
