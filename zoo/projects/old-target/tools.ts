import { basename } from "node:path";
import { greet } from "./lib";

/** Greets a file. */
export async function hello(path: string, times = 1): Promise<string[]> {
  return Array(times).fill(greet(basename(path)));
}
