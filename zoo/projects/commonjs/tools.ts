import path from "node:path";
import { double } from "./numbers";

/** Names the folder of the module. */
export function where(): { folder: string; file: string } {
  return { folder: path.basename(__dirname), file: path.basename(__filename) };
}

/** Reads the version. */
export function version(): string {
  const { version } = require("./package.json") as { version: string };
  return version;
}

/** Doubles. */
export function twice(n: number): number {
  return double(n);
}
