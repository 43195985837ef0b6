import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { EmissionData } from "./emission-hooks.ts";
import { digestOf } from "./stamp.ts";
import { checkFolder, isReplaceable, readTrusted, type Trust } from "./trust.ts";

type EmittedText = { readonly path: string; readonly text: string };

/** Digests of emitted files, by path. */
export type EmittedDigests = { readonly [path: string]: string };

export function digestEmitted(files: readonly EmittedText[]): EmittedDigests {
  return Object.fromEntries(files.map(({ path, text }) => [path, digestOf(text)]));
}

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
