import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, posix, resolve } from "node:path";
import type { BuildFailure, BuildOptions, Plugin } from "esbuild";
import { inlineMap } from "../modules/emission.ts";
import { BUNDLE, BUNDLE_MARK, findProject } from "../modules/module-file.ts";
import { CommandError } from "../terminal/command-error.ts";
import { currentShell, fromHere } from "../terminal/shell.ts";
import { Text, text } from "../terminal/text.ts";
import { copyAssets } from "./assets.ts";
import { type BuildSource, describeFiles, type Finish, MODULES, replaceFolder } from "./built-folder.ts";
import { RUNTIME_PEERS } from "./built-package.ts";
import { cannotBundle, PackageFiles, WITHOUT_BUNDLE } from "./package-files.ts";

/** The part of esbuild that is used. */
export type Bundler = typeof import("esbuild");

/** CommonJS packages call `require`, which an ES module does not have. */
const BANNER = `${BUNDLE_MARK}
import { createRequire as createBundleRequire } from "node:module";
const require = createBundleRequire(import.meta.url);
const profferFolder = import.meta.dirname;`;

/** Returns the location of a module as if it were beside the bundle, where its assets are. */
const PLACE = `import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
export const placeOf = (path) => {
  const url = new URL(path, import.meta.url).href;
  const filename = fileURLToPath(url);
  return { url, filename, dirname: dirname(filename) };
};
`;
const PLACE_FILE = "place.js";

const MAX_MESSAGES = 10;

/** Imports esbuild, an optional peer dependency. @throws {CommandError} if it is not installed. */
export async function loadBundler(): Promise<Bundler> {
  try {
    return await import("esbuild");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new CommandError("--bundle needs the package esbuild. Install it: npm install --save-dev esbuild", { cause });
  }
}

/**
 * Writes a server with all its packages as one file for Node, and its assets beside it. Returns the number of files.
 * @throws {CommandError} if a package cannot be bundled; then nothing is written.
 */
export async function writeBundle(source: BuildSource, out: string, bundler: Bundler, finish: Finish): Promise<number> {
  const target = fromHere(out);
  const { emission, assets, module } = source;
  const peers = installedPeers(module);
  const packages = new PackageFiles();
  const options: BuildOptions = {
    absWorkingDir: currentShell().cwd,
    entryPoints: [join(target, "index.js")],
    outfile: join(target, BUNDLE),
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    target: "node20.19",
    sourcemap: "linked",
    sourcesContent: false,
    banner: { js: BANNER },
    // For CommonJS packages. Only unbound names are replaced.
    define: {
      __dirname: "import.meta.dirname",
      __filename: "import.meta.filename",
      PROFFER_BUNDLED: JSON.stringify(peers.present.join(",")),
    },
    external: peers.absent,
    logLevel: "silent",
    metafile: true,
    plugins: [ownFiles(source, target, bundler, packages)],
  };
  const { outputFiles = [], metafile } = await bundler.build(options).catch((error: BuildFailure) => {
    throw explainFailure(error);
  });
  const written = new Map(outputFiles.map(({ path }) => [path.slice(target.length + 1), undefined]));
  const inputs = Object.values(metafile?.outputs ?? {}).flatMap((output) => Object.entries(output.inputs));
  const used = inputs.flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [fromHere(path)] : []));
  const write = (folder: string) => {
    for (const { path, contents } of outputFiles) writeFileSync(join(folder, path.slice(target.length + 1)), contents);
    copyAssets(assets, emission.root, folder, written);
    packages.copy(folder, used);
  };
  return replaceFolder(target, write, finish);
}

