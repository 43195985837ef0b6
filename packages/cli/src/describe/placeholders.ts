import type { JsonSchemaObject } from "proffer";
import type { ManifestSettings } from "proffer/derived";
import { type Environment, isRequired, type SettingsSchema } from "proffer/settings";
import { CommandError } from "../terminal/command-error.ts";

/** A name that no resolver answers (RFC 6761), so that a placeholder leads nowhere. */
const HOST = "placeholder.invalid";

/** By the format of a text. Any other text is a URL, which most code accepts, and which is no path of a file. */
const FORMATS: { readonly [format: string]: (name: string) => string } = {
  email: (name) => `${name}@${HOST}`,
  hostname: () => HOST,
  date: () => "2000-01-01",
  "date-time": () => "2000-01-01T00:00:00Z",
  uuid: () => "00000000-0000-4000-8000-000000000000",
};

/** The first of the numbers, one for each setting: recognizable, and a valid port. */
const FIRST_NUMBER = 48_611;

/** Returns a value of the type of a setting that cannot be taken for a real one, as far as its limits allow. */
function placeholderOf(name: string, setting: JsonSchemaObject, index: number): unknown {
  const { type, enum: choices, const: only, items, format = "", minimum, maximum } = setting;
  if (only !== undefined || choices !== undefined) return only ?? choices?.[0];
  if (type === "array") return [placeholderOf(name, (items ?? {}) as JsonSchemaObject, index)];
  if (type === "boolean") return false;
  if (type !== "number" && type !== "integer") return FORMATS[format]?.(name) ?? `https://${HOST}/${name}`;
  return Math.min(Math.max(FIRST_NUMBER + index, minimum ?? 0), maximum ?? Number.MAX_SAFE_INTEGER);
}

/**
 * Makes the settings of a module that is only described. They do not depend on this machine: only given variables are
 * read, a setting that is not required has its default or is absent, and any other one gets a placeholder.
 */
export function describeSettings(
  given: Environment,
  read: (schema: SettingsSchema, env: Environment) => object,
  schema: SettingsSchema,
): object {
  const entries = Object.entries(schema.properties);
  const isGiven = (name: string) => given[name] !== undefined;
  const properties = Object.fromEntries(entries.filter(([name]) => isGiven(name)));
  const values = read({ type: "object", properties }, given);
  for (const [index, [name, setting]] of entries.entries()) {
    if (isGiven(name)) continue;
    const value = isRequired(schema, name) ? placeholderOf(name, setting, index) : setting.default;
    if (value !== undefined) Object.defineProperty(values, name, { value, enumerable: setting.writeOnly !== true });
  }
  return values;
}

/**
 * Refuses a description that contains a placeholder: it would contain the value of the setting when it is served.
 * @param described - what clients are shown
 * @throws {CommandError} that names the setting.
 */
export function refusePlaceholders(described: unknown, settings: ManifestSettings | undefined): void {
  const text = JSON.stringify(described);
  const [found, name] = new RegExp(`(?:(\\w+)@)?${HOST.replace(".", "\\.")}(?:/(\\w+))?`).exec(text) ?? [];
  const named = found === undefined ? numberIn(text, settings) : (/\/(\w+)$/.exec(found)?.[1] ?? name ?? "a setting");
  if (named === undefined) return;
  throw new CommandError(
    `The value of ${named} is part of what clients are shown. A name, description, schema or URI must not contain a setting: it may be a secret, and it differs from one machine to the next.`,
  );
}

/** Returns the name of the required setting whose number is in a text. */
function numberIn(text: string, settings: ManifestSettings | undefined): string | undefined {
  const names = Object.entries(settings?.properties ?? {}).map(([name, setting], index) => {
    const value = placeholderOf(name, setting, index);
    const isSought = settings !== undefined && isRequired(settings, name) && value === FIRST_NUMBER + index;
    return isSought && new RegExp(`(?<![\\w.])${value}(?!\\w|\\.\\d)`).test(text) ? name : undefined;
  });
  return names.find((name) => name !== undefined);
}
