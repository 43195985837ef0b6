import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ContentBlock, ResourceContents } from "proffer";
import { currentShell } from "../terminal/shell.ts";
import { prettyJson, type Styles, stylesFor } from "../terminal/terminal.ts";
import { Text, text } from "../terminal/text.ts";

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

/** Where contents are shown. */
export interface Place {
  /** In a pipe, text is data and stays unchanged. */
  readonly isTerminal: boolean;
  /** Indents the lines after the first on a terminal. */
  readonly indent?: string;
  /** Formats JSON on a terminal. */
  readonly styles?: Styles;
}

/** Returns the place of a result on stdout. */
export function resultPlace(indent = ""): Place {
  const { stdout } = currentShell();
  const isTerminal = stdout.isTTY === true;
  return { isTerminal, indent, ...(isTerminal && { styles: stylesFor(stdout) }) };
}

/** Formats a content block as text. Binary data is saved to a file, and its path is shown. */
export function showBlock(block: ContentBlock, place: Place): Text {
  switch (block.type) {
    case "text":
      return showText(block.text, place);
    case "image":
    case "audio":
      return save(block.data, block.mimeType);
    case "resource_link":
      return text`${block.uri} (${block.name ?? ""})`;
    case "resource":
      return showContents(block.resource as ResourceContents, place);
    default:
      return Text.json(block);
  }
}

/** Formats the contents of a resource. */
export function showContents(contents: ResourceContents, place: Place): Text {
  const { text: value, blob, mimeType } = contents as { text?: unknown; blob?: unknown; mimeType?: string | null };
  if (typeof value === "string") return showText(value, place);
  return typeof blob === "string" ? save(blob, mimeType) : text``;
}

function showText(value: string, { isTerminal, indent, styles }: Place): Text {
  const pretty = styles && prettyJson(value, styles, indent);
  return pretty ?? Text.contents(value, isTerminal, indent);
}

let folder: string | undefined;
let saved = 0;

function save(base64: string, mimeType: string | null | undefined): Text {
  folder ??= mkdtempSync(join(tmpdir(), "proffer-"));
  saved += 1;
  const extension = mimeType && Object.hasOwn(EXTENSIONS, mimeType) ? EXTENSIONS[mimeType] : "bin";
  const path = join(folder, `${saved}.${extension}`);
  writeFileSync(path, Buffer.from(base64, "base64"));
  return text`${path}`;
}
