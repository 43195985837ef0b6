import { readFileSync } from "node:fs";

const { exports } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

/** The public entries of the package, by the names of their files in `src`. Some are internal. */
export const ENTRIES: readonly string[] = Object.keys(exports)
  .filter((subpath) => !["./built", "./derived", "./flags", "./process", "./package.json"].includes(subpath))
  .map((subpath) => (subpath === "." ? "index" : subpath.slice(2)));
