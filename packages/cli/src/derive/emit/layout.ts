import { dirname, relative, sep } from "node:path";

/** The output paths of the author's files: the same tree, relative to their common directory. */
export interface Layout {
  /** The common directory. */
  readonly root: string;
  /** Returns the output path of a file, with forward slashes; undefined for a file that is not emitted. */
  outputOf(file: string): string | undefined;
}

/** @param beside - other files that keep their place relative to the author's. */
export function createLayout(files: readonly string[], beside: readonly string[] = []): Layout {
  const root = commonDirectory([...files, ...beside]);
  const outputs = new Map(files.map((file) => [file, toJavaScript(toPosix(relative(root, file)))] as const));
  return { root, outputOf: (file) => outputs.get(file) };
}

/** Converts a path to forward slashes, as specifiers and source maps need it. */
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
