import { createRequire } from "node:module";
import path from "node:path";
import { double } from "./numbers";

/** Names the folder of the module. */
export function where(): { folder: string; file: string } {
  return { folder: path.basename(import.meta.dirname), file: path.basename(import.meta.filename) };
}

/** Reads the version. */
export function version(): string {
  const { version } = createRequire(import.meta.url)("./package.json") as { version: string };
  return version;
}

/** Doubles. */
export function twice(n: number): number {
  return double(n);
}
