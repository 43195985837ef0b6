import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ManifestSettings } from "proffer/derived";
import { connectOver, RemoteError, type TestClient } from "proffer/testing";
import { linkCommand } from "../client/command-link.ts";
import { NO_RESPONSE } from "../client/link.ts";
import { findInstalledFolder } from "../modules/packages.ts";
import { CommandError } from "../terminal/command-error.ts";
import { type Listing, listAll } from "../terminal/listing.ts";
import { npmFailure, runNpm } from "../terminal/npm.ts";
import { currentShell } from "../terminal/shell.ts";
import { Text, text } from "../terminal/text.ts";
import { describingArguments, parseVariables } from "./describing.ts";
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

/** In milliseconds, for the start and all lists. */
const TIMEOUT = 30_000;

/**
 * Starts an artifact as a client would, but only to describe it, and returns its lists. It runs in a copy in another
 * folder, so that it finds no file and no package beside it, with the variables PATH and HOME. It answers the handshake
 * and lists; no function of the author is called.
 * @throws {CommandError} with the reason and the remedy if it does not start.
 */
export async function startArtifact(artifact: Artifact, { env = [] }: StartFlags): Promise<Listing> {
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
  const command = [process.execPath, ...describingArguments(), entry];
  let printed = "";
  const stderr = (chunk: string) => {
    printed = `${printed}${chunk}`.slice(-MAX_PRINTED);
  };
  const link = linkCommand(command, { cwd, env: { ...variables, ...parseVariables(given) }, observer: { stderr } });
  const late = once(AbortSignal.timeout(TIMEOUT), "abort").then((): never => {
    throw new RemoteError({ code: NO_RESPONSE, message: `It did not answer within ${TIMEOUT / 1000} s.` });
  });
  let close: (() => void | Promise<void>) | undefined;
  try {
    const opened = connectOver((receive) => {
      const linked = link(receive);
      close = linked.close;
      return linked;
    });
    return await Promise.race([opened.then(list), late]);
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    await close?.();
    const folder = dirname(dirname(entry));
    const reason = shorten(printed.replaceAll(folder, ""), error.message);
    throw new CommandError(
      text`${name} does not start in another folder. Nothing was written.\n${Text.block(reason)}\n${remedy}${settings === undefined ? "" : PLACEHOLDERS} --no-start writes without this check.`,
      { cause: error },
    );
  } finally {
    await close?.();
  }
}

const PLACEHOLDERS = " The settings had placeholders: if the module refuses them, pass values with --env NAME=value.";

/** Requests the lists. A list that a function computes stays empty, because no function is called. */
function list(client: TestClient): Promise<Listing> {
  const { capabilities } = client.opened as { readonly capabilities: { readonly [name: string]: unknown } };
  const fixed = client.listResources.bind(client);
  const listResources = () =>
    fixed().catch((error: unknown) => {
      if (error instanceof RemoteError && error.code !== NO_RESPONSE) return [];
      throw error;
    });
  return listAll(Object.assign(client, { listResources }), capabilities);
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
