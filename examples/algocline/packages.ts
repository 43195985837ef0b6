import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { RpcError } from "proffer";
import { parse } from "smol-toml";
import { type FileSet, isId, openFolder } from "./file-sets.ts";
import type { Places } from "./places.ts";

/** A file that packages may have, such as `init.lua`; the ids are the names of the packages. */
export function packageFiles({ home, project }: Places, file: string): FileSet {
  const installed = join(home, "packages");
  /** The folders of a package. Each may be a symbolic link: algocline links packages in development. */
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
      // A package whose file is a link out of it is not listed; reading it reports the reason.
      if (isId(name) && (await has(name).catch(() => false))) found.push(name);
    }
    return found.sort();
  }
  return { has, text, ids };
}

/** The names of the subfolders and symbolic links of a folder; empty if the folder does not exist. */
async function folderNames(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  return entries.filter((entry) => entry.isDirectory() || entry.isSymbolicLink()).map(({ name }) => name);
}

/**
 * The folders of a project's own packages, by name. An invalid file is an error and does not count as empty: otherwise
 * users would run another version than they expect. @throws {RpcError}
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

/** The first line of a parser's message; the rest shows the code. */
export function firstLine(error: unknown): string {
  return String((error as Error).message).split("\n", 1)[0] ?? "";
}

function isTable(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
