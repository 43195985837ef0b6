// The figures of the tree that `npm run house` prints and budgets.json bounds. Tests are no sources.
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { root } from "../npm.mjs";
import { exportsOf, importsOf } from "./sources.mjs";
import { traceCalls } from "./traces.mjs";

const RUN_TIME = "packages/proffer/src/";

/** The folders on the path of a request. Everything else can be left away by a server that does not use it. */
const CORE = new Set(
  "calls catalog prompts protocol questions resources results schema server support tools transports uri".split(" "),
);

/** Resolves to `{ figures, areas, traces }`: numbers by name, lines by area, and files by trace. */
export async function measure(sources) {
  const traces = await traceCalls();
  const counts = Object.entries(traces).map(([name, files]) => [name, files.length]);
  return { figures: { ...figuresOf(sources), ...Object.fromEntries(counts) }, areas: areasOf(sources), traces };
}

function figuresOf(sources) {
  const runTime = sources.filter(({ path }) => path.startsWith(RUN_TIME));
  const others = sources.filter(({ path }) => !path.startsWith(RUN_TIME));
  const imports = importsAmong(sources);
  return {
    files: sources.length,
    // Physical lines, with comments and empty ones.
    lines: linesOf(sources),
    runTimeFiles: runTime.length,
    runTimeLines: linesOf(runTime),
    // Files directly in one folder.
    largestFolder: Math.max(...groups(sources, ({ path }) => posix.dirname(path)).map(([, files]) => files.length)),
    // Files of 20 lines or less.
    smallFiles: sources.filter(({ text }) => countLines(text) <= 20).length,
    // Percent of the files from which exactly one file imports a value, also lazily.
    oneImporter: percent(oneImporter(imports), sources.length),
    // Pairs of folders (each directory is one) that import values of each other at load.
    mutualFolders: mutualFolders(imports.filter(({ kind }) => kind === "value")),
    // The same with types and lazy imports.
    mutualFoldersWithTypes: mutualFolders(imports),
    // Distinct names, values and types, over all subpaths of `proffer`; and of the other packages.
    publicNames: publicNames(runTime),
    publicNamesOfTools: publicNames(others),
    // Percent of the lines that are not empty. A line is a comment if it begins with one, or within one.
    comments: commentShare(runTime),
    commentsOfTools: commentShare(others),
  };
}

/** Lines by area: the core, each other folder of the run-time, each feature, and each other package. */
function areasOf(sources) {
  const areas = groups(sources, ({ path }) => {
    if (!path.startsWith(RUN_TIME)) return path.split("/").slice(0, 2).join("/");
    const [folder, inside] = path.slice(RUN_TIME.length).split("/");
    if (CORE.has(folder)) return "core";
    if (inside === undefined) return "entries";
    return folder === "features" ? `features/${inside}` : folder;
  });
  return Object.fromEntries(areas.map(([area, files]) => [area, linesOf(files)]).sort());
}

/** The imports between sources, as `{ from, to, kind }`. */
function importsAmong(sources) {
  const known = new Set(sources.map(({ path }) => path));
  return sources
    .flatMap((source) => importsOf(source).map((found) => ({ from: source.path, ...found })))
    .filter(({ to }) => known.has(to));
}

function oneImporter(imports) {
  const values = imports.filter(({ kind }) => kind !== "type");
  const importers = groups(values, ({ to }) => to).map(([, found]) => new Set(found.map(({ from }) => from)));
  return importers.filter(({ size }) => size === 1).length;
}

function mutualFolders(imports) {
  const pairs = new Set(imports.map(({ from, to }) => `${posix.dirname(from)} ${posix.dirname(to)}`));
  const isMutual = ([from, to]) => from < to && pairs.has(`${to} ${from}`);
  return [...pairs].filter((pair) => isMutual(pair.split(" "))).length;
}

function publicNames(sources) {
  const packages = new Set(sources.map(({ path }) => path.split("/").slice(0, 2).join("/")));
  const entries = [...packages].flatMap((folder) => {
    const { exports } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    const files = Object.values(exports ?? {}).flatMap((target) => target.default ?? []);
    return files.map((file) => posix.join(folder, file.replace("dist/", "src/").replace(/\.js$/, ".ts")));
  });
  return new Set(sources.filter(({ path }) => entries.includes(path)).flatMap(({ text }) => exportsOf(text))).size;
}

function commentShare(sources) {
  let comments = 0;
  let code = 0;
  for (const { text } of sources) {
    let inside = false;
    for (const line of text.split("\n").map((line) => line.trim())) {
      if (line === "") continue;
      const isComment = inside || line.startsWith("//") || line.startsWith("/*");
      if (isComment) comments += 1;
      else code += 1;
      inside = isComment && (inside || line.startsWith("/*")) && !line.includes("*/");
    }
  }
  return percent(comments, comments + code);
}

function linesOf(sources) {
  return sources.reduce((sum, { text }) => sum + countLines(text), 0);
}

function countLines(text) {
  return text.split("\n").length - 1;
}

/** With one decimal. */
function percent(part, whole) {
  return Math.round((1000 * part) / whole) / 10;
}

/** Pairs of a key and the items that have it. */
function groups(items, keyOf) {
  const found = new Map();
  for (const item of items) {
    const key = keyOf(item);
    if (!found.get(key)?.push(item)) found.set(key, [item]);
  }
  return [...found];
}
