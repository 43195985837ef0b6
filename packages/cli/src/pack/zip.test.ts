import { inflateRawSync } from "node:zlib";
import { expect, it } from "vitest";
import { writeZip } from "./zip.ts";

/** Reads an archive by its central directory. */
function readZip(archive: Buffer): Map<string, string> {
  const end = archive.length - 22;
  expect(archive.readUInt32LE(end)).toBe(0x06054b50);
  const files = new Map<string, string>();
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    expect(archive.readUInt32LE(at)).toBe(0x02014b50);
    const nameLength = archive.readUInt16LE(at + 28);
    const name = archive.toString("utf8", at + 46, at + 46 + nameLength);
    const local = archive.readUInt32LE(at + 42);
    const start = local + 30 + archive.readUInt16LE(local + 26);
    const data = archive.subarray(start, start + archive.readUInt32LE(at + 20));
    files.set(name, (archive.readUInt16LE(at + 10) === 8 ? inflateRawSync(data) : data).toString("utf8"));
    at += 46 + nameLength;
  }
  return files;
}

const files = [
  { path: "später/ß.txt", content: Buffer.from("a".repeat(1000)) },
  { path: "empty", content: Buffer.alloc(0) },
  { path: "b.txt", content: Buffer.from("x") },
];

it("writes an archive that contains the files, sorted, with names in UTF-8", () => {
  const read = readZip(writeZip(files));
  expect([...read]).toEqual([
    ["b.txt", "x"],
    ["empty", ""],
    ["später/ß.txt", "a".repeat(1000)],
  ]);
});

it("writes the same bytes for the same files in any order", () => {
  expect(writeZip([...files].reverse()).equals(writeZip(files))).toBe(true);
});
