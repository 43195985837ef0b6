import { crc32, deflateRawSync } from "node:zlib";

/** A file of an archive. */
export interface ZipEntry {
  /** With forward slashes. */
  readonly path: string;
  readonly content: Uint8Array;
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const VERSION = 20;
/** Names are UTF-8. */
const FLAGS = 0x0800;
const DEFLATED = 8;
const STORED = 0;
/** 1 January 1980, the earliest date of the format: an archive must not depend on the time of its creation. */
const DATE = 0x0021;
/** Made on Unix, a regular file with the mode 644. */
const MADE_BY = (3 << 8) | VERSION;
const ATTRIBUTES = (0o100644 << 16) >>> 0;

/**
 * Writes a ZIP archive (APPNOTE 6.3.3, without ZIP64) of files, sorted by name, without entries for folders. The same
 * files give the same bytes.
 */
export function writeZip(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  const sorted = [...entries].sort((a, b) => (a.path < b.path ? -1 : 1));
  for (const { path, content } of sorted) {
    const name = Buffer.from(path);
    const deflated = deflateRawSync(content, { level: 9 });
    const isSmaller = deflated.length < content.length;
    const data = isSmaller ? deflated : Buffer.from(content);
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(VERSION, 0);
    shared.writeUInt16LE(FLAGS, 2);
    shared.writeUInt16LE(isSmaller ? DEFLATED : STORED, 4);
    shared.writeUInt16LE(DATE, 8);
    shared.writeUInt32LE(crc32(content), 10);
    shared.writeUInt32LE(data.length, 14);
    shared.writeUInt32LE(content.length, 18);
    shared.writeUInt16LE(name.length, 22);
    const local = [toBytes(LOCAL, 4), shared, name, data];
    const place = Buffer.alloc(14);
    place.writeUInt32LE(ATTRIBUTES, 6);
    place.writeUInt32LE(offset, 10);
    directory.push(toBytes(CENTRAL, 4), toBytes(MADE_BY, 2), shared, place, name);
    for (const part of local) {
      parts.push(part);
      offset += part.length;
    }
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(END, 0);
  end.writeUInt16LE(sorted.length, 8);
  end.writeUInt16LE(sorted.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, central, end]);
}

function toBytes(value: number, size: 2 | 4): Buffer {
  const bytes = Buffer.alloc(size);
  bytes.writeUIntLE(value, 0, size);
  return bytes;
}
