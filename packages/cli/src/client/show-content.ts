import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { ContentBlock, ResourceContents } from "proffer";

/** File name endings of what tools are likely to give; anything else is saved as it is. */
const ENDINGS: { readonly [type: string]: string } = {
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

/** A piece of content as text. What is not text is saved, and its path shown. */
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

/** What a read gave. */
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
  const ending = Object.hasOwn(ENDINGS, mimeType) ? ENDINGS[mimeType] : "bin";
  const path = join(folder, `${saved}.${ending}`);
  writeFileSync(path, Buffer.from(base64, "base64"));
  return path;
}

/** On a terminal, what a server sends must stay text; in a pipe it is data and left alone. */
function plain(text: string): string {
  return process.stdout.isTTY ? stripVTControlCharacters(text) : text;
}
