import type { JsonSchemaObject } from "./json-schema/types.ts";
import type { StandardSchema } from "./standard-schema.ts";

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
