import type { JsonSchemaObject } from "./json-schema/types.ts";
import type { StandardSchema } from "./standard-schema.ts";

/** What `input`, `output` and questions take: a Standard Schema that knows its JSON Schema, or a JSON Schema object. */
export type SchemaLike = StandardSchema<unknown, unknown> | JsonSchemaObject;

/** The type of a value that passed the schema. */
export type Infer<Schema> =
  Schema extends StandardSchema<unknown, unknown>
    ? NonNullable<Schema["~standard"]["types"]>["output"]
    : FromJsonSchema<Schema>;

/** The type that a JSON Schema literal describes; what it cannot tell is `unknown`. */
export type FromJsonSchema<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly type: infer Type }
      ? Type extends keyof Scalars
        ? Scalars[Type]
        : Type extends "array"
          ? Schema extends { readonly items: infer Items }
            ? FromJsonSchema<Items>[]
            : unknown[]
          : Type extends "object"
            ? FromObject<Schema>
            : unknown
      : unknown;

interface Scalars {
  string: string;
  number: number;
  integer: number;
  boolean: boolean;
  null: null;
}

type FromObject<Schema> = Schema extends { readonly properties: infer Properties }
  ? Schema extends { readonly required: readonly (infer Required)[] }
    ? { -readonly [Key in keyof Properties as Key extends Required ? Key : never]: FromJsonSchema<Properties[Key]> } & {
        -readonly [Key in keyof Properties as Key extends Required ? never : Key]?: FromJsonSchema<Properties[Key]>;
      }
    : { -readonly [Key in keyof Properties]?: FromJsonSchema<Properties[Key]> }
  : { [key: string]: unknown };
