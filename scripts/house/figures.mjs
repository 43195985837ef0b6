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

/** Resolves to `{ figures, areas, lists }`: numbers by name, lines by area, and the files or folders behind a number. */
export async function measure(sources) {
  const lists = { ...listsOf(sources), ...(await traceCalls()) };
  const counts = Object.entries(lists).map(([name, list]) => [name, list.length]);
  return { figures: { ...Object.fromEntries(counts), ...figuresOf(sources, lists) }, areas: areasOf(sources), lists };
}

function figuresOf(sources, { oneImporter }) {
  const runTime = sources.filter(({ path }) => path.startsWith(RUN_TIME));
  const others = sources.filter(({ path }) => !path.startsWith(RUN_TIME));
  return {
    files: sources.length,
    // Physical lines, with comments and empty ones.
    lines: linesOf(sources),
    runTimeFiles: runTime.length,
    runTimeLines: linesOf(runTime),
    // Files directly in one folder.
    largestFolder: Math.max(...groups(sources, ({ path }) => posix.dirname(path)).map(([, files]) => files.length)),
    oneImporter: percent(oneImporter.length, sources.length),
    // Distinct names, values and types, over all subpaths of `proffer`; and of the other packages.
    publicNames: publicNames(runTime),
    publicNamesOfTools: publicNames(others),
    // Percent of the lines that are not empty. A line is a comment if it begins with one, or within one.
    comments: commentShare(runTime),
    commentsOfTools: commentShare(others),
  };
}

function listsOf(sources) {
  const imports = importsAmong(sources);
  const lines = new Map(sources.map(({ path, text }) => [path, countLines(text)]));
  return {
    largestFolder: groups(sources, ({ path }) => posix.dirname(path))
      .map(([folder, files]) => `${files.length} ${folder}`)
      .sort((a, b) => Number.parseInt(b, 10) - Number.parseInt(a, 10))
      .slice(0, 10),
    smallFiles: [...lines].filter(([, count]) => count <= 20).map(([path]) => path),
    // The files from which exactly one file imports a value, also lazily, with their lines and that file.
    oneImporter: oneImporter(imports).map(([path, importer]) => `${lines.get(path)} ${path} ← ${importer}`),
    // Pairs of folders (each directory is one) that import values of each other at load.
    mutualFolders: mutualFolders(imports.filter(({ kind }) => kind === "value")),
    // The same with types and lazy imports.
    mutualFoldersWithTypes: mutualFolders(imports),
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
  return groups(values, ({ to }) => to)
    .map(([path, found]) => [path, ...new Set(found.map(({ from }) => from))])
    .filter(({ length }) => length === 2);
}

function mutualFolders(imports) {
  const pairs = new Set(imports.map(({ from, to }) => `${posix.dirname(from)} ${posix.dirname(to)}`));
  return [...pairs]
    .map((pair) => pair.split(" "))
    .filter(([from, to]) => from < to && pairs.has(`${to} ${from}`))
    .map(([from, to]) => `${from} ↔ ${to}`);
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
