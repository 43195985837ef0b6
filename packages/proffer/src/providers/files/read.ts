import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { InvalidParams } from "../../protocol/errors.ts";
import type { Meta } from "../../protocol/model.ts";
import type { ResourceContent } from "../../results/content.ts";
import { sliceItems, toLines } from "../../results/slice.ts";
import type { OpenFile } from "./open-file.ts";

/** Which part of a file is wanted; all of it if nothing is given. */
export interface FilePart {
  readonly offset?: number | undefined;
  readonly length?: number | undefined;
  /** The first line, counted from 1. */
  readonly line?: number | undefined;
  readonly lines?: number | undefined;
}

const LINES = 1000;
const META = "proffer/";

/** What must be known of a file to read it. */
interface Readable {
  readonly path: string;
  /** What its name says that it is. */
  readonly type: string | undefined;
  readonly stats: BigIntStats;
  readonly maxBytes: number;
}

/** Reads a file, or a part of it, and never more than `maxBytes`. */
export async function readContent(held: OpenFile, part: FilePart, file: Readable): Promise<ResourceContent> {
  const byLine = part.line !== undefined || part.lines !== undefined;
  const byByte = part.offset !== undefined || part.length !== undefined;
  if (byLine && byByte) throw new InvalidParams("Give offset and length, or line and lines, but not both.");
  if (byLine) return readLines(held, part, file);
  const { maxBytes, type, path, stats } = file;
  const size = Number(stats.size);
  if (!byByte && size > maxBytes) throw tooLarge(path, size, maxBytes);
  const offset = part.offset ?? 0;
  const bytes = await readBytes(held, offset, Math.min(part.length ?? maxBytes, maxBytes, Math.max(0, size - offset)));
  const meta: Meta = byByte
    ? { [`${META}offset`]: offset, [`${META}size`]: size, [`${META}more`]: offset + bytes.length < size }
    : { [`${META}sha256`]: digest(stats, bytes) };
  return { ...asTextOrBlob(bytes, type), _meta: meta };
}

/** Reads so many bytes, or fewer where the file has fewer. */
export async function readBytes(file: OpenFile, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const count = await file.read(bytes, filled, length - filled, offset + filled);
    // It became shorter while it was read.
    if (count === 0) break;
    filled += count;
  }
  return filled === length ? bytes : bytes.subarray(0, filled);
}

async function readLines(
  held: OpenFile,
  { line = 1, lines = LINES }: FilePart,
  { maxBytes, type = "text/plain" }: Readable,
): Promise<ResourceContent> {
  const all = bounded(toLines(held.chunks(), maxBytes), line, maxBytes);
  const slice = await sliceItems(all, { offset: line - 1, limit: lines });
  const meta = { [`${META}line`]: line, [`${META}lines`]: slice.items.length, [`${META}more`]: slice.more };
  return { mimeType: type, text: slice.items.map((each) => `${each}\n`).join(""), _meta: meta };
}

/** Ends with a refusal when the lines from a given one on are too much for one answer. */
async function* bounded(lines: AsyncIterable<string>, from: number, maxBytes: number): AsyncGenerator<string> {
  let at = 0;
  let size = 0;
  for await (const line of lines) {
    if (++at >= from) size += line.length + 1;
    if (size > maxBytes)
      throw new InvalidParams(`Line ${from} and the following have more than ${maxBytes} characters; ask for fewer.`);
    yield line;
  }
}

/** The content decides: a text that is one is text, anything else a blob, whatever the name says. */
function asTextOrBlob(bytes: Buffer, type: string | undefined): ResourceContent {
  const isText = isUtf8(bytes) && !bytes.includes(0);
  if (isText && (type === undefined || isTextType(type))) {
    return { mimeType: type ?? "text/plain", text: bytes.toString("utf8") };
  }
  const mimeType = type === undefined || isTextType(type) ? "application/octet-stream" : type;
  return { mimeType, blob: bytes };
}

function isTextType(type: string): boolean {
  return (
    type.startsWith("text/") || /[/+](?:json|jsonl|xml|yaml|toml|sql|javascript|x-sh|rtf|x-ndjson|graphql)$/.test(type)
  );
}

/** Digests of files as they were when they were last read: as long as nothing about a file changes, it need not be read again. */
const digests = new Map<string, string>();
const MAX_DIGESTS = 1000;

function digest({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats, bytes: Buffer): string {
  const key = `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
  const known = digests.get(key);
  if (known !== undefined) return known;
  const made = createHash("sha256").update(bytes).digest("hex");
  const [oldest] = digests.keys();
  if (digests.size >= MAX_DIGESTS && oldest !== undefined) digests.delete(oldest);
  digests.set(key, made);
  return made;
}

function tooLarge(path: string, size: number, maxBytes: number): InvalidParams {
  return new InvalidParams(
    `${JSON.stringify(path)} has ${size} bytes; at most ${maxBytes} are read at once. Read a part of it: ?offset=0&length=${maxBytes} or ?line=1&lines=${LINES}.`,
    { size, limit: maxBytes },
  );
}
