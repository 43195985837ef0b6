import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { InvalidParams } from "../../protocol/errors.ts";
import type { Meta } from "../../protocol/model.ts";
import { CallContext } from "../../questions/context.ts";
import type { ResourceContent } from "../../results/content.ts";
import { sliceItems, toLines } from "../../results/slice.ts";
import { room } from "../../support/room.ts";
import type { OpenFile } from "./root.ts";

/** The requested part of a file; the whole file if empty. */
export interface FilePart {
  readonly offset?: number | undefined;
  readonly length?: number | undefined;
  /** The first line, counted from 1. */
  readonly line?: number | undefined;
  readonly lines?: number | undefined;
}

/** The caller of a read; it ends a read that waits for room. */
export interface Reader {
  readonly signal: AbortSignal;
}

const DEFAULT_LINES = 1000;
/** A smaller read does not wait for room. */
const SMALL = 64 * 1024;
const META = "proffer/";

/** The properties of a file that a read needs. */
interface FileInfo {
  readonly path: string;
  /** The media type by file name. */
  readonly type: string | undefined;
  readonly stats: BigIntStats;
  readonly maxBytes: number;
  readonly reader: Reader;
}

/** Reads a file or a part of it, at most `maxBytes`. */
export async function readContent(file: OpenFile, part: FilePart, info: FileInfo): Promise<ResourceContent> {
  const byLine = part.line !== undefined || part.lines !== undefined;
  const byByte = part.offset !== undefined || part.length !== undefined;
  if (byLine && byByte) throw new InvalidParams("Use either offset and length, or line and lines, not both.");
  const { maxBytes, type, path, stats } = info;
  const size = Number(stats.size);
  if (byLine) return withRoom(Math.min(size, maxBytes), info.reader, () => readLines(file, part, info));
  if (!byByte && size > maxBytes) throw tooLarge(path, size, maxBytes);
  const offset = part.offset ?? 0;
  const length = Math.min(part.length ?? maxBytes, maxBytes, Math.max(0, size - offset));
  const bytes = await readBytes(file, offset, length, info.reader);
  const meta: Meta = byByte
    ? { [`${META}offset`]: offset, [`${META}size`]: size, [`${META}more`]: offset + bytes.length < size }
    : { [`${META}sha256`]: digest(stats, bytes) };
  return { ...asTextOrBlob(bytes, type), _meta: meta };
}

/** Reads `length` bytes, or fewer at the end of the file, when there is room for them. */
export function readBytes(file: OpenFile, offset: number, length: number, reader?: Reader): Promise<Buffer> {
  return withRoom(length, reader, () => fill(file, offset, length));
}

/**
 * Runs a read of at most `length` bytes when there is room for its answer, in base64. Otherwise a thousand small
 * requests could make the process allocate a thousand files at once.
 */
async function withRoom<Value>(length: number, reader: Reader | undefined, read: () => Promise<Value>): Promise<Value> {
  if (length < SMALL) return read();
  const reserved = Math.ceil((length * 4) / 3);
  await room.reserve(reserved, reader, reader && CallContext.callerOf(reader));
  try {
    return await read();
  } finally {
    room.release(reserved);
  }
}

async function fill(file: OpenFile, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const count = await file.read(bytes, filled, length - filled, offset + filled);
    // The file was truncated during the read.
    if (count === 0) break;
    filled += count;
  }
  return filled === length ? bytes : bytes.subarray(0, filled);
}

async function readLines(
  file: OpenFile,
  { line = 1, lines = DEFAULT_LINES }: FilePart,
  { maxBytes, type = "text/plain" }: FileInfo,
): Promise<ResourceContent> {
  const all = limitSize(toLines(file.chunks(), maxBytes), line, maxBytes);
  const slice = await sliceItems(all, { offset: line - 1, limit: lines });
  const meta = { [`${META}line`]: line, [`${META}lines`]: slice.items.length, [`${META}more`]: slice.more };
  return { mimeType: type, text: slice.items.map((each) => `${each}\n`).join(""), _meta: meta };
}

/** Throws when the lines from line `from` on exceed the limit of one result. */
async function* limitSize(lines: AsyncIterable<string>, from: number, maxBytes: number): AsyncGenerator<string> {
  let at = 0;
  let size = 0;
  for await (const line of lines) {
    if (++at >= from) size += line.length + 1;
    if (size > maxBytes)
      throw new InvalidParams(`The lines from line ${from} on exceed ${maxBytes} characters. Request fewer lines.`);
    yield line;
  }
}

/** Chooses text or blob by content: a file named .txt that is not UTF-8 is a blob. */
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

/** Caches digests by the file's identity, size and times, so that an unchanged file is hashed once. */
const digests = new Map<string, string>();
const MAX_DIGESTS = 1000;

function digest({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats, bytes: Buffer): string {
  const key = `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
  const known = digests.get(key);
  if (known !== undefined) return known;
  const created = createHash("sha256").update(bytes).digest("hex");
  const [oldest] = digests.keys();
  if (digests.size >= MAX_DIGESTS && oldest !== undefined) digests.delete(oldest);
  digests.set(key, created);
  return created;
}

function tooLarge(path: string, size: number, maxBytes: number): InvalidParams {
  return new InvalidParams(
    `${JSON.stringify(path)} has ${size} bytes; the limit per read is ${maxBytes}. Read a part of it: ?offset=0&length=${maxBytes} or ?line=1&lines=${DEFAULT_LINES}.`,
    { size, limit: maxBytes },
  );
}
