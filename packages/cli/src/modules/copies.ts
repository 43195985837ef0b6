import { createRequire } from "node:module";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import type { Server } from "proffer";
import { CommandError } from "../terminal/command-error.ts";

/** The entries of the run-time that work with a server. */
const ENTRIES = {
  "proffer/built": () => import("proffer/built"),
  "proffer/derived": () => import("proffer/derived"),
  "proffer/process": () => import("proffer/process"),
  "proffer/client": () => import("proffer/client"),
};

type Entries = { readonly [Name in keyof typeof ENTRIES]: Awaited<ReturnType<(typeof ENTRIES)[Name]>> };

/** A copy of the run-time. */
interface Copy {
  /** Its package.json. */
  readonly file: string;
  readonly version: string;
}

/** Set by every version of the run-time; the value has the place of the copy. */
const BRAND = Symbol.for("proffer.server");

/**
 * Imports an entry of the copy of the run-time that created a server: a built folder has its own. Each copy knows only
 * its own servers and errors.
 * @throws {CommandError} for a copy of another version, with the places of both.
 */
export async function entryOf<Name extends keyof Entries>(server: Server, name: Name): Promise<Entries[Name]> {
  const own = copyAt(import.meta.url);
  const { url } = (server as { [BRAND]?: { readonly url?: string } })[BRAND] ?? {};
  const theirs = url === undefined ? undefined : copyAt(url);
  if (theirs?.file === own?.file) return (await ENTRIES[name]()) as Entries[Name];
  if (theirs === undefined || theirs.version !== own?.version) throw otherVersion(server, theirs, own);
  return import(pathToFileURL(createRequire(theirs.file).resolve(name)).href);
}

/** @throws {CommandError} for servers that different copies have created: one process serves only those of one copy. */
export function requireOneCopy(servers: readonly Server[]): void {
  const files = servers.map((server) => copyAt((server as { [BRAND]?: { readonly url?: string } })[BRAND]?.url)?.file);
  const other = files.findIndex((file) => file !== files[0]);
  if (other === -1) return;
  throw new CommandError(
    `The servers ${servers[0]?.info.name} and ${servers[other]?.info.name} use different copies of proffer, ${folderOf(files[0])} and ${folderOf(files[other])}. Serve each in a process of its own.`,
  );
}

function copyAt(url: string | undefined): Copy | undefined {
  if (url === undefined || !url.startsWith("file:")) return undefined;
  try {
    const from = createRequire(url);
    const file = from.resolve("proffer/package.json");
    return { file, version: from(file).version };
  } catch {
    // A bundle has no package around it.
    return undefined;
  }
}

function otherVersion({ info }: Server, theirs: Copy | undefined, own: Copy | undefined): CommandError {
  const other = theirs === undefined ? "another version of proffer, or is a bundle" : describeCopy(theirs);
  return new CommandError(
    `The server ${info.name} uses ${other}, but this command uses ${own && describeCopy(own)}. Install the same version for both, or run node with the index.js of the built folder.`,
  );
}

function describeCopy({ file, version }: Copy): string {
  return `proffer ${version} in ${folderOf(file)}`;
}

function folderOf(file: string | undefined): string {
  return file === undefined ? "an unknown place" : dirname(file);
}
