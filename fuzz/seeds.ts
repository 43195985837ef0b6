import { existsSync, readFileSync } from "node:fs";

/** Returns the kept cases of a target: each is the list of the arguments of its property. */
export function readSeeds(target: string): [][] {
  const file = new URL(`./seeds/${target}.json`, import.meta.url);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
}
