import { existsSync, readFileSync } from "node:fs";
import { isAbsolute, join, relative, resolve } from "node:path";
import type { Derivation } from "../derive/index.ts";
import { BUILT_SERVER, findProject } from "../modules/module-file.ts";
import { findInstalledFolder, ownVersion } from "../modules/packages.ts";

/** Version ranges by package name. */
type Ranges = { readonly [name: string]: string };

type PackageFile = { readonly version?: string } & {
  readonly [Kind in "dependencies" | "optionalDependencies" | "peerDependencies" | "devDependencies"]?: Ranges;
};

/** The optional peers of the run-time, by the entry that imports them. */
export const RUNTIME_PEERS: { readonly [entry: string]: readonly string[] } = {
  // For PROFFER_REDIS_URL, which works with every server.
  proffer: ["bullmq", "ioredis"],
  "proffer/ajv": ["ajv", "ajv-formats"],
  "proffer/files": ["chokidar", "mime"],
  "proffer/jsonl": ["chokidar"],
  "proffer/oauth": ["jose"],
  "proffer/telemetry": ["@opentelemetry/api"],
};

/** Ranges that only the package manager of the workspace understands. */
const LOCAL = /^(workspace|catalog|link|portal):/;

/**
 * Returns the package.json of the build, so that the folder can be installed elsewhere. It lists only packages that the
 * build imports, and their peers, with the ranges of the project.
 * @param imports - the specifiers of packages that the emitted files import
 */
export function describePackage(
  module: string,
  target: string,
  { server }: Derivation,
  imports: readonly string[],
): object {
  const project = findProject(module);
  const listed = rangesOf(readPackage(join(project, "package.json")));
  const names = new Set(["proffer", ...imports.map(nameOf)]);
  for (const peer of imports.flatMap((specifier) => RUNTIME_PEERS[specifier] ?? [])) {
    if (Object.hasOwn(listed, peer)) names.add(peer);
  }
  for (const name of names) {
    if (name === "proffer") continue;
    const peers = Object.keys(findInstalled(project, name)?.peerDependencies ?? {});
    // The set grows while it is iterated, so the peers of peers follow.
    for (const peer of peers) if (Object.hasOwn(listed, peer)) names.add(peer);
  }
  const dependencies = [...names].sort().map((name) => [name, rangeOf(name, listed[name], project, target)]);
  return {
    name: server.name,
    version: server.version,
    private: true,
    type: "module",
    main: `./${BUILT_SERVER}`,
    bin: "./index.js",
    dependencies: Object.fromEntries(dependencies),
  };
}

/** A package that only `devDependencies` lists is needed as well, if the module imports it. */
function rangesOf(file: PackageFile | undefined): Ranges {
  return {
    ...file?.devDependencies,
    ...file?.peerDependencies,
    ...file?.optionalDependencies,
    ...file?.dependencies,
  };
}

function rangeOf(name: string, listed: string | undefined, project: string, target: string): string {
  if (listed?.startsWith("file:")) {
    const path = listed.slice("file:".length);
    // npm reads the path relative to the package.json that contains it.
    return isAbsolute(path) ? listed : `file:${relative(target, resolve(project, path)).replaceAll("\\", "/")}`;
  }
  if (listed !== undefined && !LOCAL.test(listed)) return listed;
  if (name === "proffer") return ownVersion();
  return findInstalled(project, name)?.version ?? "*";
}

/** Returns the name of the package in a specifier: `@scope/name` of `@scope/name/part`. */
function nameOf(specifier: string): string {
  const parts = specifier.split("/");
  return parts.slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
}

function findInstalled(project: string, name: string): PackageFile | undefined {
  const folder = findInstalledFolder(join(project, "package.json"), name);
  return folder === undefined ? undefined : readPackage(join(folder, "package.json"));
}

function readPackage(file: string): PackageFile | undefined {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}
