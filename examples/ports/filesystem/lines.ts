import { type FileHandle, open, stat } from "node:fs/promises";
import { StringDecoder } from "node:string_decoder";

const CHUNK = 64 * 1024;
const NEWLINE = 10;

/** Returns the first lines of a file, and reads no more of it than that. */
export async function firstLines(path: string, wanted: number): Promise<string> {
  const count = Math.ceil(wanted);
  const file = await open(path);
  try {
    const decoder = new StringDecoder("utf8");
    let text = "";
    for (let position = 0; newlinesIn(text) < count; ) {
      const bytes = await readAt(file, position, CHUNK);
      if (bytes.length === 0) return withoutLast((text + decoder.end()).split("\n"), count);
      position += bytes.length;
      text += decoder.write(bytes);
    }
    return text.split("\n").slice(0, count).join("\n");
  } finally {
    await file.close();
  }
}

/** Returns the last lines of a file, and reads no more of it than that. */
export async function lastLines(path: string, count: number): Promise<string> {
  let { size: position } = await stat(path);
  const file = await open(path);
  try {
    const chunks: Buffer[] = [];
    let newlines = 0;
    while (position > 0 && newlines < count) {
      const size = Math.min(CHUNK, position);
      position -= size;
      const bytes = await readAt(file, position, size);
      if (bytes.length === 0) break;
      chunks.unshift(bytes);
      newlines += bytes.filter((byte) => byte === NEWLINE).length;
    }
    return unifyNewlines(Buffer.concat(chunks).toString("utf8")).split("\n").slice(-count).join("\n");
  } finally {
    await file.close();
  }
}

export function unifyNewlines(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

async function readAt(file: FileHandle, position: number, size: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, position);
  return buffer.subarray(0, bytesRead);
}

function newlinesIn(text: string): number {
  return text.split("\n").length - 1;
}

/** A file that ends with a newline has no line after it. */
function withoutLast(lines: readonly string[], count: number): string {
  const all = lines.at(-1) === "" ? lines.slice(0, -1) : lines;
  return all.slice(0, count).join("\n");
}
