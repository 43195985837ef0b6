import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { pathToFileURL } from "node:url";
import { audio, type Content, embed, image } from "proffer";

/** A file as the protocol carries it. */
export type Media =
  | { type: "image" | "audio"; data: string; mimeType: string }
  | { type: "resource"; resource: { uri: string; mimeType?: string; blob: string } };

const TYPES: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".bmp": "image/bmp",
  ".svg": "image/svg+xml",
  ".mp3": "audio/mpeg",
  ".wav": "audio/wav",
  ".ogg": "audio/ogg",
  ".flac": "audio/flac",
};

/** Reads a file. Clients show images and play audio; for other types the protocol has only embedded resources. */
export async function readMedia(path: string): Promise<Media> {
  const mimeType = TYPES[extname(path).toLowerCase()] ?? "application/octet-stream";
  const data = await readFile(path, "base64");
  const [type] = mimeType.split("/");
  if (type === "image" || type === "audio") return { type, data, mimeType };
  return { type: "resource", resource: { uri: pathToFileURL(path).href, mimeType, blob: data } };
}

/** Returns the same file for the model to see. */
export function toContent(media: Media): Content {
  if (media.type === "resource") return embed(media.resource);
  return media.type === "image" ? image(media.data, media.mimeType) : audio(media.data, media.mimeType);
}
