import type { JsonSchemaObject } from "./json-schema/types.ts";
import type { StandardSchema } from "./standard-schema.ts";

/** What `input`, `output` and questions take: a Standard Schema that knows its JSON Schema, or a JSON Schema object. */
export type SchemaLike = StandardSchema<unknown, unknown> | JsonSchemaObject;

/** The type of a value that passed the schema. */
export type Infer<Schema> = Schema extends Typed
  ? NonNullable<Schema["~standard"]["types"]>["output"]
  : FromJsonSchema<Schema>;

/** As much of a Standard Schema as tells its type: comparing a library's schema with all of it is slow to check. */
interface Typed {
  readonly "~standard": { readonly types?: { readonly output: unknown } | undefined };
}

/** The type that a JSON Schema literal describes; what it cannot tell is `unknown`. */
export type FromJsonSchema<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly type: keyof Types }
      ? Types<Schema>[Schema["type"]]
      : unknown;

/** What each type of JSON Schema is in TypeScript. */
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

/** A whole number, for modules whose schemas are derived from their types: any number fits, `type: "integer"` is told. */
export type Integer = number & { readonly [INTEGER]?: never };
