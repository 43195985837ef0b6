import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { isObject, type Members, parseJson } from "../terminal/json.ts";

/** An entry of package-lock.json. */
interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly dependencies?: Members;
  readonly optionalDependencies?: Members;
  readonly peerDependencies?: Members;
  readonly peerDependenciesMeta?: { readonly [name: string]: { readonly optional?: boolean } };
}

/** The lock file of npm for a project, which may be in the root of its workspaces. */
export interface ProjectLock {
  readonly packages: { readonly [path: string]: LockedPackage };
  /** The path of the project in the lock; empty for its root. */
  readonly project: string;
}

/** Reads the package-lock.json of a project. Undefined without one, and for other package managers. */
export function readProjectLock(project: string): ProjectLock | undefined {
  for (let folder = project; ; folder = dirname(folder)) {
    const file = join(folder, "package-lock.json");
    if (existsSync(file)) {
      const lock = parseJson(readFileSync(file, "utf8"));
      const path = relative(folder, project).split(sep).join("/");
      const packages = isObject(lock) && isObject(lock.packages) ? lock.packages : {};
      // The lock of a folder above that is no workspace says nothing about the project.
      return isObject(packages[path]) ? { packages: packages as ProjectLock["packages"], project: path } : undefined;
    }
    if (dirname(folder) === folder) return undefined;
  }
}

/** Returns the entry that the project gets for a package. */
export function lockedPackage({ packages, project }: ProjectLock, name: string): LockedPackage | undefined {
  const path = find(packages, name, project);
  return path === undefined ? undefined : packages[path];
}

/**
 * Returns the part of a lock that a build needs, so that its folder is installed with the versions that the author has.
 * Undefined if a package is a folder of this machine, or the tree does not fit into one folder.
 * @param content - the package.json of the build
 */
export function lockOfBuild(
  { packages, project }: ProjectLock,
  content: {
    readonly name: string;
    readonly version: string;
    readonly dependencies: { readonly [name: string]: string };
  },
): object | undefined {
  const found = new Map<string, LockedPackage>();
  const open = Object.keys(content.dependencies).map((name) => ({ name, from: project, isNeeded: true }));
  const paths = new Set<string>();
  for (const { name, from, isNeeded } of open) {
    const path = find(packages, name, from);
    const entry = path === undefined ? undefined : packages[path];
    if (path === undefined || entry === undefined) {
      if (isNeeded) return undefined;
      continue;
    }
    if (entry.link) return undefined;
    if (paths.has(path)) continue;
    paths.add(path);
    const inBuild = project !== "" && path.startsWith(`${project}/`) ? path.slice(project.length + 1) : path;
    if (found.has(inBuild)) return undefined;
    found.set(inBuild, strip(entry));
    const { dependencies = {}, optionalDependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = entry;
    for (const each of Object.keys(dependencies)) open.push({ name: each, from: path, isNeeded: true });
    for (const each of Object.keys(optionalDependencies)) open.push({ name: each, from: path, isNeeded: false });
    for (const each of Object.keys(peerDependencies)) {
      if (!peerDependenciesMeta[each]?.optional) open.push({ name: each, from: path, isNeeded: false });
    }
  }
  const { name, version } = content;
  const entries = Object.fromEntries([...found].sort(([one], [other]) => (one < other ? -1 : 1)));
  return { name, version, lockfileVersion: 3, requires: true, packages: { "": content, ...entries } };
}

/** Finds a package from a place of the tree, as Node does. */
function find(packages: ProjectLock["packages"], name: string, from: string): string | undefined {
  for (let folder = from; ; folder = folder.includes("/") ? folder.slice(0, folder.lastIndexOf("/")) : "") {
    const path = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    if (Object.hasOwn(packages, path)) return path;
    if (folder === "") return undefined;
  }
}

/** In a build, no package is only for development, and tarballs are beside package.json. */
function strip(entry: LockedPackage): LockedPackage {
  const { dev: _, devOptional: __, ...rest } = entry as LockedPackage & Members;
  const { resolved } = rest;
  return resolved?.startsWith("file:") ? { ...rest, resolved: `file:${resolved.split("/").at(-1)}` } : rest;
}
