// Builds the packages whose sources have changed since their last build: node scripts/build.mjs [--force]
import "./node-version.mjs";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureInstalled, npm, root } from "./npm.mjs";
import { bundlePage } from "./page.mjs";
import { Failure, main, progress } from "./terminal.mjs";

/** In dependency order: the declarations of the second refer to those of the first. */
const packages = ["proffer", "cli"];

/** Files that affect the output of every package; the lock file pins the versions of the tools. */
const shared = [
  "tsconfig.base.json",
  "package-lock.json",
  "scripts/build.mjs",
  "scripts/page.mjs",
  ...readdirSync(join(root, "scripts/eager")).map((name) => `scripts/eager/${name}`),
];

/** The modules that any server may need, without those of capabilities. */
const COMMON =
  /proffer\/src\/(?!(?:adapters|bullmq|cluster|derived|max-result|oauth|observe|policy|providers|redis|resource-tools|settings|tasks|telemetry|testing|toolsets)\/|transports\/|profiles\/(?!known\.ts)|support\/pretty-log\.ts)[a-z-]+\/.*(?<!\.d)\.ts$/;

/**
 * Modules that are always loaded together are bundled into one file, even if several entries share it. A group takes the
 * dependencies of its modules, too, so each comes after those that it depends on.
 */
const GROUPS = [
  { name: (id, graph) => (isNeededAtStart(id, graph) ? "core" : undefined), priority: 5, test: COMMON },
  // Some entries need these, and no handlers.
  { name: "uri", priority: 4, test: /proffer\/src\/uri\/[a-z-]+\.ts$/ },
  { name: "validator", priority: 4, test: /proffer\/src\/schema\/json-schema\/[a-z-]+\.ts$/ },
  { name: (id, graph) => (isImportedBy(ADDED, id, graph) ? "added" : undefined), priority: 3, test: COMMON },
  { name: "handlers", priority: 2, test: COMMON },
  { name: "toolsets", test: /proffer\/src\/toolsets\/[a-z-]+\.ts$/ },
  // Without these two, the shared sessions of a cluster, which are imported lazily, would split them into more files.
  {
    name: "http",
    test: /proffer\/src\/transports\/http\/(?!any-of|api-keys|bearer|challenge|http-error|metadata|shares)[a-z-]+\.ts$/,
  },
  {
    name: "metadata",
    priority: 1,
    test: /proffer\/src\/transports\/http\/(challenge|http-error|metadata|shares)\.ts$/,
  },
  { name: "serve", test: /cli\/src\/commands\/serve\.ts$/ },
];

/** The entries that a server over stdio starts with. The other modules are loaded later. */
const START = /proffer\/src\/(index|stdio|built)\.ts$/;

/** The entries that many servers start with, too. */
const ADDED = /proffer\/src\/(files|jsonl|observe|oauth|policy|profiles|settings|sql|telemetry)\.ts$/;

/** Whether a module is needed at start, or is one of the small helpers of the entries that may be. */
function isNeededAtStart(id, graph) {
  return isImportedBy(START, id, graph) || (id.includes("/support/") && isImportedBy(ADDED, id, graph));
}

/** Whether one of these entries imports a module, also through others. */
function isImportedBy(entries, id, graph, seen = new Set()) {
  if (seen.has(id)) return false;
  seen.add(id);
  return entries.test(id) || graph.getModuleInfo(id).importers.some((next) => isImportedBy(entries, next, graph, seen));
}

/**
 * Node parses every file that a server starts with, and short names of local variables are parsed faster. Functions and
 * classes keep theirs, for stack traces. More would make it harder for bundlers to leave out unused code.
 */
const SHORT_NAMES = {
  compress: false,
  mangle: { toplevel: false, keepNames: true },
  codegen: { removeWhitespace: false },
};

/**
 * Loads the TypeScript compiler with `require`. For an import, Node also has to detect the format of the file and to find
 * the names of its exports, which takes longer for its 9 MB than compiling it.
 */
const REQUIRE_COMPILER = {
  name: "require-compiler",
  resolveId: {
    // Before the rule that leaves dependencies outside the bundle.
    order: "pre",
    handler: (id, importer = "") => (id === "typescript" && !/\.d\.ts$/.test(importer) ? "\0compiler" : undefined),
  },
  load(id) {
    if (id !== "\0compiler") return undefined;
    return 'import { createRequire } from "node:module";\nexport default createRequire(import.meta.url)("typescript");\n';
  },
};

