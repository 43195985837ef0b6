import { relative } from "node:path";

/** Names files for the page, relative to the project. A file outside of it, as in a monorepo, begins with `..`. */
export function toFileNames(files: readonly string[], project: string): string[] {
  return files.map((file) => relative(project, file).replaceAll("\\", "/"));
}
