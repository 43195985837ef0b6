import { escapeToken } from "../support/json-pointer.ts";
import { messageOf } from "../support/log.ts";
import { UsageError } from "../support/usage-error.ts";
import type { SchemaLike } from "./infer.ts";
import { compileJsonSchema } from "./json-schema/compile.ts";
import { publishable } from "./json-schema/publishable.ts";
import type { CompiledSchema, JsonSchemaObject, SchemaIssue } from "./json-schema/types.ts";
import { isStandardSchema, type StandardIssue, type StandardSchema } from "./standard-schema.ts";

/** A schema of either kind, ready for use. */
export interface Schema {
  /** The JSON Schema of valid values. Clients receive its listed form. */
  readonly json: JsonSchemaObject;
  /** The author wrote `json`; otherwise it was derived, or a library created it. */
  readonly isWritten: boolean;
  /** A library may return another value than it validated, so `json` describes only the value after it. */
  readonly transforms: boolean;
  /** Validates a value and returns it, possibly transformed. @throws {ValidationError} with every issue. */
  parse(value: unknown): unknown;
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
 * Compiles a schema. `side` selects the JSON Schema of a Standard Schema; `where` names the schema in error messages.
 */
export function toSchema(source: SchemaLike, side: "input" | "output", where: string): Schema {
  if (isStandardSchema(source)) return fromStandard(source, side, where);
  if (typeof source !== "object" || source === null || Array.isArray(source)) {
    throw new UsageError("bad_schema", `${where} must be a JSON Schema object or a Standard Schema.`);
  }
  return new PlainSchema(source, compile(source, where));
}

function compile(source: JsonSchemaObject, where: string): CompiledSchema {
  try {
    return compileJsonSchema(source);
  } catch (cause) {
    if (cause instanceof UsageError) throw new UsageError(cause.code, `${where}: ${cause.message}`, { cause });
    throw cause;
  }
}

class PlainSchema implements Schema {
  readonly json: JsonSchemaObject;
  readonly isWritten = true;
  readonly transforms = false;
  readonly #compiled: CompiledSchema;

  constructor(source: JsonSchemaObject, compiled: CompiledSchema) {
    this.json = publishable(source) as JsonSchemaObject;
    this.#compiled = compiled;
  }

  parse(value: unknown): unknown {
    if (this.#compiled.check(value)) return value;
    throw new ValidationError(this.#compiled.issues(value));
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
  const unwrap = (outcome: Awaited<ReturnType<typeof validate>>): unknown => {
    if (outcome.issues) throw new ValidationError(outcome.issues.map(toIssue));
    return outcome.value;
  };
  return {
    json,
    isWritten: vendor === "ajv",
    transforms: vendor !== "proffer",
    parse(value) {
      const outcome = validate(value);
      // A promise need not be an instance of Promise. As a result it would have no issues: anything would be valid.
      return "then" in outcome ? Promise.resolve(outcome).then(unwrap) : unwrap(outcome);
    },
  };
}

function toIssue(issue: StandardIssue): SchemaIssue {
  const keys = (issue.path ?? []).map((step) => (typeof step === "object" ? step.key : step));
  const pointer = keys.map((key) => `/${escapeToken(String(key))}`).join("");
  return { pointer, message: issue.message };
}
