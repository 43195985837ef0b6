/**
 * Applies edits to a project of five files as `proffer dev` does. Prints JSON with the heap growth per edit in bytes
 * and a stack trace from the last version, after garbage collection.
 */
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { connect } from "proffer/testing";
import { createCompiler } from "../src/dev/compiler-worker.ts";
import { createLiveServer } from "../src/dev/live-server.ts";
import { openVersions } from "../src/dev/versions.ts";

declare const gc: () => void;

const [, , file = "", edits = ""] = process.argv;
/** After this edit, the compiler's caches are filled and all versions kept for calls in flight exist. */
const LAST = Number(edits);
const SETTLED = LAST / 4;
const EVERY = LAST / 8;
const PARTS = 4;
const FUNCTIONS = 5;
const TOOLS = 4;

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

function editPart(part: number, version: number): void {
  const functions = numbers(FUNCTIONS).map(
    (index) => `export function part${index}(text: string) { return text + ${version}; }`,
  );
  writeFileSync(join(dirname(file), `part${part}.ts`), `${functions.join("\n")}\n`);
}

function editEntry(version: number): void {
  const imports = numbers(PARTS).map((part) => `import * as part${part} from "./part${part}.ts";`);
  const tools = numbers(TOOLS).map((index) => {
    const call = `part${index % PARTS}.part${index % FUNCTIONS}(text)`;
    return `/** Tool ${index}. @param text - a text */\nexport function tool${index}(text: string): string { return ${call} + ${version}; }`;
  });
  const where = '/** Returns its stack. */\nexport const where = () => new Error("here").stack ?? "";';
  // The function moves with each version, so a source map of an earlier version would show another line.
  const moved = "\n".repeat(version % 7);
  writeFileSync(file, [...imports, ...tools, moved + where, ""].join("\n"));
}

/** Returns the used heap after two collections: some finalizers release memory only after the first. */
async function heapUsed(): Promise<number> {
  for (let round = 0; round < 2; round++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    gc();
  }
  return process.memoryUsage().heapUsed;
}

/** Returns the slope of the linear regression. */
function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (index: 0 | 1) => points.reduce((sum, point) => sum + point[index], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const covariance = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0);
  return covariance / points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
}

for (const part of numbers(PARTS)) editPart(part, 0);
editEntry(0);
const versions = openVersions(file, createCompiler(file));
const live = createLiveServer((await versions.next()).server);
const points: [number, number][] = [];
for (let version = 1; version <= LAST; version++) {
  if (version % 2 === 0) editEntry(version);
  else editPart(version % PARTS, version);
  live.follow((await versions.next()).server);
  if (version >= SETTLED && version % EVERY === 0) points.push([version, await heapUsed()]);
}
const client = await connect(live.server);
const stack = (await client.call("where")).content[0];
await client.close();
console.log(JSON.stringify({ perEdit: slope(points), stack }));
versions.clear();
