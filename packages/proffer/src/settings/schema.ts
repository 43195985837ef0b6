import type { JsonSchemaObject } from "../schema/json-schema/types.ts";
import { UsageError } from "../support/usage-error.ts";

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
      "wrong_use",
      "defineSettings<…>() has no schema. Proffer adds it when it loads the module: use `proffer serve`, or `load` of @proffer/cli in tests. In other code, pass a JSON Schema.",
    );
  }
  if (schema.type !== "object" || typeof schema.properties !== "object") {
    throw new UsageError("bad_schema", 'The schema of defineSettings must have type: "object" and properties.');
  }
  for (const [name, setting] of Object.entries(schema.properties)) {
    if (!NAME.test(name)) {
      throw new UsageError(
        "bad_name",
        `The setting ${JSON.stringify(name)} is not the name of an environment variable. Use letters, digits and _, and no digit at the start.`,
      );
    }
    const { type, items } = setting;
    const scalar = type === "array" ? (items as JsonSchemaObject | undefined)?.type : type;
    if (!SCALARS.has(scalar)) {
      throw new UsageError(
        "bad_schema",
        `The setting ${name} must have the type string, number, integer, boolean, or array with items of one of these.`,
      );
    }
    if (isSecret(setting) && setting.default !== undefined) {
      throw new UsageError("bad_schema", `The setting ${name} is secret and must not have a default in the code.`);
    }
  }
}
