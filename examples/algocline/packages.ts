import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { RpcError } from "proffer";
import { parse } from "smol-toml";
import { type FileSet, isId, openFolder } from "./file-sets.ts";
import type { Places } from "./places.ts";

/** A file that every package may have, such as `init.lua`, by the name of the package. */
export function packageFiles({ home, project }: Places, file: string): FileSet {
  const installed = join(home, "packages");
  /** The folders that a package may be in. Each may be a link: algocline links packages that are being worked on. */
  async function foldersOf(name: string): Promise<readonly string[]> {
    const variant = (await findVariants(project)).get(name);
    return [...(variant === undefined ? [] : [variant]), join(installed, name)];
  }
  async function text(name: string): Promise<string | undefined> {
    for (const folder of await foldersOf(name)) {
      const own = await openFolder(folder).text(file);
      if (own !== undefined) return own;
    }
    return undefined;
  }
  async function has(name: string): Promise<boolean> {
    for (const folder of await foldersOf(name)) {
      if (await openFolder(folder).has(file)) return true;
    }
    return false;
  }
  async function ids(): Promise<readonly string[]> {
    const variants = await findVariants(project);
    const found: string[] = [];
    for (const name of new Set([...variants.keys(), ...(await folderNames(installed))])) {
      // A package whose file leads out of it is not listed; to read it says why.
      if (isId(name) && (await has(name).catch(() => false))) found.push(name);
    }
    return found.sort();
  }
  return { has, text, ids };
}

/** The names of the folders in a folder, and of links, which may lead to one; none if it is not there. */
async function folderNames(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  return entries.filter((entry) => entry.isDirectory() || entry.isSymbolicLink()).map(({ name }) => name);
}

/**
 * The folders of the packages that a project keeps for itself, by name. A file that cannot be read is never taken for
 * one without packages: somebody would run another version than they think. @throws {RpcError}
 */
export async function findVariants(project: string | undefined): Promise<ReadonlyMap<string, string>> {
  const variants = new Map<string, string>();
  const text = project === undefined ? undefined : await openFolder(project).text("alc.local.toml");
  if (project === undefined || text === undefined) return variants;
  const { packages } = parseVariants(text, project);
  for (const [name, entry] of isTable(packages) ? Object.entries(packages) : []) {
    if (isTable(entry) && typeof entry.path === "string") variants.set(name, resolve(project, entry.path));
  }
  return variants;
}

function parseVariants(text: string, project: string): { readonly [key: string]: unknown } {
  try {
    return parse(text);
  } catch (cause) {
    throw new RpcError(
      "internal_error",
      `pkg_read_init_lua: malformed alc.local.toml at ${project}: ${firstLine(cause)}`,
      { cause },
    );
  }
}

/** What a parser says first; the rest of its message is a drawing. */
export function firstLine(error: unknown): string {
  return String((error as Error).message).split("\n", 1)[0] ?? "";
}

function isTable(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
