// Builds the packages whose sources have changed since their last build, and llms-full.txt: node scripts/build.mjs [--force]
import "./node-version.mjs";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { writeWhole } from "./llms.mjs";
import { ensureInstalled, npm, root } from "./npm.mjs";
import { bundlePage } from "./page.mjs";
import { Failure, main, progress } from "./terminal.mjs";

/** In dependency order: the declarations of each refer to those before it. */
const packages = ["proffer", "inspector", "cli"];

/** Files that affect the output of every package; the lock file pins the versions of the tools. */
const shared = ["tsconfig.base.json", "package-lock.json", "scripts/build.mjs", "scripts/page.mjs"];

/**
 * Each file that a server loads at start adds about a millisecond, so modules that are always needed together share one:
 * the core, the HTTP transport, and the command line's `serve`. A group takes the dependencies of its modules, too.
 */
const GROUPS = [
  {
    name: "core",
    priority: 2,
    test: /proffer\/src\/(?:features\/features|(?:calls|catalog|prompts|protocol|questions|resources|results|schema|server|support|tools|uri)\/.*)(?<!\.d)\.ts$/,
  },
  { name: "http", priority: 1, test: /proffer\/src\/transports\/http\/[a-z-]+\.ts$/ },
  { name: "serve", test: /cli\/src\/commands\/serve\.ts$/ },
];

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

/** Modules that servers and the client need. */
const SHARED = /proffer\/src\/(?:support\/(?:async|bytes|run-time)|protocol\/(?:messages|revisions\/[\w-]+))\.ts$/;
const COPY = "?client";

/**
 * Gives the client copies of the small modules that it shares with servers, which have them in the file of the core: a
 * bundle of the client must not contain a server, and a server must not load one file more at its start.
 */
const COPY_FOR_CLIENT = {
  name: "copy-for-client",
  resolveId: {
    order: "pre",
    handler(id, importer = "") {
      const isClient = /proffer\/src\/(?:client|login|outgoing)\/[\w-]+\.ts$/.test(importer) || importer.endsWith(COPY);
      if (!isClient || !id.startsWith(".")) return undefined;
      const path = resolve(dirname(importer.replace(COPY, "")), id);
      return SHARED.test(path) ? path + COPY : undefined;
    },
  },
  load(id) {
    if (!id.endsWith(COPY)) return undefined;
    // Without the mark, a copy that is not used any more would still be imported, for its effects.
    return { code: readFileSync(id.slice(0, -COPY.length), "utf8"), moduleType: "ts", moduleSideEffects: false };
  },
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
      .then(() => (name === "inspector" ? bundlePage() : undefined))
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
  const targets = (condition) => Object.values(exports).map((target) => target[condition]);
  const shape = {
    config: false,
    cwd: folder,
    format: "esm",
    platform: "node",
    target: "node20.19",
    tsconfig: join(root, "tsconfig.base.json"),
    fixedExtension: false,
    hash: false,
    // The user installs and deduplicates dependencies, so bundling one is an error.
    deps: { onlyBundle: [] },
    checks: { pluginTimings: false },
    logLevel: "warn",
    failOnWarn: true,
  };
  await build({
    ...shape,
    entry: sourcesOf(folder, [...targets("default"), ...Object.values(imports), ...Object.values(bin)]),
    plugins: [REQUIRE_COMPILER, COPY_FOR_CLIENT],
    outputOptions: {
      chunkFileNames: chunkFile,
      codeSplitting: { groups: GROUPS },
      // The declarations keep the comments.
      comments: { jsdoc: false },
    },
    dts: false,
  });
  // Apart from the code: two subpaths with different declarations may share a file.
  const declared = sourcesOf(folder, targets("types"));
  await build({
    ...shape,
    entry: declared,
    clean: false,
    outputOptions: { chunkFileNames: chunkFile },
    dts: { cwd: folder, emitDtsOnly: true, compilerOptions: { types: ["node"] } },
  });
}

/** Entry names and sources: every `./dist/x.js` or `./dist/x.d.ts` that package.json names is built from `src/x.ts`. */
function sourcesOf(folder, targets) {
  const sources = {};
  for (const target of targets.filter((target) => target !== undefined)) {
    const name = target.replace("./dist/", "").replace(/(\.d\.ts|\.js)$/, "");
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
  await main(async () => {
    ensureInstalled();
    await ensureBuilt({ force: process.argv.includes("--force") });
    writeWhole();
  });
}

/** The file of a shared part. Each feature has a `feature.ts`: its part is named after the folder. */
function chunkFile({ name, facadeModuleId, moduleIds }) {
  return `shared/${name === "feature" ? basename(dirname(facadeModuleId ?? moduleIds.at(-1))) : name}.js`;
}
