import { readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import type { JsonSchemaObject, Server } from "proffer";
import type { Manifest } from "proffer/derived";
import { entryOf } from "../modules/copies.ts";
import { listServer } from "../modules/load.ts";
import { CommandError } from "../terminal/command-error.ts";
import { isObject, type Members, parseJson } from "../terminal/json.ts";

/** The format of the file. A newer Proffer may write another one. */
export const LOCK_VERSION = 1;
/** Beside the module, unless the user names another file. */
const LOCK_NAME = "proffer.lock.json";
/** In bytes. A lock of 500 tools with large schemas has some megabytes. */
const MAX_LOCK = 64 * 1024 * 1024;

/** An argument of a prompt or a variable of a template. */
export interface LockedArgument {
  readonly description?: string;
  readonly required: boolean;
  /** Known only of functions; a text of any kind otherwise. */
  readonly schema?: JsonSchemaObject;
}

/** How calls of a tool become tasks. */
export interface LockedTask {
  /** Clients without support for tasks are refused, on revisions that have them. */
  readonly required: boolean;
  /** Milliseconds for which a task exists after its last change. */
  readonly ttl: number;
}

/** A tool, a prompt or a resource, as clients know it. */
export interface LockedItem {
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly annotations?: object;
  readonly inputSchema?: JsonSchemaObject;
  readonly outputSchema?: JsonSchemaObject;
  readonly arguments?: { readonly [name: string]: LockedArgument };
  /** Missing if calls never become tasks. */
  readonly task?: LockedTask;
  /** Earlier names, which clients can still use. */
  readonly was?: readonly string[];
}

export const LOCKED_LISTS = ["tools", "prompts", "resources", "resourceTemplates"] as const;
export type LockedList = (typeof LOCKED_LISTS)[number];

/** Everything that callers of a server rely on. */
export interface Lock extends Readonly<Record<LockedList, { readonly [key: string]: LockedItem }>> {
  readonly lockVersion: number;
  /** The module, relative to the lock. */
  readonly module: string;
}

/** Returns the path of the lock of a module. */
export function lockPath(module: string, file: string | undefined): string {
  return file ?? join(dirname(module), LOCK_NAME);
}

/** Reads a lock; undefined if it does not exist. @throws {CommandError} if it is not a lock of this version. */
export function readLock(path: string): { readonly lock: Lock; readonly text: string } | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  const name = basename(path);
  if (!stats.isFile()) throw new CommandError(`${path} is not a file. Choose another path with --file.`);
  if (stats.size > MAX_LOCK)
    throw new CommandError(`${path} has ${stats.size} bytes; the limit of a lock is ${MAX_LOCK}. Write it again.`);
  const text = readFileSync(path, "utf8");
  const rewrite = `Restore ${name} from version control, or remove it and run proffer lock to write it again.`;
  const value = parseJson(text);
  if (value === undefined) throw new CommandError(`${path} is not valid JSON. ${rewrite}`);
  const lock: Members = isObject(value) ? value : {};
  const { lockVersion } = lock;
  if (typeof lockVersion === "number" && lockVersion > LOCK_VERSION)
    throw new CommandError(
      `${path} has lockVersion ${lockVersion}, but this Proffer knows only ${LOCK_VERSION}. Update @proffer/cli.`,
    );
  if (lockVersion !== LOCK_VERSION)
    throw new CommandError(`${path} has lockVersion ${JSON.stringify(lockVersion)}, not ${LOCK_VERSION}. ${rewrite}`);
  const broken = findBroken(lock);
  if (broken !== undefined) throw new CommandError(`${path} is not a lock of Proffer: ${broken}. ${rewrite}`);
  return { lock: lock as unknown as Lock, text };
}

/** Writes a lock. @throws {CommandError} if the file cannot be written. */
export function writeLock(path: string, lock: Lock): void {
  try {
    writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
  } catch (error) {
    throw new CommandError(`${path} cannot be written: ${(error as Error).message}`, { cause: error });
  }
}

/** Returns the line of an item in the text of a lock; undefined if it is not there. */
export function lineOf(text: string, list: LockedList, key: string): number | undefined {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`  ${JSON.stringify(list)}: {`));
  const found = lines.findIndex((line, index) => index > start && line.startsWith(`    ${JSON.stringify(key)}: {`));
  return found < 0 ? undefined : found + 1;
}

function findBroken(lock: Members): string | undefined {
  if (typeof lock.module !== "string") return "module must be a string";
  for (const list of LOCKED_LISTS) {
    const items = lock[list];
    if (!isObject(items)) return `${list} must be an object`;
    const broken = Object.entries(items).find(([, item]) => !isObject(item) || !hasUsableMembers(item));
    if (broken !== undefined) return `${list}.${broken[0]} has members of other types`;
  }
  return undefined;
}

