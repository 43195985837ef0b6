import { messageOf } from "../support/log.ts";
import { UsageError } from "../support/usage-error.ts";
import type { SchemaLike } from "./infer.ts";
import { publishable } from "./json-schema/publishable.ts";
import { indexSchema, type SchemaIndex } from "./json-schema/schema-index.ts";
import type { JsonSchemaObject, SchemaIssue } from "./json-schema/types.ts";
import { isStandardSchema, type StandardSchema } from "./standard-schema.ts";

/** A schema of either kind. `validate` validates values; only calls need it, so it is not loaded at start. */
export interface Schema {
  /** The JSON Schema of valid values. Clients receive its listed form. */
  readonly json: JsonSchemaObject;
  /** The author wrote `json`; otherwise it was derived, or a library created it. */
  readonly isWritten: boolean;
  /** A library may return another value than it validated, so `json` describes only the value after it. */
  readonly transforms: boolean;
  /** The function of a library, or the index of a JSON Schema. @internal */
  readonly validator: StandardSchema["~standard"]["validate"] | SchemaIndex;
}

/** A value does not match its schema. The caller converts it to a result or an error; it is never sent to a client. */
export class ValidationError extends Error {
  override readonly name = "ValidationError";
  readonly issues: readonly SchemaIssue[];

  constructor(issues: readonly SchemaIssue[]) {
    super(issues.map((issue) => `${issue.pointer || "/"}: ${issue.message}`).join("\n"));
    this.issues = issues;
  }
}

/**
 * Checks and describes a schema. `side` selects the JSON Schema of a Standard Schema; `where` names the schema in error
 * messages.
 */
export function toSchema(source: SchemaLike, side: "input" | "output", where: string): Schema {
  if (isStandardSchema(source)) return fromStandard(source, side, where);
  if (typeof source !== "object" || source === null || Array.isArray(source)) {
    throw new UsageError("bad_schema", `${where} must be a JSON Schema object or a Standard Schema.`);
  }
  const validator = index(source, where);
  return { json: publishable(source) as JsonSchemaObject, isWritten: true, transforms: false, validator };
}

function index(source: JsonSchemaObject, where: string): SchemaIndex {
  try {
    return indexSchema(source);
  } catch (cause) {
    if (cause instanceof UsageError) throw new UsageError(cause.code, `${where}: ${cause.message}`, { cause });
    throw cause;
  }
}

function fromStandard(source: StandardSchema, side: "input" | "output", where: string): Schema {
  const { validate, jsonSchema, vendor } = source["~standard"];
  if (jsonSchema === undefined) {
    const remedy =
      vendor === "valibot"
        ? "Wrap it with toStandardJsonSchema() from @valibot/to-json-schema"
        : "Use a version of the library that implements Standard JSON Schema";
    throw new UsageError(
      "bad_schema",
      `${where}: this ${vendor} schema cannot be converted to JSON Schema. ${remedy}.`,
    );
  }
  let json: JsonSchemaObject;
  try {
    const { $schema: _, ...rest } = jsonSchema[side]({ target: "draft-2020-12" });
    json = rest;
  } catch (cause) {
    throw new UsageError(
      "bad_schema",
      `${where}: ${vendor} cannot convert this schema to JSON Schema: ${messageOf(cause)}`,
      { cause },
    );
  }
  return { json, isWritten: vendor === "ajv", transforms: vendor !== "proffer", validator: validate };
}