/** Provides the files of the build from memory. Packages are resolved from the author's files, Proffer from here. */
function ownFiles(
  { derivation, emission }: BuildSource,
  target: string,
  bundler: Bundler,
  packages: PackageFiles,
): Plugin {
  const folder = join(target, MODULES);
  /** With the path of an emitted module, and the folder from which imported packages are resolved. */
  const files = new Map<string, { text: string; path?: string; resolveDir: string }>();
  const described = { ...describeFiles(derivation, emission.entry), [PLACE_FILE]: PLACE };
  for (const [name, text] of Object.entries(described)) files.set(join(target, name), { text, resolveDir: target });
  for (const file of emission.files) {
    const { path, source } = file;
    files.set(join(folder, path), { text: inlineMap(file), path, resolveDir: dirname(source) });
  }
  const { resolve: find } = createRequire(import.meta.url);
  return {
    name: "the files of the build",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^proffer(\/|$)/ }, ({ path }) => ({ path: find(path), sideEffects: false }));
      onResolve({ filter: /^(\.|\/|[A-Za-z]:)/ }, ({ path, importer }) => {
        const file = importer === "" ? path : resolve(dirname(importer), path);
        return files.has(file) ? { path: file } : undefined;
      });
      onLoad({ filter: /./ }, async ({ path: file }) => {
        const found = files.get(file);
        if (found === undefined) return loadPlaced(file, join(target, PLACE_FILE), packages, bundler);
        const { text, path, resolveDir } = found;
        if (file.endsWith(".json")) return { contents: text, loader: "json", resolveDir };
        const isPlaced = path !== undefined && text.includes("import.meta") && !path.endsWith(".cjs");
        const contents = isPlaced ? await place(text, path, join(target, PLACE_FILE), bundler) : text;
        return { contents, loader: "js", resolveDir };
      });
    },
  };
}

/** Loads a module of a package that needs a location of its own; undefined for any other file. */
async function loadPlaced(file: string, helper: string, packages: PackageFiles, bundler: Bundler) {
  if (!/\.[cm]?js$/.test(file)) return undefined;
  const text = readFileSync(file, "utf8");
  const placed = packages.place(file, text);
  if (placed === undefined) return undefined;
  const { path, isCommonJs } = placed;
  const resolveDir = dirname(file);
  if (!isCommonJs) return { contents: await place(text, path, helper, bundler), loader: "js" as const, resolveDir };
  const names = `__dirname = require("node:path").join(profferFolder, ${JSON.stringify(posix.dirname(path))}), __filename = require("node:path").join(profferFolder, ${JSON.stringify(path)})`;
  const [hashbang = ""] = /^#!.*\n/.exec(text) ?? [];
  const rest = text.slice(hashbang.length);
  // A directive must stay the first statement.
  const [directive = ""] = /^\s*["']use strict["'];?/.exec(rest) ?? [];
  return { contents: `${directive}var ${names};${rest.slice(directive.length)}`, loader: "js" as const, resolveDir };
}

/**
 * Replaces `import.meta` of one module. In a bundle, all modules share the `import.meta` of the bundle, and a module in
 * a subfolder would look for its assets in the wrong place.
 */
async function place(text: string, path: string, helper: string, { transform }: Bundler): Promise<string> {
  const properties = ["url", "filename", "dirname"];
  const define = Object.fromEntries(properties.map((name) => [`import.meta.${name}`, `profferPlace.${name}`]));
  const { code } = await transform(text, {
    define,
    format: "esm",
    target: "esnext",
    sourcemap: "inline",
    sourcefile: path,
  });
  const imported = `import { placeOf as profferPlaceOf } from ${JSON.stringify(helper)};`;
  // On the first line, so that the lines of the source map stay correct.
  return `${imported} const profferPlace = profferPlaceOf(${JSON.stringify(path)}); ${code}`;
}

/** The optional peers of the run-time that the project has, and those that it lacks. */
function installedPeers(module: string): { present: string[]; absent: string[] } {
  const { resolve: find } = createRequire(join(findProject(module), "package.json"));
  const peers = [...new Set(Object.values(RUNTIME_PEERS).flat())];
  const isPresent = (name: string) => {
    try {
      find(name);
      return true;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND";
    }
  };
  return { present: peers.filter(isPresent), absent: peers.filter((name) => !isPresent(name)) };
}

function explainFailure({ errors, message }: BuildFailure): Error {
  if (errors === undefined) return new CommandError(message);
  // An exception of this file.
  const own = errors.map(({ detail }) => detail).find((detail) => detail instanceof CommandError);
  if (own !== undefined) return own;
  const native = errors.find(({ text: problem }) => /No loader is configured for "\.node"/.test(problem));
  const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(native?.location?.file ?? "") ?? [];
  if (name !== undefined) return cannotBundle(name, "has native code");
  const shown = errors.slice(0, MAX_MESSAGES).map(({ text: problem, location }) => {
    return location === null ? text`  ${problem}` : text`  ${location.file}:${location.line}: ${problem}`;
  });
  const others = errors.length > MAX_MESSAGES ? [text`… and ${errors.length - MAX_MESSAGES} more`] : [];
  return new CommandError(
    text`The server cannot be bundled. Nothing was written.\n${Text.join([...shown, ...others], "\n")}\n${WITHOUT_BUNDLE}`,
  );
}
