import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Client, ConnectionError, connect, RemoteError } from "proffer/client";
import type { ManifestSettings } from "proffer/derived";
import { findInstalledFolder } from "../modules/packages.ts";
import { CommandError } from "../terminal/command-error.ts";
import { type Listing, listAll } from "../terminal/listing.ts";
import { npmFailure, runNpm } from "../terminal/npm.ts";
import { redact } from "../terminal/redact.ts";
import { currentShell } from "../terminal/shell.ts";
import { Text, text } from "../terminal/text.ts";
import { describingArguments, hideSecrets, parseVariables } from "./describing.ts";
import { refusePlaceholders } from "./placeholders.ts";

/** The options of the commands that start what they wrote. */
export interface StartFlags {
  /** False writes an artifact without starting it. */
  readonly start?: boolean;
  /** `name=value`: variables for a module that does not accept placeholders. */
  readonly env?: readonly string[];
}

/** A written artifact, to be started from another folder. */
export interface Artifact {
  /** Its name in messages. */
  readonly name: string;
  /** Writes its files into an empty folder. */
  copyTo(folder: string): void;
  /** The file that starts it, in the folder. */
  readonly entry: string;
  readonly settings: ManifestSettings | undefined;
  /** What the user can do if it does not start. */
  readonly remedy: string;
  /** Where it gets its packages: from the project that contains this file, or from npm. Default: it needs none. */
  readonly packages?: { readonly of: string } | "npm";
}

const PLUG_N_PLAY =
  "With Yarn Plug'n'Play, the result cannot be started to check it: its packages are in archives. Nothing was written. Add nodeLinker: node-modules to .yarnrc.yml, or add --no-start.";

/** In milliseconds, for the start and all lists. */
const TIMEOUT = 30_000;

/**
 * Starts an artifact as a client would, but only to describe it, and returns its lists. It runs in a copy in another
 * folder, so that it finds no file and no package beside it, with the variables PATH and HOME. It answers the handshake
 * and lists; no function of the author is called.
 * @throws {CommandError} with the reason and the remedy if it does not start.
 */
export async function startArtifact(artifact: Artifact, { env = [] }: StartFlags): Promise<Listing> {
  if (process.versions.pnp !== undefined) throw new CommandError(PLUG_N_PLAY);
  const place = realpathSync(mkdtempSync(join(tmpdir(), "proffer-start-")));
  const copy = join(place, "artifact");
  try {
    artifact.copyTo(copy);
    if (artifact.packages === "npm") installIn(copy);
    else if (artifact.packages !== undefined) linkPackages(copy, artifact.packages.of);
    const home = join(place, "elsewhere");
    mkdirSync(home);
    const listing = await describeProcess(artifact, join(copy, artifact.entry), home, env);
    refusePlaceholders(listing, artifact.settings);
    return listing;
  } finally {
    rmSync(place, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function describeProcess(
  { name, remedy, settings }: Artifact,
  entry: string,
  cwd: string,
  given: readonly string[],
): Promise<Listing> {
  const { env } = currentShell();
  const kept = ["PATH", "Path", "HOME", "USERPROFILE", "SystemRoot", "TEMP"];
  const variables = Object.fromEntries(kept.flatMap((key) => (env[key] === undefined ? [] : [[key, env[key]]])));
  let printed = "";
  const onStderr = (chunk: string) => {
    printed = `${printed}${chunk}`.slice(-MAX_PRINTED);
  };
  const own = parseVariables(given);
  hideSecrets(settings, own);
  const target = {
    command: process.execPath,
    args: [...describingArguments(), entry],
    cwd,
    env: { ...variables, ...own },
  };
  const signal = AbortSignal.timeout(TIMEOUT);
  let client: Client | undefined;
  try {
    client = await connect(target, { onStderr, signal });
    return await list(client, signal);
  } catch (error) {
    if (!isFailure(error, signal)) throw error;
    await client?.close();
    const folder = dirname(dirname(entry));
    const late = `It did not answer within ${TIMEOUT / 1000} s.`;
    const reason = shorten(redact(printed.replaceAll(folder, "")), signal.aborted ? late : error.message);
    throw new CommandError(
      text`${name} does not start in another folder. Nothing was written.\n${Text.block(reason)}\n${remedy}${settings === undefined ? "" : PLACEHOLDERS} --no-start writes without this check.`,
      { cause: error },
    );
  } finally {
    await client?.close();
  }
}

function isFailure(error: unknown, signal: AbortSignal): error is Error {
  return error instanceof RemoteError || error instanceof ConnectionError || (signal.aborted && error instanceof Error);
}

const PLACEHOLDERS = " The settings had placeholders: if the module refuses them, pass values with --env NAME=value.";

/** Requests the lists. A list that a function computes stays empty, because no function is called. */
function list(client: Client, signal: AbortSignal): Promise<Listing> {
  const fixed = client.listResources.bind(client);
  const listResources = () =>
    fixed().catch((error: unknown) => {
      if (error instanceof RemoteError) return [];
      throw error;
    });
  const late = once(signal, "abort").then((): never => {
    throw signal.reason;
  });
  return Promise.race([listAll(Object.assign(client, { listResources }), client.capabilities), late]);
}

/** In characters. */
const MAX_PRINTED = 8000;
const MAX_LINE = 200;
const MAX_LINES = 12;

/** Shows the lines of an exception, without those of Node. The code of a bundle may be one line. */
function shorten(printed: string, fallback: string): string {
  const lines = printed
    .split("\n")
    .filter((line) => line.trim() !== "" && !/^\s+at .*node:internal|^Node\.js v/.test(line));
  const shown = lines.map((line) => (line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line));
  // The message of an exception follows the line of code that threw it.
  const first = Math.max(
    0,
    shown.findIndex((line) => /^\w*(?:Error|Exception)\b|^error:/.test(line)),
  );
  return shown.slice(first, first + MAX_LINES).join("\n") || fallback;
}

/** Links the packages that the package.json of a build lists, and no other, as the project has them. */
function linkPackages(folder: string, module: string): void {
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  for (const name of Object.keys(dependencies)) {
    const target = join(folder, "node_modules", name);
    const found = findInstalledFolder(module, name);
    if (found === undefined || existsSync(target)) continue;
    mkdirSync(dirname(target), { recursive: true });
    symlinkSync(realpathSync(found), target, "junction");
  }
}

function installIn(folder: string): void {
  const { isDone, errors } = runNpm(["install", "--omit=dev", "--no-audit", "--no-fund"], folder, "kept");
  if (!isDone) throw npmFailure("The packages of the build cannot be installed. Nothing was written.", errors);
}
