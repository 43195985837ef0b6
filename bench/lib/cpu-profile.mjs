import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const FILES = 20;
const FUNCTIONS = 30;

/** What V8 reports in place of a function, kept apart because no file has it. */
const IDLE = "(idle)";

/** The shares of CPU time by file and by function, as text. Only the second half counts: the first is warming up. */
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

/** The source file of a frame; of a package, its name; of what V8 does itself, what it calls it. */
function sourceOf({ url, functionName, lineNumber }) {
  if (url === "") return functionName;
  const [, installed] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
  if (installed !== undefined) return installed;
  if (!url.startsWith("file:")) return url;
  const path = fileURLToPath(url);
  return regionOf(path, lineNumber) ?? path.split("/").slice(-2).join("/");
}

const regions = new Map();

/** The bundler marks in a comment from which file it took what follows. */
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
