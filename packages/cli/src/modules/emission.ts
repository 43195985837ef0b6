import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Emission, EmittedFile } from "../derive/index.ts";

/** The permissions of new folders and files, of which the umask may remove more. */
export interface Modes {
  readonly folder: number;
  readonly file: number;
}

/** Writes emitted files and their source maps into a folder. */
export function writeEmission(
  folder: string,
  { files }: Emission,
  modes: Modes = { folder: 0o777, file: 0o666 },
): void {
  for (const { path, text, map } of files) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true, mode: modes.folder });
    writeFileSync(target, text, { mode: modes.file });
    if (map !== undefined) writeFileSync(`${target}.map`, map, { mode: modes.file });
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
export function atSource({ files, ...rest }: Emission): Emission {
  return { ...rest, files: files.map((file) => ({ ...file, text: placeAtSource(file) })) };
}

function placeAtSource({ source, text }: EmittedFile): string {
  if (!text.includes("import.meta")) return text;
  const place = { url: pathToFileURL(source).href, filename: source, dirname: dirname(source) };
  // On the first line, so that the lines of the source map stay correct.
  return `Object.assign(import.meta, ${JSON.stringify(place)}); ${text}`;
}
