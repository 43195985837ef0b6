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

/** Returns the text of an emitted file with its source map inlined, for files that are not written to disk. */
export function inlineMap({ text, map }: EmittedFile): string {
  if (map === undefined) return text;
  const data = Buffer.from(map).toString("base64");
  return text.replace(/(?<=\/\/# sourceMappingURL=)[^\n]*\n$/, `data:application/json;base64,${data}\n`);
}

/**
 * Sets `import.meta` in emitted files to the location of their sources, so that a module finds data files beside it.
 * Not for `proffer build`, whose output runs elsewhere.
 */
export function atSource({ entry, files }: Emission): Emission {
  return { entry, files: files.map((file) => ({ ...file, text: placeAtSource(file) })) };
}

function placeAtSource({ source, text }: EmittedFile): string {
  if (!text.includes("import.meta")) return text;
  const place = { url: pathToFileURL(source).href, filename: source, dirname: dirname(source) };
  // On the first line, so that the lines of the source map stay correct.
  return `Object.assign(import.meta, ${JSON.stringify(place)}); ${text}`;
}
