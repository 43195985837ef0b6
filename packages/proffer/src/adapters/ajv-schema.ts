import { Ajv2020, type ErrorObject, type Options } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { JsonSchemaObject } from "../schema/json-schema/types.ts";
import type { FromJsonSchema, StandardIssue, StandardSchema } from "../schema/schema.ts";
import { unescapeToken } from "../support/json-pointer.ts";
import { UsageError } from "../support/usage-error.ts";

/** Options for Ajv. Ajv generates code at run time, which the platform must allow. */
export type AjvSchemaOptions = Options;

/**
 * Creates a Standard Schema that validates a JSON Schema with Ajv, with all keywords of the 2020-12 dialect. Use it
 * where Proffer's own validator does not support a keyword. @throws {UsageError} for an invalid schema.
 *
 * @example
 * defineTool({
 *   name: "greet",
 *   input: ajvSchema({
 *     type: "object",
 *     properties: { name: { type: "string" } },
 *     required: ["name"],
 *     unevaluatedProperties: false,
 *   }),
 *   handle: ({ name }) => `Hello, ${name}!`,
 * });
 */
export function ajvSchema<const Schema extends JsonSchemaObject>(
  schema: Schema,
  options: AjvSchemaOptions = {},
): StandardSchema<unknown, FromJsonSchema<Schema>> {
  // One instance per schema: in a shared instance, two schemas with the same $id would conflict.
  const ajv = new Ajv2020({ allErrors: true, strict: false, ...options });
  addFormats.default(ajv);
  const validate = compile(ajv, schema);
  const json = { ...schema } as Record<string, unknown>;
  return {
    "~standard": {
      version: 1,
      vendor: "ajv",
      validate: (value) =>
        validate(value) ? { value: value as FromJsonSchema<Schema> } : { issues: (validate.errors ?? []).map(toIssue) },
      jsonSchema: { input: () => json, output: () => json },
    },
  };
}

function compile(ajv: Ajv2020, schema: JsonSchemaObject) {
  try {
    return ajv.compile(schema);
  } catch (cause) {
    throw new UsageError(`Ajv rejects the schema: ${(cause as Error).message}`, "bad_schema", { cause });
  }
}

function toIssue(error: ErrorObject): StandardIssue {
  const path = error.instancePath.split("/").slice(1).map(unescapeToken);
  return { message: error.message ?? error.keyword, path };
}