function hasUsableMembers({ inputSchema, outputSchema, arguments: given, task, was }: Members): boolean {
  const isOptional = (value: unknown) => value === undefined || isObject(value);
  const areArguments = given === undefined || (isObject(given) && Object.values(given).every(isObject));
  const isTask =
    task === undefined || (isObject(task) && typeof task.required === "boolean" && typeof task.ttl === "number");
  return (
    isOptional(inputSchema) && isOptional(outputSchema) && areArguments && isTask && (was === undefined || isNames(was))
  );
}

/**
 * Describes the definitions of a server, with sorted keys. The entries that a list function computes are data and are
 * left out. Inputs are as the server checks them, outputs as clients see them.
 */
export async function takeLock(server: Server, manifest: Manifest, module: string, file: string): Promise<Lock> {
  // Callers with a smaller view rely on the rest, too: the definitions count, and not the view of one caller.
  await (await entryOf(server, "proffer/process")).showAllToolsets(server);
  const listed = (await listServer(server)).tools;
  const outputs = new Map(listed.map(({ name, outputSchema }) => [name, outputSchema]));
  const tools = [...server.tools].map(({ name, description, task, was }) => {
    const outputSchema = outputs.get(name) ?? description.outputSchema;
    return [name, { ...pick(description, TOOL), outputSchema, task: task && pick(task, TASK), was }] as const;
  });
  // Resources that are tools for every client; those of single clients follow from the resources.
  const resourceTools = listed.filter(({ name }) => server.tools.get(name) === undefined);
  const resources = [...server.resources].map(({ uri, description }) => [uri, description] as const);
  const isTemplate = (description: object) => "uriTemplate" in description;
  return {
    lockVersion: LOCK_VERSION,
    module: relative(dirname(file), module).split(sep).join("/"),
    tools: toItems([...tools, ...resourceTools.map((tool) => [tool.name, pick(tool, TOOL)] as const)]),
    prompts: toItems(
      [...server.prompts].map(({ name, description, was, arguments: declared }) => [
        name,
        { ...pick(description, TEXTS), arguments: promptArguments(name, declared, manifest), was },
      ]),
    ),
    resources: toItems(
      resources
        .filter(([, description]) => !isTemplate(description))
        .map(([uri, description]) => [uri, pick(description, RESOURCE)]),
    ),
    resourceTemplates: toItems(
      resources
        .filter(([, description]) => isTemplate(description))
        .map(([uri, description]) => [uri, { ...pick(description, RESOURCE), arguments: variables(uri, manifest) }]),
    ),
  };
}

const TEXTS = ["title", "description"];
const TOOL = [...TEXTS, "annotations", "inputSchema"];
const RESOURCE = [...TEXTS, "mimeType"];
const TASK = ["required", "ttl"];

function pick(described: object, members: readonly string[]): Members {
  return Object.fromEntries(members.map((member) => [member, (described as Members)[member]]));
}

/** Leaves out members without content. */
function toItems(entries: readonly (readonly [string, Members])[]): { readonly [key: string]: LockedItem } {
  const isFilled = (value: unknown) => value !== undefined && !(Array.isArray(value) && value.length === 0);
  const items = entries.map(([key, item]) => [
    key,
    Object.fromEntries(Object.entries(item).filter(([, value]) => isFilled(value))),
  ]);
  return sorted(Object.fromEntries(items));
}

function promptArguments(
  prompt: string,
  declared: ReadonlyMap<string, { readonly description?: string; readonly required?: boolean }>,
  { prompts }: Manifest,
): { readonly [name: string]: LockedArgument } | undefined {
  const derived = prompts.find(({ name }) => name === prompt)?.arguments ?? [];
  const entries = [...declared].map(([name, { description, required = false }]) => {
    const schema = derived.find((argument) => argument.name === name)?.schema;
    return [name, { ...(description && { description }), required, ...(schema && { schema }) }] as const;
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** The variables of a template are known if it is a function. */
function variables(template: string, { resources }: Manifest): { readonly [name: string]: LockedArgument } | undefined {
  const derived = resources.find(({ uri }) => uri === template)?.variables;
  if (derived === undefined) return undefined;
  return Object.fromEntries(derived.map(({ name, required, schema }) => [name, { required, schema }]));
}

/** Sorts keys at every level, so that an edit that only moves code changes nothing. The order of lists stays. */
function sorted<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(sorted) as Value;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  // The order of required names has no meaning.
  const areNames = (key: string, item: unknown) => key === "required" && isNames(item);
  return Object.fromEntries(
    entries.map(([key, item]) => [key, areNames(key, item) ? [...(item as string[])].sort() : sorted(item)]),
  ) as Value;
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}
