import { mkdirSync, writeFileSync } from "node:fs";
import NodeModule, { register } from "node:module";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Module } from "proffer/derived";
import type { Emission, EmittedFile } from "../derive/index.ts";
import type { EmissionData } from "./emission-hooks.ts";
import { importModule } from "./import-module.ts";
import { digestOf } from "./inputs.ts";
import { checkFolder, isReplaceable, readTrusted, type Trust } from "./trust.ts";

/**
 * Writes emitted files and their source maps into a folder.
 * @param modes - the permissions of new folders and files, of which the umask may remove more
 */
export function writeEmission(folder: string, { files }: Emission, modes = { folder: 0o777, file: 0o666 }): void {
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
 * Sets `import.meta`, or the names of CommonJS, to the location of the sources, so that a module finds data files beside it.
 * Not for `proffer build`, whose output runs elsewhere.
 */
export function atSource({ files, ...rest }: Emission): Emission {
  return { ...rest, files: files.map((file) => ({ ...file, text: placeAtSource(file) })) };
}

function placeAtSource({ path, source, text }: EmittedFile): string {
  if (path.endsWith(".cjs") && /\b__(?:dir|file)name\b/.test(text)) {
    const place = `__filename = ${JSON.stringify(source)}; __dirname = ${JSON.stringify(dirname(source))};`;
    // The directive must stay first.
    return text.replace(/^(?:#![^\n]*\n)?(?:"use strict";)?/, (start) => `${start} ${place} `);
  }
  if (!text.includes("import.meta")) return text;
  const place = { url: pathToFileURL(source).href, filename: source, dirname: dirname(source) };
  // On the first line, so that the lines of the source map stay correct.
  return `Object.assign(import.meta, ${JSON.stringify(place)}); ${text}`;
}

type EmittedText = { readonly path: string; readonly text: string };

/** Digests of emitted files, by path. */
type EmittedDigests = { readonly [path: string]: string };

/**
 * Reads the emitted files in a folder.
 * @throws {UntrustedError} if somebody else could have written one. @throws if one is missing or was modified.
 */
export function readEmitted(root: string, emitted: EmittedDigests, trust: Trust): EmittedText[] {
  const paths = Object.keys(emitted);
  for (const folder of foldersOf(paths)) checkFolder(join(root, folder), trust);
  return paths.map((path) => {
    const content = readTrusted(join(root, path), trust);
    if (digestOf(content) !== emitted[path]) throw new Error(`${join(root, path)} was modified`);
    return { path, text: content.toString("utf8") };
  });
}

/**
 * Reports whether Node must run the texts that were checked instead of reading the files again. CommonJS files are
 * always imported by path: Node cannot run one from memory that requires an ES module.
 */
export function mustPin(project: string, emitted: EmittedDigests, trust: Trust): boolean {
  return !Object.keys(emitted).some((path) => path.endsWith(".cjs")) && isReplaceable(project, trust);
}

/** Returns the texts by the URLs of their files. */
export function textsAt(root: string, files: readonly EmittedText[]): EmissionData {
  return Object.fromEntries(files.map(({ path, text }) => [pathToFileURL(join(root, path)).href, text]));
}

/** Returns the folders of relative paths, from "." downwards. */
function foldersOf(paths: readonly string[]): Set<string> {
  const folders = new Set<string>();
  for (const path of paths) {
    for (let folder = dirname(path); !folders.has(folder); folder = dirname(folder)) folders.add(folder);
  }
  return folders;
}

/**
 * Imports emitted files from memory, whatever is on disk at their URLs.
 * @param file - the module's name in messages.
 * @throws {CommandError} with the stack trace if the module throws.
 */
export function importEmission(file: string, url: string, data: EmissionData): Promise<Module> {
  register("#emission-hooks", import.meta.url, { data });
  if (Object.keys(data).some((each) => each.endsWith(".cjs"))) resolveRequires(data);
  return importModule(file, url);
}

type ResolveFilename = (request: string, parent?: { readonly filename?: string }, ...rest: unknown[]) => string;

/** The hooks provide the text of a file that CommonJS requires, but Node first looks for the file on disk. */
function resolveRequires(data: EmissionData): void {
  const loader = NodeModule as unknown as { _resolveFilename: ResolveFilename };
  const onDisk = loader._resolveFilename;
  loader._resolveFilename = (request, parent, ...rest) => {
    if (parent?.filename && /^\.\.?\//.test(request)) {
      const path = resolve(dirname(parent.filename), request);
      if (Object.hasOwn(data, pathToFileURL(path).href)) return path;
    }
    return onDisk(request, parent, ...rest);
  };
}
