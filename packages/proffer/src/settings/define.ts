import { compileJsonSchema } from "../schema/json-schema/compile.ts";
import type { JsonSchemaObject } from "../schema/json-schema/types.ts";
import type { FromJsonSchema } from "../schema/schema.ts";
import { hideSecret, withoutSecrets } from "../support/log.ts";
import { findSimilar } from "../support/similar.ts";
import { UsageError } from "../support/usage-error.ts";

/** Options for `defineSettings`. */
export interface SettingsOptions {
  /** The variables to read. Default: those of the process. */
  readonly env?: Environment;
}

/**
 * Reads the settings of a server from environment variables, by a JSON Schema whose properties are their names. Mark a
 * secret with `writeOnly: true`.
 * @throws {UsageError} `bad_settings`, with all problems at once.
 */
export function defineSettings<const Schema extends SettingsSchema>(
  schema: Schema,
  options?: SettingsOptions,
): Readonly<FromJsonSchema<Schema>>;
/**
 * Reads the settings of a server from environment variables. Proffer derives the schema from the type and its comments,
 * and checks the variables before it imports the module.
 * @throws {UsageError} `bad_settings`, with all problems at once.
 * @example
 * const settings = defineSettings<{
 *   /** The key of your shop. @secret *\/
 *   SHOP_TOKEN: string;
 *   REGION?: "eu" | "us";
 * }>();
 */
export function defineSettings<Settings extends object>(
  schema?: undefined,
  options?: SettingsOptions,
): Readonly<Settings>;
export function defineSettings(schema?: SettingsSchema, { env = processEnv() }: SettingsOptions = {}): object {
  checkSettingsSchema(schema);
  return Object.freeze(readSettings(schema, env));
}

/**
 * Checks the settings of a manifest before the author's module is imported.
 *
 * Internal: used by @proffer/cli and by the code that `proffer build` writes. No stability promise.
 *
 * @internal
 * @throws {UsageError} `bad_settings`, with all problems at once.
 */
export function checkSettings(schema: SettingsSchema | undefined, env: Environment = processEnv()): void {
  if (schema !== undefined) readSettings(schema, env);
}

function processEnv(): Environment {
  const { process } = globalThis as { process?: { env?: Environment } };
  return process?.env ?? {};
}

/** Reads settings from the environment, or makes values for them. */
type ReadSettings = (schema: SettingsSchema, env: Environment) => object;

/**
 * Set by commands that only describe a module, such as `proffer lock`: they need no value of a setting. The registered
 * symbol is shared by all copies of Proffer in a process.
 */
const DESCRIBING = Symbol.for("proffer.describing");

type Describing = { readonly [DESCRIBING]?: (read: ReadSettings, ...given: Parameters<ReadSettings>) => object };

function readSettings(schema: SettingsSchema, env: Environment): object {
  const describe = (globalThis as Describing)[DESCRIBING];
  return describe === undefined ? readVariables(schema, env) : describe(readVariables, schema, env);
}

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
function readVariables(schema: SettingsSchema, env: Environment): object {
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
    `${subject} missing or invalid. Settings are environment variables.\n${problems.join("\n")}`,
    "bad_settings",
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

/**
 * The schema of settings: an object with a property for each environment variable. A property is a string, a number, an
 * integer, a boolean or an array of these; `writeOnly: true` marks a secret.
 */
export interface SettingsSchema {
  readonly type: "object";
  readonly properties: { readonly [name: string]: JsonSchemaObject };
  readonly required?: readonly string[];
}

/** The types that the text of a variable is converted to. */
const SCALARS: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean"]);

const NAME = /^(?!__proto__$)[A-Za-z_][A-Za-z0-9_]*$/;

export function isSecret({ writeOnly }: JsonSchemaObject): boolean {
  return writeOnly === true;
}

/** Whether the server does not start without the setting. */
export function isRequired({ properties, required }: SettingsSchema, name: string): boolean {
  return (required?.includes(name) ?? false) && properties[name]?.default === undefined;
}

/** Checks a schema that an author wrote. @throws {UsageError} */
export function checkSettingsSchema(schema: SettingsSchema | undefined): asserts schema is SettingsSchema {
  if (schema === undefined) {
    throw new UsageError(
      "defineSettings<…>() has no schema. Proffer adds it when it loads the module: use `proffer serve`, or `load` of @proffer/cli in tests. In other code, pass a JSON Schema.",
      "wrong_use",
    );
  }
  if (schema.type !== "object" || typeof schema.properties !== "object") {
    throw new UsageError('The schema of defineSettings must have type: "object" and properties.', "bad_schema");
  }
  for (const [name, setting] of Object.entries(schema.properties)) {
    if (!NAME.test(name)) {
      throw new UsageError(
        `The setting ${JSON.stringify(name)} is not the name of an environment variable. Use letters, digits and _, and no digit at the start.`,
        "bad_name",
      );
    }
    const { type, items } = setting;
    const scalar = type === "array" ? (items as JsonSchemaObject | undefined)?.type : type;
    if (!SCALARS.has(scalar)) {
      throw new UsageError(
        `The setting ${name} must have the type string, number, integer, boolean, or array with items of one of these.`,
        "bad_schema",
      );
    }
    if (isSecret(setting) && setting.default !== undefined) {
      throw new UsageError(`The setting ${name} is secret and must not have a default in the code.`, "bad_schema");
    }
  }
}
