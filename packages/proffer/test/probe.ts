import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { distFile } from "./dist.ts";

const dist = dirname(pathToFileURL(distFile("index.js")).href);

/** Runs a script of this folder on the built package in a separate process. Returns the JSON that it prints to stderr. */
export async function probe<Counts>(
  name: string,
  args: readonly string[] = [],
  flags: readonly string[] = [],
): Promise<Counts> {
  const file = fileURLToPath(new URL(name, import.meta.url));
  const child = spawn(process.execPath, [...flags, file, dist, ...args], { stdio: ["pipe", "ignore", "pipe"] });
  let printed = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${name} ended with exit code ${code}:\n${printed}`);
  return JSON.parse(printed);
}
