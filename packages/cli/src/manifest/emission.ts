import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Emission, EmittedFile } from "../derive/index.ts";

/** Writes emitted files into a folder. */
export function writeEmission(folder: string, { files }: Emission): void {
  for (const { path, text } of files) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
}

/**
 * Makes emitted files believe that they are where their sources are: a module that reads a file beside itself finds
 * it. Not for what is built to be run elsewhere.
 */
export function atSource({ entry, files }: Emission): Emission {
  return { entry, files: files.map((file) => ({ ...file, text: placeAtSource(file) })) };
}

function placeAtSource({ source, text }: EmittedFile): string {
  if (!text.includes("import.meta")) return text;
  const place = { url: pathToFileURL(source).href, filename: source, dirname: dirname(source) };
  // On the first line, so that source maps stay right.
  return `Object.assign(import.meta, ${JSON.stringify(place)}); ${text}`;
}
