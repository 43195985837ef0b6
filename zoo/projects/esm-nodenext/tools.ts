import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { double } from "./lib/numbers.js";
import sizes from "./sizes.json" with { type: "json" };

const start = await Promise.resolve(2);

/** Doubles a size. */
export function size(name: "small" | "large"): { size: number; file: string } {
  return { size: double(sizes[name]) * start, file: basename(fileURLToPath(import.meta.url)) };
}
