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
import type { ClientConfig } from "./clients.ts";
import type { Edit } from "./edit.ts";
import { editJson } from "./edit-json.ts";
import { editToml } from "./edit-toml.ts";
import { editYaml } from "./edit-yaml.ts";

const EDITS: { readonly [Format in ClientConfig["format"]]: Edit } = { json: editJson, toml: editToml, yaml: editYaml };

type Entries = { readonly [name: string]: unknown };

/** A client's configuration file, as it is and as it shall be. */
export interface ConfigChange {
  readonly before: string;
  readonly after: string;
}

/** The servers that a configuration has. @throws {CommandError} for a file that is malformed. */
export function readEntries(file: string, client: ClientConfig): Entries {
  return entriesOf(file, client, readValue(file, client, readText(file)));
}

/** What the file would become with an entry set, or removed if it is undefined. @throws {CommandError} if that cannot be done safely. */
export function planChange(file: string, client: ClientConfig, name: string, entry: object | undefined): ConfigChange {
  const before = readText(file);
  const value = readValue(file, client, before);
  const entries = entriesOf(file, client, value);
  const after = EDITS[client.format].write(before, client.section, name, entry);
  const wanted = { ...value, [client.section]: { ...without(entries, name), ...(entry && { [name]: entry }) } };
  if (!isSame(readAgain(client, after), wanted, client.section)) {
    throw new CommandError(
      `${file} is written in a way that cannot be edited without the risk to damage it; nothing was changed. ` +
        `Add this to its ${client.section} yourself:\n${JSON.stringify({ [name]: entry }, undefined, 2)}`,
    );
  }
  return { before, after };
}

/** Writes a configuration; what it was is kept beside it. Gives the path of that copy, if there was anything. */
export function writeConfig(file: string, text: string): string | undefined {
  // Through a link, as people keep such files elsewhere: the link must stay one.
  const target = existsSync(file) ? realpathSync(file) : file;
  mkdirSync(dirname(target), { recursive: true });
  const backup = existsSync(target) ? `${target}.${timestamp()}.bak` : undefined;
  if (backup !== undefined) copyFileSync(target, backup);
  const temporary = `${target}.${process.pid}.tmp`;
  // Such files hold keys of other servers: nobody else may read what only the owner could.
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
        `Mend it first (${title} cannot read it either); nothing was changed.`,
    );
  }
  if (isEntries(value)) return value;
  throw new CommandError(`${file} does not hold an object; nothing was changed.`);
}

function entriesOf(file: string, { section }: ClientConfig, value: Entries): Entries {
  const entries = (Object.hasOwn(value, section) ? value[section] : undefined) ?? {};
  if (isEntries(entries)) return entries;
  throw new CommandError(`${section} in ${file} is not an object; nothing was changed.`);
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

/** Whether two values mean the same; a section that is empty may as well be missing. */
function isSame(actual: unknown, wanted: Entries, section: string): boolean {
  if (!isEntries(actual)) return false;
  const normal = (value: Entries) => JSON.parse(JSON.stringify({ ...value, [section]: value[section] ?? {} }));
  return isDeepStrictEqual(normal(actual), normal(wanted));
}

function timestamp(): string {
  return new Date().toISOString().replace(/[-:]|\.\d+/g, "");
}
