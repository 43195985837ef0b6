import { existsSync, readFileSync, realpathSync } from "node:fs";
import { basename, join, resolve, sep } from "node:path";
import type { Derivation } from "../derive/index.ts";
import { BUILT_SERVER, findProject } from "../modules/module-file.ts";
import { findInstalledFolder, ownVersion } from "../modules/packages.ts";
import { lockedPackage, lockOfBuild, type ProjectLock, readProjectLock } from "./built-lock.ts";

/** Version ranges by package name. */
type Ranges = { readonly [name: string]: string };

type PackageFile = { readonly version?: string; readonly private?: boolean } & {
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

/** The packages of a build. */
export interface BuiltPackage {
  readonly content: {
    readonly name: string;
    readonly version: string;
    readonly dependencies: Ranges;
    readonly [member: string]: unknown;
  };
  /** The lock file of npm; absent without one of the project. */
  readonly lock?: object | undefined;
  /** Tarballs that the build depends on, as absolute paths. */
  readonly tarballs: readonly string[];
  /** Dependencies that are folders of this machine. */
  readonly folders: readonly string[];
  /** Dependencies that are packages of the project's workspace, which may be published. */
  readonly siblings: readonly string[];
}

/**
 * Describes the packages of a build, so that its folder can be installed elsewhere, with what the author has tested. It
 * lists only packages that the build imports, and their peers, in the versions of the lock file, or else the installed
 * ones. Tarballs are meant to be copied into the folder.
 * @param imports - the specifiers of packages that the emitted files import
 */
export function describePackage(module: string, { server }: Derivation, imports: readonly string[]): BuiltPackage {
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
  const lock = readProjectLock(project);
  const sorted = [...names].sort();
  const files = sorted.flatMap((name) => fileOf(listed[name], project) ?? []);
  const content = {
    name: server.name,
    version: server.version,
    private: true,
    type: "module",
    main: `./${BUILT_SERVER}`,
    types: "./server.d.ts",
    bin: "./index.js",
    dependencies: Object.fromEntries(sorted.map((name) => [name, versionOf(name, listed[name], project, lock)])),
  };
  return {
    content,
    lock: lock && lockOfBuild(lock, content),
    tarballs: files.filter(isTarball),
    folders: sorted.filter((name) => isFolder(name, listed[name], project)),
    siblings: sorted.filter((name) => isSibling(name, listed[name], project)),
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

function versionOf(name: string, listed = "", project: string, lock: ProjectLock | undefined): string {
  const file = fileOf(listed, project);
  if (file !== undefined) return isTarball(file) ? `file:./${basename(file)}` : `file:${file}`;
  // A repository or an address names one version already.
  if (!LOCAL.test(listed) && /[:/]/.test(listed) && !listed.startsWith("npm:")) return listed;
  const known = (lock && lockedPackage(lock, name)?.version) ?? findInstalled(project, name)?.version;
  const version = known ?? (name === "proffer" ? ownVersion() : LOCAL.test(listed) || listed === "" ? "*" : listed);
  const [, alias] = /^npm:((?:@[^/]+\/)?[^@]+)/.exec(listed) ?? [];
  return alias === undefined || known === undefined ? version : `npm:${alias}@${version}`;
}

/** Returns the absolute path of a dependency on a file or folder. */
function fileOf(listed: string | undefined, project: string): string | undefined {
  return listed?.startsWith("file:") ? resolve(project, listed.slice("file:".length)) : undefined;
}

function isTarball(file: string): boolean {
  return /\.(?:tgz|tar\.gz)$/.test(file);
}

function isFolder(name: string, listed = "", project: string): boolean {
  const file = fileOf(listed, project);
  if (file !== undefined) return !isTarball(file);
  if (/^(?:link|portal):/.test(listed)) return true;
  return isOfWorkspace(name, listed, project) && findInstalled(project, name)?.private === true;
}

function isSibling(name: string, listed = "", project: string): boolean {
  return isOfWorkspace(name, listed, project) && !isFolder(name, listed, project);
}

/** The package managers link the packages of a workspace, and keep all others in a node_modules. */
function isOfWorkspace(name: string, listed: string, project: string): boolean {
  const folder = findInstalledFolder(join(project, "package.json"), name);
  if (listed === "" || fileOf(listed, project) !== undefined || folder === undefined) return false;
  return !realpathSync(folder).split(sep).includes("node_modules");
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
