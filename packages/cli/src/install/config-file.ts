import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { CommandError } from "../terminal/command-error.ts";
import { Text, text } from "../terminal/text.ts";
import type { ClientConfig } from "./clients.ts";
import type { Edit } from "./edit.ts";
import { editJson } from "./edit-json.ts";
import { editToml } from "./edit-toml.ts";
import { editYaml } from "./edit-yaml.ts";

const EDITS: { readonly [Format in ClientConfig["format"]]: Edit } = { json: editJson, toml: editToml, yaml: editYaml };

type Entries = { readonly [name: string]: unknown };

/** The text of a configuration file before and after a change. */
export interface ConfigChange {
  readonly before: string;
  readonly after: string;
}

/** Reads the server entries of a configuration file. @throws {CommandError} for a malformed file. */
export function readEntries(file: string, client: ClientConfig): Entries {
  return entriesOf(file, client, readValue(file, client, readText(file)));
}

/**
 * Sets an entry in the text of a configuration file, or removes it if `entry` is undefined. Writes nothing.
 * @throws {CommandError} if the edit would change other content.
 */
export function planChange(file: string, client: ClientConfig, name: string, entry: object | undefined): ConfigChange {
  const before = readText(file);
  const value = readValue(file, client, before);
  const entries = entriesOf(file, client, value);
  const after = EDITS[client.format].write(before, client.section, name, entry);
  const wanted = { ...value, [client.section]: { ...without(entries, name), ...(entry && { [name]: entry }) } };
  if (!isSame(readAgain(client, after), wanted, client.section)) {
    throw new CommandError(
      text`${file} cannot be edited safely and was not changed. ${
        entry === undefined
          ? text`Remove ${JSON.stringify(name)} from its ${client.section} by hand.`
          : text`Add this to its ${client.section} by hand:\n${Text.json({ [name]: entry }, 2)}`
      }`,
    );
  }
  return { before, after };
}

/** Writes a configuration file. Copies an existing file to a backup beside it and returns the backup's path. */
export function writeConfig(file: string, text: string): string | undefined {
  // Users link such files to a dotfiles folder: write to the target, so that the link stays a link.
  const target = existsSync(file) ? realpathSync(file) : file;
  mkdirSync(dirname(target), { recursive: true });
  const backup = existsSync(target) ? `${target}.${timestamp()}.bak` : undefined;
  if (backup !== undefined) copyFileSync(target, backup);
  const temporary = `${target}.${process.pid}.tmp`;
  // Such files contain API keys of other servers: keep the file mode, and let only the owner read a new file.
  const mode = backup === undefined ? 0o600 : statSync(target).mode;
  writeFileSync(temporary, text, { mode });
  renameSync(temporary, target);
  return backup;
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw new CommandError(`${file} cannot be read: ${(error as Error).message}`);
  }
}

function readValue(file: string, { format, title }: ClientConfig, text: string): Entries {
  let value: unknown;
  try {
    value = EDITS[format].read(text);
  } catch (error) {
    throw new CommandError(
      `${file} is not valid ${format.toUpperCase()}: ${(error as Error).message}. ` +
        `Fix it first, because ${title} cannot read it either. The file was not changed.`,
    );
  }
  if (isEntries(value)) return value;
  throw new CommandError(`${file} does not contain an object. The file was not changed.`);
}

function entriesOf(file: string, { section }: ClientConfig, value: Entries): Entries {
  const entries = (Object.hasOwn(value, section) ? value[section] : undefined) ?? {};
  if (isEntries(entries)) return entries;
  throw new CommandError(`${section} in ${file} is not an object. The file was not changed.`);
}

function isEntries(value: unknown): value is Entries {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function without(entries: Entries, name: string): Entries {
  return Object.fromEntries(Object.entries(entries).filter(([key]) => key !== name));
}

function readAgain({ format }: ClientConfig, text: string): unknown {
  try {
    return EDITS[format].read(text);
  } catch {
    return undefined;
  }
}

/** Compares two values deeply. An empty section equals a missing one. */
function isSame(actual: unknown, wanted: Entries, section: string): boolean {
  if (!isEntries(actual)) return false;
  const normal = (value: Entries) => JSON.parse(JSON.stringify({ ...value, [section]: value[section] ?? {} }));
  return isDeepStrictEqual(normal(actual), normal(wanted));
}

function timestamp(): string {
  return new Date().toISOString().replace(/[-:]|\.\d+/g, "");
}
