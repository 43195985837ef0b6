import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isServer, type Server } from "proffer";
import { createDerivedServer } from "proffer/built";
import type { Manifest, Module } from "proffer/derived";
import type { Derivation } from "../derive/index.ts";
import { CommandError, explainUsage } from "../terminal/command-error.ts";
import { isBroken } from "../terminal/diagnostic-report.ts";
import { type Listing, listAll } from "../terminal/listing.ts";
import { fromHere } from "../terminal/shell.ts";
import { entryOf } from "./copies.ts";
import { toManifest } from "./derive-module.ts";
import { checkModuleSettings, importModule } from "./import-module.ts";
import { BUILT_MANIFEST, BUILT_SERVER, findBuiltFolder } from "./module-file.ts";
import { type PreparedModule, type PrepareOptions, prepareModule } from "./prepare-module.ts";

/** A server, and a function that imports its module. */
export interface OpenedServer {
  readonly server: Server;
  /** Absent if the module is already imported. */
  readonly load?: () => Promise<unknown>;
  /** The settings that the module needs when it is imported; absent if it has none. */
  readonly settings?: Manifest["settings"] | undefined;
  /** Absent for a built folder. */
  readonly prepared?: PreparedModule;
}

/** A module or a built folder, as far as it is known without importing the author's code. */
export interface DescribedModule extends Manifest {
  readonly form: PreparedModule["form"];
}

/**
 * Loads a module like `proffer serve` does and returns its server, for tests: `connect(await load("tools.ts"))`.
 * @param module - a path, relative to the current directory, or a URL: `new URL("./tools.ts", import.meta.url)`.
 * @throws {Error} for a module that cannot be served, with the reason.
 */
export async function load(module: string | URL): Promise<Server> {
  const opened = await openServer(typeof module === "string" ? module : fileURLToPath(module));
  await explainUsage(opened.load?.() ?? Promise.resolve());
  return opened.server;
}

/** Opens a module or a built folder. A module is imported only if it exports its own server; otherwise call `load`. */
export async function openServer(file: string, options?: PrepareOptions): Promise<OpenedServer> {
  const built = findBuiltFolder(file);
  if (built !== undefined) return explainUsage(openBuilt(file, built));
  const prepared = await prepareModule(file, options);
  return { ...(await explainUsage(openPrepared(prepared))), prepared };
}

/** Returns the server of a prepared module. It is imported only if it exports its own server. */
export async function openPrepared({ file, form, manifest, load }: PreparedModule): Promise<OpenedServer> {
  const { settings } = manifest;
  if (form === "functions") return { server: createDerivedServer(manifest, load), load, settings };
  return { server: await ownServer(file, form, manifest, await load()) };
}

async function openBuilt(file: string, folder: string): Promise<OpenedServer> {
  const { form, settings } = await readBuiltManifest(file, folder);
  // The server of any other form imports the author's module.
  if (form !== "functions") await checkModuleSettings({ settings });
  const module = await importModule(file, pathToFileURL(join(folder, BUILT_SERVER)).href);
  const server = serverOf(file, module, "default");
  if (typeof module.load !== "function") return { server, settings };
  const load = module.load as () => Promise<unknown>;
  return { server, settings, load: () => checkModuleSettings({ settings }).then(load) };
}

/**
 * Returns the server that a module exports: the default export, or the export `server` with the module's functions.
 * @throws {CommandError} if it is not a server. @throws {UsageError} if it has an item with the name of a function.
 */
export async function ownServer(
  file: string,
  form: "server" | "combined",
  manifest: Manifest,
  module: Module,
): Promise<Server> {
  if (form === "server") return serverOf(file, module, "default");
  const server = serverOf(file, module, "server");
  const { addFunctions } = await entryOf(server, "proffer/built");
  return addFunctions(server, module, manifest, { source: fromHere(file) });
}

/** Returns an export of a module. @throws {CommandError} if it is not a server. */
function serverOf(file: string, module: Module, name: "default" | "server"): Server {
  const exported = module[name];
  if (isServer(exported)) return exported;
  const subject = name === "default" ? "default export" : "export 'server'";
  throw new CommandError(
    `The ${subject} of ${file} is ${kindOf(exported)}, not a server. Export the result of defineServer().`,
  );
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/**
 * Describes a module or a built folder.
 * @throws {CommandError} for a module that cannot be served: a client would not show the reason.
 */
export async function describeModule(file: string): Promise<DescribedModule> {
  const built = findBuiltFolder(file);
  if (built !== undefined) return readBuiltManifest(file, built);
  const { manifest, form } = await prepareModule(file);
  return { ...manifest, form };
}

/** Reads the manifest of a built folder. @throws {CommandError} if it is damaged. */
export async function readBuiltManifest(file: string, folder: string): Promise<DescribedModule> {
  const module = await importModule(file, pathToFileURL(join(folder, BUILT_MANIFEST)).href);
  return module.default as DescribedModule;
}

/**
 * Returns the server of a derivation, to list its items. Only a module that exports its own server must be imported for
 * that, and only if it can be served.
 */
export async function describedServer(file: string, derivation: Derivation): Promise<Server> {
  if (derivation.form !== "functions" && !isBroken(derivation)) return load(file);
  const manifest = toManifest(derivation);
  // The lists of companions are code, too: only their templates are shown.
  const resources = manifest.resources.map(({ companion: _, ...resource }) => resource);
  return createDerivedServer({ ...manifest, resources }, () =>
    Promise.reject(new Error("A server that is only listed calls no functions.")),
  );
}

/** Requests the non-empty lists of a server in this process. */
export async function listServer(server: Server): Promise<Listing> {
  // Lists do not need a database that `onStart` would connect to.
  const { connect } = await entryOf(server, "proffer/client");
  const client = await connect(server, { start: false });
  try {
    // Resources may be tools, too: the server knows whether they are.
    return await listAll(client, client.capabilities);
  } finally {
    await client.close();
  }
}
