import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { CommandError } from "../terminal/command-error.ts";
import { isObject, parseJson } from "../terminal/json.ts";

/** An installed package that is bundled. */
interface BundledPackage {
  readonly name: string;
  readonly folder: string;
  /** Its files that are not code, relative to its folder. */
  readonly data: readonly string[];
}

/** Where a bundled module is, beside the bundle, if its package finds its files by its own location. */
export interface PlacedModule {
  /** Relative to the bundle, with slashes. */
  readonly path: string;
  readonly isCommonJs: boolean;
}

/** The expressions by which a module finds files beside it. */
const OWN_PLACE = /\b(?:__dirname|__filename|import\.meta\.(?:url|dirname|filename))\b/;
/** It would run a file of the package that nothing imports, so that it is not in the bundle. */
const RUNS_FILE = /\bnew Worker\(\s*(?:new URL\(|__filename|__dirname|(?:\w+\.)?(?:join|resolve)\(__dirname)/;
/** Code, and files that are only for people and compilers. */
const NO_DATA = /\.(?:[cm]?[jt]sx?|map|flow|md|markdown)$|^(?:license|licence|notice|readme|changelog|authors)\b|^\./i;
/** These packages load native code of the package that depends on them. */
const NATIVE_LOADERS = ["bindings", "node-gyp-build", "node-pre-gyp", "@mapbox/node-pre-gyp", "prebuild-install"];
const MAX_BYTES = 50 * 1024 * 1024;

/**
 * The files that bundled packages read beside themselves, such as WebAssembly, tables and locales. A package that asks
 * for its own location keeps one: `node_modules/<name>` beside the bundle, where its files are copied that are not code.
 */
export class PackageFiles {
  readonly #packages = new Map<string, BundledPackage>();
  readonly #placed = new Map<string, BundledPackage>();

  /**
   * Returns the place that a module of a package needs, if any.
   * @throws {CommandError} for a package that cannot work in a bundle, with its name and the remedy.
   */
  place(file: string, text: string): PlacedModule | undefined {
    const folder = packageFolder(file);
    if (folder === undefined) return undefined;
    const found = this.#open(folder);
    if (!OWN_PLACE.test(text)) return undefined;
    if (RUNS_FILE.test(text))
      throw cannotBundle(found.name, `starts a worker from its own file ${relative(folder, file)}`);
    const data = text.includes("package.json") ? [...found.data, "package.json"] : found.data;
    if (data.length === 0) return undefined;
    const all = new Set([...(this.#placed.get(folder)?.data ?? []), ...data]);
    this.#placed.set(folder, { ...found, data: [...all] });
    const path = `node_modules/${found.name}/${relative(folder, file).replaceAll(sep, "/")}`;
    return { path, isCommonJs: file.endsWith(".cjs") || !(file.endsWith(".mjs") || text.includes("import.meta")) };
  }

  /**
   * Copies the files of packages whose code is in the bundle.
   * @param used - the modules in the bundle, as absolute paths
   */
  copy(target: string, used: readonly string[]): void {
    const folders = new Set(used.map(packageFolder));
    for (const { name, folder, data } of [...this.#placed.values()].filter((each) => folders.has(each.folder))) {
      const size = data.reduce((sum, path) => sum + lstatSync(join(folder, path)).size, 0);
      if (size > MAX_BYTES) throw cannotBundle(name, `may read any of its files, which have ${size} bytes`);
      for (const path of data) {
        const copy = join(target, "node_modules", name, path);
        mkdirSync(dirname(copy), { recursive: true });
        cpSync(join(folder, path), copy);
      }
    }
  }

  #open(folder: string): BundledPackage {
    const known = this.#packages.get(folder);
    if (known !== undefined) return known;
    const content = parseJson(readFileSync(join(folder, "package.json"), "utf8"));
    const { name, dependencies } = isObject(content) ? content : {};
    const shown = typeof name === "string" ? name : relative(dirname(folder), folder);
    const files = dataOf(folder);
    const native = files.find((path) => path.endsWith(".node"));
    const loader = NATIVE_LOADERS.find((each) => isObject(dependencies) && Object.hasOwn(dependencies, each));
    if (native !== undefined) throw cannotBundle(shown, `has native code (${native})`);
    if (loader !== undefined) throw cannotBundle(shown, `loads native code by ${loader}`);
    const found = { name: shown, folder, data: files };
    this.#packages.set(folder, found);
    return found;
  }
}

export function cannotBundle(name: string, reason: string): CommandError {
  return new CommandError(
    `The package ${name} cannot be bundled: it ${reason}. Nothing was written. ${WITHOUT_BUNDLE}`,
  );
}

/** The way out for everything that cannot be bundled. */
export const WITHOUT_BUNDLE =
  "Build without --bundle. For a package of Claude Desktop: build to dist, run npm install --omit=dev --install-links in it, and pack dist.";

/** Returns the folder of the installed package that contains a module; undefined for other modules, and for Proffer. */
function packageFolder(file: string): string | undefined {
  const at = file.lastIndexOf(`${sep}node_modules${sep}`);
  if (at === -1) return undefined;
  const start = at + `${sep}node_modules${sep}`.length;
  const [scope = "", name = ""] = file.slice(start).split(sep);
  const folder = join(file.slice(0, start), scope.startsWith("@") ? join(scope, name) : scope);
  return scope !== "proffer" && existsSync(join(folder, "package.json")) ? folder : undefined;
}

/** Returns the files of a package that are not code. */
function dataOf(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile() && !NO_DATA.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => !/^(?:package|tsconfig[^/\\]*)\.json$/.test(path) && !path.split(sep).includes("node_modules"));
}
