import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { ContentBlock, ResourceContents } from "proffer";

/** File extensions of common media types. Other types get the extension "bin". */
const EXTENSIONS: { readonly [type: string]: string } = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/svg+xml": "svg",
  "audio/wav": "wav",
  "audio/mpeg": "mp3",
  "audio/ogg": "ogg",
  "application/pdf": "pdf",
  "application/json": "json",
};

/** Formats a content block as text. Binary data is saved to a file, and its path is shown. */
export function showBlock(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return plain(block.text);
    case "image":
    case "audio":
      return save(block.data, block.mimeType);
    case "resource_link":
      return plain(`${block.uri} (${block.name})`);
    case "resource":
      return showContents(block.resource as ResourceContents);
  }
}

/** Formats the contents of a resource. */
export function showContents(contents: ResourceContents): string {
  const { text, blob, mimeType } = contents as { text?: string; blob?: string; mimeType?: string };
  if (text !== undefined) return plain(text);
  return blob === undefined ? "" : save(blob, mimeType);
}

let folder: string | undefined;
let saved = 0;

function save(base64: string, mimeType = "application/octet-stream"): string {
  folder ??= mkdtempSync(join(tmpdir(), "proffer-"));
  saved += 1;
  const extension = Object.hasOwn(EXTENSIONS, mimeType) ? EXTENSIONS[mimeType] : "bin";
  const path = join(folder, `${saved}.${extension}`);
  writeFileSync(path, Buffer.from(base64, "base64"));
  return path;
}

/** Removes control sequences from a server's text on a terminal. In a pipe the text is data and stays unchanged. */
function plain(text: string): string {
  return process.stdout.isTTY ? stripVTControlCharacters(text) : text;
}
