import { existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { CommandError } from "../terminal/command-error.ts";
import { isObject, type Members } from "../terminal/json.ts";
import { SECRET_NAME } from "../terminal/redact.ts";
import { Text, text } from "../terminal/text.ts";
import { backUp, replaceFile, withLock } from "./atomic-file.ts";
import type { ClientConfig } from "./clients.ts";
import { type Edit, editJson, editToml, editYaml } from "./edit-config.ts";

/** How each format is read and edited. */
export const EDITS: { readonly [Format in ClientConfig["format"]]: Edit } = {
  json: editJson,
  toml: editToml,
  yaml: editYaml,
};

/** The change of one entry. */
export interface EntryChange {
  readonly name: string;
  /** Absent to remove the entry. */
  readonly entry?: object;
}

/** The text of a configuration file before and after a change. */
interface ConfigChange {
  readonly before: string;
  readonly after: string;
  /** Hides the secrets in a line of both. */
  readonly hide: (line: string) => string;
  /** The path of the copy of the earlier file, if it was changed. */
  readonly backup?: string;
}

/** Returns the change to make, from the entries of the file. */
type Decide = (entries: Members) => EntryChange;

/** Claude Code keeps its history in such a file. The parser of YAML compares each key with all others. */
const MAX_KIB: { readonly [Format in ClientConfig["format"]]: number } = { json: 65_536, toml: 1024, yaml: 256 };

/** Plans a change without writing. @throws {CommandError} for a malformed file, or if other content would change. */
export function planConfig(file: string, client: ClientConfig, decide: Decide): ConfigChange {
  const before = readText(file, client);
  const value = readValue(file, client, before);
  const entries = entriesOf(file, client, value);
  const { name, entry } = decide(entries);
  const after = EDITS[client.format].write(before, client.section, name, entry);
  const { [name]: _, ...others } = entries;
  const wanted = { ...value, [client.section]: { ...others, ...(entry && { [name]: entry }) } };
  const hide = createHider(value, wanted);
  if (hasValue(client, after, wanted)) return { before, after, hide };
  const problem = text`${file} cannot be edited safely and was not changed.`;
  if (entry === undefined) {
    throw new CommandError(text`${problem} Remove ${JSON.stringify(name)} from its ${client.section} by hand.`);
  }
  const shown = JSON.stringify({ [name]: entry }, undefined, 2)
    .split("\n")
    .map(hide)
    .join("\n");
  throw new CommandError(text`${problem} Add this to its ${client.section} by hand:\n${Text.block(shown)}`);
}

/**
 * Changes an entry of a configuration file, and keeps a backup beside it. The file is read again under a lock, so that
 * concurrent changes do not overwrite each other.
 * @throws {CommandError} if the file is malformed, locked or not writable.
 */
export async function changeConfig(file: string, client: ClientConfig, decide: Decide): Promise<ConfigChange> {
  const target = resolveLinks(file);
  // A change that is not possible or not necessary leaves no trace, not even a folder.
  const first = planConfig(file, client, decide);
  if (first.before === first.after) return first;
  for (;;) {
    const written = await explainWrite(file, () => {
      mkdirSync(dirname(target), { recursive: true });
      return withLock(target, (isHeld) => tryWrite(target, planConfig(file, client, decide), isHeld));
    });
    if (written !== undefined) return written;
  }
}

/** Returns undefined if another process took the lock over. */
function tryWrite(target: string, change: ConfigChange, isHeld: () => boolean): ConfigChange | undefined {
  if (change.before === change.after) return change;
  const stats = statSync(target, { throwIfNoEntry: false });
  const backup = stats && backUp(target);
  if (!replaceFile(target, change.after, stats, isHeld)) return undefined;
  return { ...change, ...(backup !== undefined && { backup }) };
}

async function explainWrite<Value>(file: string, write: () => Promise<Value>): Promise<Value> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof CommandError || !(error as NodeJS.ErrnoException).code) throw error;
    throw new CommandError(`${file} cannot be written: ${(error as Error).message}`, { cause: error });
  }
}

function readText(file: string, { format }: ClientConfig): string {
  try {
    const stats = statSync(file);
    // A read of a pipe or a device would never end.
    if (!stats.isFile()) throw new Error("it is not a regular file.");
    const limit = MAX_KIB[format];
    if (stats.size > limit * 1024) throw new Error(`it has more than ${limit} KiB.`);
    // Other bytes than UTF-8 would be written back as other text.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw new CommandError(`${file} cannot be read: ${(error as Error).message}`);
  }
}

function readValue(file: string, { format, title }: ClientConfig, text: string): Members {
  let value: unknown;
  try {
    value = EDITS[format].read(text);
  } catch (error) {
    throw new CommandError(
      `${file} is not valid ${format.toUpperCase()}: ${describe(error as Error)}. ` +
        `Fix it first, because ${title} cannot read it either. The file was not changed.`,
    );
  }
  if (isObject(value)) return value;
  throw new CommandError(`${file} does not contain an object. The file was not changed.`);
}

