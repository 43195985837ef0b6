import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const FILES = 20;
const FUNCTIONS = 30;

/** Pseudo-functions that V8 reports, listed separately because they belong to no file. */
const IDLE = "(idle)";

/** Returns the shares of CPU time by file and by function, as text. The first half is warm-up and does not count. */
export function summariseProfile(profile) {
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
  const byFile = new Map();
  const byFunction = new Map();
  let total = 0;
  for (let i = profile.samples.length >> 1; i < profile.samples.length; i++) {
    const frame = frames.get(profile.samples[i]);
    if (frame.functionName === IDLE) continue;
    const time = profile.timeDeltas[i];
    const file = sourceOf(frame);
    total += time;
    add(byFile, file, time);
    add(byFunction, file === frame.functionName ? file : `${frame.functionName || "(anonymous)"}  ${file}`, time);
  }
  return [
    table("by file (self time)", byFile, total, FILES),
    table("by function (self time)", byFunction, total, FUNCTIONS),
  ].join("\n");
}

function add(times, key, time) {
  times.set(key, (times.get(key) ?? 0) + time);
}

function table(title, times, total, count) {
  const rows = [...times].sort(([, a], [, b]) => b - a).slice(0, count);
  const lines = rows.map(([key, time]) => `${((100 * time) / total).toFixed(1).padStart(6)} %  ${key}`);
  return `\n${title}\n${lines.join("\n")}\n`;
}

/** Returns the source file of a frame, the name of its package, or V8's name for its own work. */
function sourceOf({ url, functionName, lineNumber }) {
  if (url === "") return functionName;
  const [, installed] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
  if (installed !== undefined) return installed;
  if (!url.startsWith("file:")) return url;
  const path = fileURLToPath(url);
  return regionOf(path, lineNumber) ?? path.split("/").slice(-2).join("/");
}

const regions = new Map();

/** Finds the source file in the comments that the bundler inserts before each file. */
function regionOf(path, lineNumber) {
  if (!regions.has(path)) regions.set(path, existsSync(path) ? findRegions(readFileSync(path, "utf8")) : []);
  return regions.get(path).findLast(({ line }) => line <= lineNumber)?.source;
}

function findRegions(code) {
  return code.split("\n").flatMap((text, line) => {
    const [, source] = /^\/\/#region (\S+)/.exec(text) ?? [];
    return source === undefined ? [] : [{ line, source }];
  });
}
