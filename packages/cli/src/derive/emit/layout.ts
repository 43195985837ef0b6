import { dirname, relative, sep } from "node:path";

/** Where the JavaScript of each of the author's files goes: the same tree, from their common directory on. */
export interface Layout {
  /** The emitted path of a file, with forward slashes; undefined for a file that is not emitted. */
  outputOf(file: string): string | undefined;
}

export function createLayout(files: readonly string[]): Layout {
  const root = commonDirectory(files);
  const outputs = new Map(files.map((file) => [file, toJavaScript(toPosix(relative(root, file)))] as const));
  return { outputOf: (file) => outputs.get(file) };
}

/** A relative path as specifiers and source maps write it. */
export function toPosix(path: string): string {
  return sep === "/" ? path : path.replaceAll(sep, "/");
}

function toJavaScript(path: string): string {
  return path.replace(/\.([cm]?)[jt]sx?$/, ".$1js");
}

function commonDirectory(files: readonly string[]): string {
  let common = dirname(files[0] ?? ".");
  for (const file of files) {
    while (relative(common, file).startsWith("..")) common = dirname(common);
  }
  return common;
}