/** The last step for the `dist` folder of each package. */
const FINISH = {
  proffer: async (dist) => (await import("./eager/rewrite.mjs")).compileEagerly(dist),
  cli: () => bundlePage(),
};

/** Brings the `dist` folders up to date. */
export async function ensureBuilt({ force = false } = {}) {
  for (const name of packages) {
    const folder = join(root, "packages", name);
    const stamp = join(folder, "dist/.stamp");
    const digest = digestOf(folder);
    if (!force && existsSync(stamp) && readFileSync(stamp, "utf8") === digest) continue;
    progress(`building packages/${name}`);
    rmSync(stamp, { force: true });
    await bundle(folder)
      .then(() => FINISH[name](join(folder, "dist")))
      .catch((error) => {
        throw new Failure(`packages/${name} does not build: ${error.message}`);
      });
    writeFileSync(stamp, digest);
  }
  linkCommand();
}

async function bundle(folder) {
  const { build } = await import("tsdown");
  const { exports, imports = {}, bin = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const published = sourcesOf(
    folder,
    Object.values(exports).map(({ default: target }) => target),
  );
  const internal = sourcesOf(folder, [...Object.values(imports), ...Object.values(bin)]);
  await build({
    config: false,
    cwd: folder,
    entry: { ...published, ...internal },
    format: "esm",
    platform: "node",
    target: "node20.19",
    tsconfig: join(root, "tsconfig.base.json"),
    plugins: [REQUIRE_COMPILER],
    fixedExtension: false,
    hash: false,
    minify: SHORT_NAMES,
    outputOptions: {
      chunkFileNames: "shared/[name].js",
      // Each loaded file adds about a millisecond to the startup of a server. The declarations keep the comments.
      codeSplitting: { groups: GROUPS },
      comments: { jsdoc: false },
    },
    dts: { cwd: folder, entry: Object.values(published), compilerOptions: { types: ["node"] } },
    // The user installs and deduplicates dependencies, so bundling one is an error.
    deps: { onlyBundle: [] },
    checks: { pluginTimings: false },
    logLevel: "warn",
    failOnWarn: true,
  });
  escapeFiles(join(folder, "dist"));
}

/**
 * Writes the other characters of built files, which occur only in literals, as `\uXXXX`. V8 keeps a file of ASCII in one
 * byte per character and parses it faster: with one "…" in it, core.js adds 1.5 ms to the startup of a server.
 */
function escapeFiles(folder) {
  const scripts = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".js"));
  for (const file of scripts.map((name) => join(folder, name))) {
    const text = readFileSync(file, "utf8");
    const escaped = text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
    if (escaped !== text) writeFileSync(file, escaped);
  }
}

/** Entry names and sources: every `./dist/x.js` that package.json names is built from `src/x.ts`. */
function sourcesOf(folder, targets) {
  const sources = {};
  for (const target of targets.filter((target) => target !== undefined)) {
    const name = target.replace("./dist/", "").replace(".js", "");
    sources[name] = `src/${name}.ts`;
    if (existsSync(join(folder, sources[name]))) continue;
    throw new Failure(
      `${join(folder, "package.json")} names ${target}, but there is no ${sources[name]} to build it from.`,
    );
  }
  return sources;
}

function digestOf(folder) {
  const sources = readdirSync(join(folder, "src"), { recursive: true })
    .map(String)
    .filter((file) => /\.(tsx?|css|html|json)$/.test(file) && !file.endsWith(".test.ts"))
    .sort()
    .map((file) => join(folder, "src", file));
  const hash = createHash("sha256");
  for (const file of [...shared.map((file) => join(root, file)), join(folder, "package.json"), ...sources]) {
    hash
      .update(`${file.slice(root.length)}\0`)
      .update(readFileSync(file))
      .update("\0");
  }
  return hash.digest("hex");
}

/** Links the command: npm skips it at installation, because dist/bin.js does not exist in a fresh clone. */
function linkCommand() {
  if (existsSync(join(root, "node_modules/.bin/proffer"))) return;
  if (npm(["rebuild", "proffer", "--ignore-scripts"], "ignore") !== 0) {
    progress("`npx proffer` is not linked; `npm rebuild proffer` would do it");
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(() => {
    ensureInstalled();
    return ensureBuilt({ force: process.argv.includes("--force") });
  });
}
