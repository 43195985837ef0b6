import { Memo } from "../../support/memo.ts";
import { type OpenFile, openFile } from "../files/root.ts";

/** A non-blank line of a file. */
export interface Line {
  /** The line number, from 1, counting blank lines. */
  readonly number: number;
  /** Undefined for a line over the length limit. */
  readonly text: string | undefined;
}

/** A page of lines. */
export interface LinePage {
  readonly lines: readonly Line[];
  readonly more: boolean;
}

/** A known line start in a file, one every `STEP` rows. */
interface Checkpoint {
  readonly position: number;
  /** The number of lines, and of non-blank lines, before it. */
  readonly lines: number;
  readonly rows: number;
}

/** Rows between checkpoints: a million rows need a thousand checkpoints. */
const STEP = 1000;
const NEWLINE = 10;
/** The files whose checkpoints are known. */
const MAX_FILES = 1000;

/**
 * Reads pages of lines without reading the whole file. The first read scans the file up to the page and records
 * checkpoints, from which later reads start.
 */
export class LineReader {
  readonly #maxLineBytes: number;
  readonly #open: OpenLines;
  readonly #checkpoints = new Memo<Checkpoint[]>(() => [], MAX_FILES);

  constructor(maxLineBytes: number, open: OpenLines = openAnywhere) {
    this.#maxLineBytes = maxLineBytes;
    this.#open = open;
  }

  /** Reads rows of a file; undefined if the file does not exist. */
  async read(path: string, offset: number, limit: number): Promise<LinePage | undefined> {
    const file = await this.#open(path);
    if (file === undefined) return undefined;
    try {
      const stats = file.stat();
      if (!stats.isFile()) return undefined;
      // The key omits size and mtime: appending keeps the checkpoints valid. #startOf detects other changes.
      const checkpoints = this.#checkpoints.get(`${stats.dev} ${stats.ino} ${stats.birthtimeNs}`);
      const start = await this.#startOf(file, checkpoints, offset);
      return await this.#page(file, start, checkpoints, offset, limit);
    } finally {
      file.close();
    }
  }

  /** Returns the last checkpoint before the offset. Clears all checkpoints if no line starts there any more. */
  async #startOf(file: OpenFile, checkpoints: Checkpoint[], offset: number): Promise<Checkpoint> {
    const start = checkpoints.findLast(({ rows }) => rows <= offset);
    if (start === undefined) return START;
    const before = Buffer.alloc(1);
    const count = await file.read(before, 0, 1, start.position - 1);
    if (count === 1 && before[0] === NEWLINE) return start;
    checkpoints.length = 0;
    return START;
  }

  async #page(
    file: OpenFile,
    start: Checkpoint,
    checkpoints: Checkpoint[],
    offset: number,
    limit: number,
  ): Promise<LinePage> {
    const lines: Line[] = [];
    let { lines: number, rows } = start;
    for await (const { bytes, position } of splitLines(file, start.position, this.#maxLineBytes)) {
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

/** Opens a file for reading; undefined if it does not exist. */
export type OpenLines = (path: string) => Promise<OpenFile | undefined>;

async function openAnywhere(path: string): Promise<OpenFile | undefined> {
  try {
    return await openFile(path);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

const START: Checkpoint = { position: 0, lines: 0, rows: 0 };

interface RawLine {
  /** Undefined for a line over the length limit. */
  readonly bytes: Buffer | undefined;
  /** Its start in the file, in bytes. */
  readonly position: number;
}

/** Yields the lines of a file from a position on. Of a line over the limit, at most one chunk is buffered. */
async function* splitLines(file: OpenFile, from: number, maxLineBytes: number): AsyncGenerator<RawLine> {
  let position = from;
  let pending: Buffer[] = [];
  let length = 0;
  for await (const chunk of file.chunks(from)) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      length += end - start;
      pending.push(chunk.subarray(start, end));
      yield { bytes: length > maxLineBytes ? undefined : Buffer.concat(pending), position };
      position += length + 1;
      pending = [];
      length = 0;
      start = end + 1;
    }
    length += chunk.length - start;
    if (length > maxLineBytes) pending = [];
    else pending.push(chunk.subarray(start));
  }
  if (length > 0) yield { bytes: length > maxLineBytes ? undefined : Buffer.concat(pending), position };
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 32 || byte === 13 || byte === 9);
}