/** The other lines of the message quote the file, which may contain secrets. */
function describe({ message, line, column }: Error & { readonly line?: number; readonly column?: number }): string {
  const problem = (message.split("\n", 1)[0] ?? "").replace(/[.:]$/, "");
  return line === undefined || column === undefined ? problem : `${problem} at line ${line}, column ${column}`;
}

function entriesOf(file: string, { section }: ClientConfig, value: Members): Members {
  const entries = (Object.hasOwn(value, section) ? value[section] : undefined) ?? {};
  if (isObject(entries)) return entries;
  throw new CommandError(`${section} in ${file} is not an object. The file was not changed.`);
}

/** Whether a text has this value. An empty section equals a missing one. */
function hasValue({ format, section }: ClientConfig, text: string, wanted: Members): boolean {
  const normal = (value: Members) => JSON.parse(JSON.stringify({ ...value, [section]: value[section] ?? {} }));
  try {
    const actual = EDITS[format].read(text);
    return isObject(actual) && isDeepStrictEqual(normal(actual), normal(wanted));
  } catch {
    return false;
  }
}

/** As many as Linux follows. */
const MAX_LINKS = 40;

/**
 * Returns the file to write. Users link such files to a dotfiles folder: the target is written, so that the link stays a
 * link, even if the target does not exist yet. All links to one file have the same result, and so the same lock.
 * @throws {CommandError} if the folder of a link's target does not exist.
 */
function resolveLinks(file: string): string {
  let path = realFolder(file);
  for (let count = 0; lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink(); count++) {
    if (count === MAX_LINKS) throw new CommandError(`${file} is a symbolic link to itself. Remove it first.`);
    const target = resolve(dirname(path), readlinkSync(path));
    if (!existsSync(dirname(target))) {
      throw new CommandError(
        `${file} is a symbolic link to ${target}, but the folder ${dirname(target)} does not exist. ` +
          "Create the folder or remove the link.",
      );
    }
    path = realFolder(target);
  }
  return path;
}

/** Resolves links in the path of the folder, if it exists. */
function realFolder(path: string): string {
  const folder = dirname(path);
  return existsSync(folder) ? join(realpathSync(folder), basename(path)) : path;
}

/** A value of a configuration that is not shown, with its key. */
interface Secret {
  readonly key: string;
  readonly value: string;
}

/** The keys of objects whose values may all be secrets. */
const SECRET_OBJECTS = new Set(["env", "envs", "environment", "headers"]);
/** A shorter value occurs in other text by chance, and is hidden only behind its key. */
const MIN_LENGTH = 8;
const HIDDEN = "***";
const MAX_LINE = 10_000;

/**
 * Returns a function that hides secrets in a line of a configuration file: environment variables, headers, and other
 * values whose key or flag names a secret. The output of `install` ends up in logs and in recordings of a screen.
 */
function createHider(...configurations: readonly unknown[]): (line: string) => string {
  const secrets = configurations.flatMap((value) => [...findSecrets(value, false)]);
  // A file in one line may have thousands of secrets, and nobody reads such a line.
  return (line) => (line.length > MAX_LINE ? `(${line.length} characters)` : secrets.reduce(hide, line));
}

function* findSecrets(value: unknown, isSecret: boolean): Generator<Secret> {
  if (Array.isArray(value)) {
    for (const [index, each] of value.entries()) {
      yield* findSecrets(each, isSecret);
      if (typeof each === "string") yield* findInArgument(String(value[index - 1] ?? ""), each);
    }
  } else if (typeof value === "object" && value !== null) {
    for (const [key, each] of Object.entries(value)) {
      if (typeof each === "object") yield* findSecrets(each, isSecret || SECRET_OBJECTS.has(key));
      else if (isSecret || SECRET_NAME.test(key)) yield { key, value: String(each) };
    }
  }
}

/** Finds the value in `--token=value`, or in `--token value`. */
function* findInArgument(before: string, argument: string): Generator<Secret> {
  const [, flag = "", value = ""] = /^-*([^=]*)=(.*)$/s.exec(argument) ?? [];
  if (SECRET_NAME.test(flag)) yield { key: `${flag}=`, value };
  else if (before.startsWith("-") && SECRET_NAME.test(before)) yield { key: "", value: argument };
}

function hide(line: string, { key, value }: Secret): string {
  if (value === "") return line;
  const isLong = value.length >= MIN_LENGTH;
  if (!isLong && key === "") return line.replaceAll(JSON.stringify(value), JSON.stringify(HIDDEN));
  if (!isLong && !line.includes(key)) return line;
  const at = isLong ? 0 : line.indexOf(key) + key.length;
  // A value of several lines is hidden line by line.
  const forms = [value, JSON.stringify(value).slice(1, -1), ...value.split("\n").filter((part) => part !== "")];
  return line.slice(0, at) + forms.reduce((rest, form) => rest.replaceAll(form, HIDDEN), line.slice(at));
}
