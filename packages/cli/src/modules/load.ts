import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isServer, type Server } from "proffer";
import { createDerivedServer, type Module } from "proffer/derived";
import { CommandError } from "../terminal/command-error.ts";
import { importModule } from "./import-module.ts";
import { BUILT_SERVER, findBuiltFolder } from "./module-file.ts";
import { type PreparedModule, type PrepareOptions, prepareModule } from "./prepare-module.ts";

/** A server, and a function that imports its module. */
export interface OpenedServer {
  readonly server: Server;
  /** Absent if the module is already imported. */
  readonly load?: () => Promise<unknown>;
  /** Absent for a built folder. */
  readonly prepared?: PreparedModule;
}

/**
 * Loads a module like `proffer serve` does and returns its server, for tests: `connect(await load("tools.ts"))`.
 * @param module - a path, relative to the current directory, or a URL: `new URL("./tools.ts", import.meta.url)`.
 * @throws {Error} for a module that cannot be served, with the reason.
 */
export async function load(module: string | URL): Promise<Server> {
  const opened = await openServer(typeof module === "string" ? module : fileURLToPath(module));
  await opened.load?.();
  return opened.server;
}

/** Opens a module or a built folder. A module is imported only if it exports its own server; otherwise call `load`. */
export async function openServer(file: string, options?: PrepareOptions): Promise<OpenedServer> {
  const built = findBuiltFolder(file);
  if (built !== undefined) return openBuilt(file, built);
  const prepared = await prepareModule(file, options);
  return { ...(await openPrepared(prepared)), prepared };
}

async function openPrepared({ file, form, manifest, load }: PreparedModule): Promise<OpenedServer> {
  if (form === "server") return { server: serverOf(file, await load()) };
  return { server: createDerivedServer(manifest, load), load };
}

async function openBuilt(file: string, folder: string): Promise<OpenedServer> {
  const module = await importModule(file, pathToFileURL(join(folder, BUILT_SERVER)).href);
  const server = serverOf(file, module);
  return typeof module.load === "function" ? { server, load: module.load as () => Promise<unknown> } : { server };
}

/** Returns the default export of a module. @throws {CommandError} if it is not a server. */
export function serverOf(file: string, module: Module): Server {
  if (isServer(module.default)) return module.default;
  throw new CommandError(
    `The default export of ${file} is ${kindOf(module.default)}, not a server. Export the result of defineServer().`,
  );
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
