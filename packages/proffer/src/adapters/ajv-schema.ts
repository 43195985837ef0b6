import { Ajv2020, type ErrorObject, type Options } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { FromJsonSchema } from "../schema/infer.ts";
import type { JsonSchemaObject } from "../schema/json-schema/types.ts";
import type { StandardIssue, StandardSchema } from "../schema/standard-schema.ts";
import { UsageError } from "../support/usage-error.ts";

/** Options for Ajv itself. Code generation must be allowed where this runs. */
export type AjvSchemaOptions = Options;

/**
 * Takes a JSON Schema with any keyword of the 2020-12 dialect and validates with Ajv. Use it where Proffer's own
 * validator refuses a keyword.
 */
export function ajvSchema<const Schema extends JsonSchemaObject>(
  schema: Schema,
  options: AjvSchemaOptions = {},
): StandardSchema<unknown, FromJsonSchema<Schema>> {
  // One instance each: in a shared one, two schemas with equal $id would answer for each other.
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
    throw new UsageError("bad_schema", `Ajv refuses the schema: ${(cause as Error).message}`, { cause });
  }
}

function toIssue(error: ErrorObject): StandardIssue {
  const path = error.instancePath.split("/").slice(1).map(unescapeStep);
  return { message: error.message ?? error.keyword, path };
}

function unescapeStep(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}
