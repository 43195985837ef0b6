/** Follows edits of a module as `proffer dev` does, and prints how many kilobytes of the heap each one costs. */
import { writeFileSync } from "node:fs";
import { createLiveServer } from "../src/dev/live-server.ts";
import { openVersions } from "../src/dev/versions.ts";

declare const gc: () => void;

const [, , file = ""] = process.argv;
/** By then the compiler has filled its caches, and the versions that are kept for calls in flight are there. */
const SETTLED = 20;
const LAST = 200;

function edit(version: number): void {
  writeFileSync(file, `/** The version. */\nexport const version = () => ${version};\n`);
}

async function heapUsed(): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 10));
  gc();
  return process.memoryUsage().heapUsed / 1000;
}

edit(0);
const versions = openVersions(file);
const live = createLiveServer((await versions.next()).server);
let settled = 0;
for (let version = 1; version <= LAST; version++) {
  edit(version);
  live.follow((await versions.next()).server);
  if (version === SETTLED) settled = await heapUsed();
}
console.log(((await heapUsed()) - settled) / (LAST - SETTLED));
versions.clear();
