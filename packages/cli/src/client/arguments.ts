import { text as readText } from "node:stream/consumers";
import { nameOfUrl } from "proffer/client";
import { WrongUsage } from "../terminal/command-error.ts";
import { isObject, type Members, parseJson } from "../terminal/json.ts";
import { currentShell } from "../terminal/shell.ts";

/** A server to connect to: a module, a URL, or a command that starts a server. */
export type Target =
  | { readonly kind: "module"; readonly file: string }
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "command"; readonly command: readonly string[] };

export interface TargetArguments {
  readonly target: Target;
  /** The other arguments, such as the name of a tool. */
  readonly words: readonly string[];
}

/**
 * Separates the target from the other arguments. The target comes first, unless there is a command after `--`.
 * @param names - the names of the other arguments, for messages.
 * @throws {WrongUsage} for a missing or unexpected argument.
 */
export function toTarget(
  words: readonly string[],
  command: readonly string[] | undefined,
  names: readonly string[] = [],
): TargetArguments {
  if (command?.length === 0) throw new WrongUsage("Missing command after --. Example: -- node server.js");
  const expected = command === undefined ? ["target (a module, a URL, or -- command)", ...names] : names;
  const missing = expected[words.length];
  if (missing !== undefined) throw new WrongUsage(`Missing argument: ${missing}.`);
  const unexpected = words[expected.length];
  if (unexpected !== undefined) throw new WrongUsage(`Unexpected argument ${JSON.stringify(unexpected)}.`);
  if (command !== undefined) return { target: { kind: "command", command }, words };
  const [first = "", ...rest] = words;
  return { target: toUrl(first) ?? { kind: "module", file: first }, words: rest };
}

/** Returns the target if the text is a URL: `scheme://…`. `C:\x.ts` is a path. */
function toUrl(text: string): Target | undefined {
  const [, scheme] = /^([a-z][a-z\d+.-]*):\/\//i.exec(text) ?? [];
  if (scheme === undefined) return undefined;
  if (!/^https?$/i.test(scheme)) throw new WrongUsage(`Unsupported URL scheme "${scheme}:". Use http: or https:.`);
  if (!URL.canParse(text)) throw new WrongUsage("The target is not a valid URL.");
  const { username, password } = new URL(text);
  if (username !== "" || password !== "") {
    throw new WrongUsage("The URL contains a user name or a password, which cannot be sent. Remove it.");
  }
  return { kind: "url", url: text };
}

/** Returns the name of a server in messages. Arguments and queries are left out, because they may contain secrets. */
export function nameOfTarget(target: Target): string {
  if (target.kind === "url") return nameOfUrl(target.url);
  return target.kind === "module" ? target.file : (target.command[0] ?? "");
}

/** Parses `name=value` pairs. @throws {WrongUsage} for another form. */
export function parsePairs(pairs: readonly string[], flag: string): [name: string, value: string][] {
  return pairs.map((pair) => {
    const at = pair.indexOf("=");
    if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)];
    throw new WrongUsage(`Invalid value of ${flag}: ${JSON.stringify(pair)}. Write name=value.`);
  });
}

/** Converts each value to the type in the tool's schema: strings stay as they are, other values are parsed as JSON. */
export function toValues(pairs: readonly [string, string][], schema: { readonly properties?: unknown }): object {
  const properties = (schema.properties ?? {}) as Members;
  const typed = pairs.map(([name, text]): [string, unknown] => {
    const isText = acceptsText(Object.hasOwn(properties, name) ? properties[name] : undefined);
    const value = isText ? undefined : parseJson(text);
    return [name, value === undefined ? text : value];
  });
  return Object.fromEntries(typed);
}

function acceptsText(schema: unknown): boolean {
  const { type, enum: values } = (schema ?? {}) as { type?: unknown; enum?: unknown };
  if (Array.isArray(values)) return values.every((value) => typeof value === "string");
  return type === "string";
}

/** Parses the arguments in `--input`. @throws {WrongUsage} if they are not a JSON object. */
export async function parseInput(input: string | undefined): Promise<object> {
  if (input === undefined) return {};
  const text = input === "-" ? await readText(currentShell().stdin) : input;
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch (error) {
    throw new WrongUsage(`--input is not valid JSON: ${(error as Error).message}`);
  }
  throw new WrongUsage("--input must be a JSON object with the arguments by name.");
}
