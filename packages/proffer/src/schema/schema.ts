import { escapeToken } from "../support/json-pointer.ts";
import { messageOf } from "../support/log.ts";
import { UsageError } from "../support/usage-error.ts";
import { compileJsonSchema } from "./json-schema/compile.ts";
import { publishable } from "./json-schema/keywords.ts";
import type { CompiledSchema, JsonSchema, JsonSchemaMap, JsonSchemaObject, SchemaIssue } from "./json-schema/types.ts";

/**
 * A schema for `input`, `output` or a question: a Standard Schema with JSON Schema support, or a JSON Schema object.
 */
export type SchemaLike = StandardSchema<unknown, unknown> | JsonSchemaObject;

/** The type of a value that passed the schema. */
export type Infer<Schema> = Schema extends Typed
  ? NonNullable<Schema["~standard"]["types"]>["output"]
  : FromJsonSchema<Schema>;

/** The part of a Standard Schema that has its type: checking against the whole interface would slow down `tsc`. */
interface Typed {
  readonly "~standard": { readonly types?: { readonly output: unknown } | undefined };
}

/** The TypeScript type of a JSON Schema literal; `unknown` where it cannot be inferred. */
export type FromJsonSchema<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly type: keyof Types }
      ? Types<Schema>[Schema["type"]]
      : unknown;

/** The TypeScript type for each `type` of JSON Schema. */
interface Types<Schema = unknown> {
  string: string;
  number: number;
  integer: number;
  boolean: boolean;
  null: null;
  array: Schema extends { readonly items: infer Items } ? FromJsonSchema<Items>[] : unknown[];
  object: FromObject<Schema>;
}

type FromObject<Schema> = Schema extends { readonly properties: infer Properties }
  ? Schema extends { readonly required: readonly (infer Required)[] }
    ? { -readonly [Key in keyof Properties & Required]: FromJsonSchema<Properties[Key]> } & {
        -readonly [Key in Exclude<keyof Properties, Required>]?: FromJsonSchema<Properties[Key]>;
      }
    : { -readonly [Key in keyof Properties]?: FromJsonSchema<Properties[Key]> }
  : { [key: string]: unknown };

declare const INTEGER: unique symbol;

/** A whole number, for derived schemas: any `number` is assignable, and the schema gets `type: "integer"`. */
export type Integer = number & { readonly [INTEGER]?: never };

/**
 * The part of the Standard Schema specification that Proffer uses: a `~standard` property with a validator and, in its
 * JSON Schema extension, the JSON Schemas of the validator's input and output. The type is structural, so that schemas
 * of any library that follows the specification are assignable without importing the library.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
      readonly output: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
    };
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
      }[];
    };

/** An issue of a Standard Schema. */
export type StandardIssue = NonNullable<StandardResult<unknown>["issues"]>[number];

/** A schema of either kind. `validate` validates values; only calls need it, so it is not loaded at start. */
export interface Schema {
  /** The JSON Schema of valid values. Clients receive its listed form. */
  readonly json: JsonSchemaObject;
  /** The author wrote `json`; otherwise it was derived, or a library created it. */
  readonly isWritten: boolean;
  /** A library may return another value than it validated, so `json` describes only the value after it. */
  readonly transforms: boolean;
  /** The function of a library, or a JSON Schema that is compiled with its first value. @internal */
  readonly validator: StandardSchema["~standard"]["validate"] | CompiledSchema;
}

/** A value does not match its schema. The caller converts it to a result or an error; it is never sent to a client. */
export class ValidationError extends Error {
  override readonly name = "ValidationError";
  readonly issues: readonly SchemaIssue[];
  /** Describes an invalid result to the model, which would get nothing of it otherwise. */
  forModel?(closed: boolean): string;

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
    throw new UsageError(`${where} must be a JSON Schema object or a Standard Schema.`, "bad_schema");
  }
  const validator = compile(source, where);
  return { json: publishable(source) as JsonSchemaObject, isWritten: true, transforms: false, validator };
}

/**
 * Adds `type: "object"` to the root, which the protocol requires of arguments. Schema libraries leave it out of unions
 * and intersections of objects. A JSON Schema that the author wrote stays as written.
 */
export function withObjectRoot(schema: Schema): Schema {
  const { json, isWritten } = schema;
  if (isWritten || json.type !== undefined || !isObjectSchema(json, json.$defs)) return schema;
  return { ...schema, json: { type: "object", ...json } };
}

/** A reference that leads back to itself runs out of levels. */
function isObjectSchema(schema: JsonSchema | undefined, definitions: JsonSchemaMap = {}, levels = 20): boolean {
  if (typeof schema !== "object") return false;
  const { type, anyOf, oneOf, allOf, $ref } = schema;
  if (type !== undefined || levels === 0) return type === "object";
  const parts = anyOf ?? oneOf ?? allOf ?? ($ref ? [definitions[$ref.slice(8)]] : []);
  return parts.length > 0 && parts.every((part) => isObjectSchema(part, definitions, levels - 1));
}

export function isStandardSchema(value: unknown): value is StandardSchema {
  // arktype's schemas are functions.
  return (typeof value === "object" || typeof value === "function") && value !== null && "~standard" in value;
}

function compile(source: JsonSchemaObject, where: string): CompiledSchema {
  try {
    return compileJsonSchema(source);
  } catch (cause) {
    if (cause instanceof UsageError) throw new UsageError(`${where}: ${cause.message}`, cause.code, { cause });
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
      `${where}: this ${vendor} schema cannot be converted to JSON Schema. ${remedy}.`,
      "bad_schema",
    );
  }
  let json: JsonSchemaObject;
  try {
    const { $schema: _, ...rest } = jsonSchema[side]({ target: "draft-2020-12" });
    json = rest;
  } catch (cause) {
    throw new UsageError(
      `${where}: ${vendor} cannot convert this schema to JSON Schema: ${messageOf(cause)}`,
      "bad_schema",
      { cause },
    );
  }
  return { json, isWritten: vendor === "ajv", transforms: vendor !== "proffer", validator: validate };
}

/**
 * Validates a value and returns it. A library may transform it, and may return a promise.
 * @throws {ValidationError} with every issue.
 */
export function validate({ validator }: Schema, value: unknown): unknown {
  if (typeof validator !== "function") {
    if (validator.check(value)) return value;
    throw new ValidationError(validator.issues(value));
  }
  const outcome = validator(value);
  // A promise need not be an instance of Promise. As a result it would have no issues: anything would be valid.
  return "then" in outcome ? Promise.resolve(outcome).then(unwrap) : unwrap(outcome);
}

function unwrap(outcome: StandardResult<unknown>): unknown {
  if (outcome.issues) throw new ValidationError(outcome.issues.map(toIssue));
  return outcome.value;
}

function toIssue(issue: StandardIssue): SchemaIssue {
  const keys = (issue.path ?? []).map((step) => (typeof step === "object" ? step.key : step));
  const pointer = keys.map((key) => `/${escapeToken(String(key))}`).join("");
  return { pointer, message: issue.message };
}
