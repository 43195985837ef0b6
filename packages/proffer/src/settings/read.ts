import { compileJsonSchema } from "../schema/json-schema/compile.ts";
import type { JsonSchemaObject } from "../schema/json-schema/types.ts";
import { hideSecret, withoutSecrets } from "../support/log.ts";
import { findSimilar } from "../support/similar.ts";
import { UsageError } from "../support/usage-error.ts";
import { isRequired, isSecret, type SettingsSchema } from "./schema.ts";

/** Environment variables. */
export type Environment = { readonly [name: string]: string | undefined };

/** In characters. */
const MAX_SHOWN = 60;

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const BOOLEANS = new Map([
  ...["true", "1", "yes", "on"].map((word) => [word, true] as const),
  ...["false", "0", "no", "off"].map((word) => [word, false] as const),
]);

/** Claude Desktop passes on the placeholder of an optional value that the user has left empty. */
const PLACEHOLDER = /^\$\{user_config\.[^}]*\}$/;

/**
 * Reads settings from environment variables. An empty variable counts as not set. Secrets are hidden in logs and errors of
 * this process from then on, and are not enumerable, so that printing or serializing the settings leaves them out.
 * @throws {UsageError} `bad_settings`, with all problems and without the values of secrets.
 */
export function readSettings(schema: SettingsSchema, env: Environment): object {
  const texts = new Map(Object.keys(schema.properties).map((name) => [name, textOf(env[name])] as const));
  // First, because the value of one setting may be quoted in the problem of another.
  for (const [name, text] of texts) if (text !== undefined && isSecret(schema.properties[name] ?? {})) hide(text);
  const values = {};
  const problems: string[] = [];
  for (const [name, setting] of Object.entries(schema.properties)) {
    const text = texts.get(name);
    const value = text === undefined ? setting.default : convert(setting, text);
    if (text !== undefined) problems.push(...problemsOf(name, setting, value, text));
    else if (isRequired(schema, name)) problems.push(missing(name, setting));
    const enumerable = !isSecret(setting);
    if (value !== undefined) Object.defineProperty(values, name, { value, enumerable });
  }
  if (problems.length === 0) return values;
  const subject = problems.length === 1 ? "A setting is" : `${problems.length} settings are`;
  throw new UsageError(
    "bad_settings",
    `${subject} missing or invalid. Settings are environment variables.\n${problems.join("\n")}`,
  );
}

function textOf(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === "" || PLACEHOLDER.test(text) ? undefined : text;
}

/** Hides a secret, and the items of a list. */
function hide(text: string): void {
  for (const part of [text, ...listOf(text)]) hideSecret(String(part));
}

/** Converts a text to the type of the setting. A text that does not fit stays as it is; validation explains it. */
function convert({ type, items }: JsonSchemaObject, text: string): unknown {
  if (type === "array") return listOf(text).map((item) => convert((items ?? {}) as JsonSchemaObject, item));
  const word = text.trim();
  if ((type === "number" || type === "integer") && NUMBER.test(word)) return Number(word);
  if (type === "boolean") return BOOLEANS.get(word.toLowerCase()) ?? text;
  return text;
}

/** Reads a JSON array, or items separated by commas. */
function listOf(text: string): string[] {
  if (text.trimStart().startsWith("[")) {
    try {
      return (JSON.parse(text) as unknown[]).map(String);
    } catch {
      // A text that begins with a bracket.
    }
  }
  const items = text.split(",").map((item) => item.trim());
  return items.filter((item) => item !== "");
}

function missing(name: string, { description }: JsonSchemaObject): string {
  const [first = ""] = description?.split("\n") ?? [];
  return `- ${name} is not set${first === "" ? "." : `: ${first}`}`;
}

function problemsOf(name: string, setting: JsonSchemaObject, value: unknown, text: string): string[] {
  const issues = compileJsonSchema(setting).issues(value);
  if (issues.length === 0) return [];
  const reasons = issues.map(({ pointer, message }) =>
    pointer === "" ? message : `item ${pointer.slice(1)} ${message}`,
  );
  return [`- ${name} ${reasons.join(", and ")}${shown(setting, text)}.${suggestion(setting, text)}`];
}

/** A text may contain credentials, such as those in a URL, so only the values of other types and of choices are shown. */
function shown(setting: JsonSchemaObject, text: string): string {
  const isText = setting.type === "string" && setting.enum === undefined && setting.const === undefined;
  if (isSecret(setting) || isText || text.length > MAX_SHOWN) return "";
  return `, not ${withoutSecrets(JSON.stringify(text))}`;
}

function suggestion({ enum: choices = [] }: JsonSchemaObject, text: string): string {
  const similar = findSimilar(
    text,
    choices.filter((choice) => typeof choice === "string"),
  );
  return similar === undefined ? "" : ` Did you mean ${JSON.stringify(similar)}?`;
}
