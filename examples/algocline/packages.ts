import { join, resolve } from "node:path";
import { RpcError } from "proffer";
import { parse } from "smol-toml";
import { findFile, folderNames, readText } from "./confined-file.ts";
import { type FileSet, isId } from "./file-sets.ts";
import type { Places } from "./places.ts";

/** A file that every package may have, such as `init.lua`, by the name of the package. */
export function packageFiles({ home, project }: Places, file: string): FileSet {
  const installed = join(home, "packages");
  async function find(name: string): Promise<string | undefined> {
    const variant = (await findVariants(project)).get(name);
    const own = variant === undefined ? undefined : await findFile(variant, file);
    return own ?? findFile(join(installed, name), file);
  }
  async function ids(): Promise<readonly string[]> {
    const variants = await findVariants(project);
    const found: string[] = [];
    for (const name of new Set([...variants.keys(), ...(await folderNames(installed))])) {
      if (isId(name) && (await leadsSomewhere(find(name)))) found.push(name);
    }
    return found.sort();
  }
  return { find, ids };
}

/**
 * The folders of the packages that a project keeps for itself, by name. A file that cannot be read is never taken for
 * one without packages: somebody would run another version than they think. @throws {RpcError}
 */
export async function findVariants(project: string | undefined): Promise<ReadonlyMap<string, string>> {
  const variants = new Map<string, string>();
  const file = project === undefined ? undefined : await findFile(project, "alc.local.toml");
  const text = file === undefined ? undefined : await readText(file);
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

/** A package whose file leads out of it is not listed; to read it says why. */
async function leadsSomewhere(found: Promise<string | undefined>): Promise<boolean> {
  return (await found.catch(() => undefined)) !== undefined;
}

/** What a parser says first; the rest of its message is a drawing. */
export function firstLine(error: unknown): string {
  return String((error as Error).message).split("\n", 1)[0] ?? "";
}

function isTable(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
