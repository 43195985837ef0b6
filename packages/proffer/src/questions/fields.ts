import type { JsonSchemaObject } from "../schema/json-schema/types.ts";

declare const TYPE: unique symbol;
const FIELD: unique symbol = Symbol.for("proffer.field");

/** One field of a form, typed by what the user fills in. */
export interface Field<Value = unknown> {
  readonly [FIELD]: true;
  readonly schema: JsonSchemaObject;
  readonly optional: boolean;
  /** Only for the type checker. */
  readonly [TYPE]?: Value;
}

/** A form: its fields by name. */
export type Fields = { readonly [name: string]: Field };

/** What a filled-in form holds. */
export type FieldValues<Form> = {
  [Name in keyof Form as Form[Name] extends Field<infer Value>
    ? undefined extends Value
      ? never
      : Name
    : never]: ValueOf<Form[Name]>;
} & {
  [Name in keyof Form as Form[Name] extends Field<infer Value>
    ? undefined extends Value
      ? Name
      : never
    : never]?: ValueOf<Form[Name]>;
};

type ValueOf<Of> = Of extends Field<infer Value> ? Value : never;

interface Common<Optional extends boolean, Value> {
  readonly title?: string;
  readonly description?: string;
  /** Filled in before the user starts. */
  readonly default?: Value;
  /** The user may leave it empty. Default: false. */
  readonly optional?: Optional;
}

interface TextBounds {
  readonly minLength?: number;
  readonly maxLength?: number;
}

interface NumberBounds {
  readonly min?: number;
  readonly max?: number;
}

/** The values of a choice: a list, or an object from each value to what the user reads. */
type Options<Value extends string> = readonly Value[] | { readonly [Key in Value]: string };

type Maybe<Value, Optional extends boolean> = Optional extends true ? Value | undefined : Value;

/** The kinds of fields that a form can have. */
export const field = {
  text: <Optional extends boolean = false>(options: Common<Optional, string> & TextBounds = {}) =>
    make<Maybe<string, Optional>>({ type: "string" }, options),
  email: <Optional extends boolean = false>(options: Common<Optional, string> & TextBounds = {}) =>
    make<Maybe<string, Optional>>({ type: "string", format: "email" }, options),
  uri: <Optional extends boolean = false>(options: Common<Optional, string> & TextBounds = {}) =>
    make<Maybe<string, Optional>>({ type: "string", format: "uri" }, options),
  date: <Optional extends boolean = false>(options: Common<Optional, string> = {}) =>
    make<Maybe<string, Optional>>({ type: "string", format: "date" }, options),
  dateTime: <Optional extends boolean = false>(options: Common<Optional, string> = {}) =>
    make<Maybe<string, Optional>>({ type: "string", format: "date-time" }, options),
  number: <Optional extends boolean = false>(options: Common<Optional, number> & NumberBounds = {}) =>
    make<Maybe<number, Optional>>({ type: "number" }, options),
  integer: <Optional extends boolean = false>(options: Common<Optional, number> & NumberBounds = {}) =>
    make<Maybe<number, Optional>>({ type: "integer" }, options),
  boolean: <Optional extends boolean = false>(options: Common<Optional, boolean> = {}) =>
    make<Maybe<boolean, Optional>>({ type: "boolean" }, options),
  /** One of several values. */
  choice: <const Value extends string, Optional extends boolean = false>(
    values: Options<Value>,
    options: Common<Optional, NoInfer<Value>> = {},
  ) => make<Maybe<Value, Optional>>(oneOf(values), options),
  /** Any number of several values. */
  choices: <const Value extends string, Optional extends boolean = false>(
    values: Options<Value>,
    options: Common<Optional, readonly NoInfer<Value>[]> & NumberBounds = {},
  ) => make<Maybe<Value[], Optional>>(someOf(values), options),
} as const;

export function isField(value: unknown): value is Field {
  return typeof value === "object" && value !== null && FIELD in value;
}

/** The schema of a form made of fields. */
export function fieldsSchema(fields: Fields): JsonSchemaObject {
  const entries = Object.entries(fields);
  const required = entries.filter(([, item]) => !item.optional).map(([name]) => name);
  return {
    type: "object",
    properties: Object.fromEntries(entries.map(([name, item]) => [name, item.schema])),
    ...(required.length === 0 ? {} : { required }),
  };
}

function make<Value>(
  base: JsonSchemaObject,
  options: Common<boolean, unknown> & NumberBounds & TextBounds,
): Field<Value> {
  const { optional = false, min, max, ...rest } = options;
  const [least, most] = base.type === "array" ? ["minItems", "maxItems"] : ["minimum", "maximum"];
  const schema = {
    ...base,
    ...rest,
    ...(min === undefined ? {} : { [least as string]: min }),
    ...(max === undefined ? {} : { [most as string]: max }),
  };
  return { [FIELD]: true, schema, optional };
}

function oneOf(values: Options<string>): JsonSchemaObject {
  return isList(values) ? { type: "string", enum: values } : { type: "string", oneOf: titled(values) };
}

function someOf(values: Options<string>): JsonSchemaObject {
  return { type: "array", items: isList(values) ? { type: "string", enum: values } : { anyOf: titled(values) } };
}

function titled(values: Readonly<Record<string, string>>): JsonSchemaObject[] {
  return Object.entries(values).map(([value, title]) => ({ const: value, title }));
}

function isList(values: Options<string>): values is readonly string[] {
  return Array.isArray(values);
}
