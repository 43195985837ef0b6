import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Emission, EmittedFile } from "../derive/index.ts";

/** Writes emitted files and their source maps into a folder. */
export function writeEmission(folder: string, { files }: Emission): void {
  for (const { path, text, map } of files) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
    if (map !== undefined) writeFileSync(`${target}.map`, map);
  }
}

/** The text of an emitted file with its source map in it, for one that has no place on a disk. */
export function inlineMap({ text, map }: EmittedFile): string {
  if (map === undefined) return text;
  const data = Buffer.from(map).toString("base64");
  return text.replace(/(?<=\/\/# sourceMappingURL=)[^\n]*\n$/, `data:application/json;base64,${data}\n`);
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
