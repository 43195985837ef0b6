import type { JsonSchemaObject } from "../schema/json-schema/types.ts";
import { defined } from "../support/objects.ts";

declare const TYPE: unique symbol;
const FIELD: unique symbol = Symbol.for("proffer.field");

/** One field of a form, with the type of its value. */
export interface Field<Value = unknown> {
  readonly [FIELD]: true;
  readonly schema: JsonSchemaObject;
  readonly optional: boolean;
  /** Only for the type checker. */
  readonly [TYPE]?: Value;
}

/** A form: its fields by name. */
export type Fields = { readonly [name: string]: Field };

/** The values of a filled-in form. */
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

/** Options that all fields have. */
export interface FieldOptions<Optional extends boolean, Value> {
  readonly title?: string;
  readonly description?: string;
  /** The value that the form shows at first. */
  readonly default?: Value;
  /** The user may leave it empty. Default: false. */
  readonly optional?: Optional;
}

export interface TextLimits {
  readonly minLength?: number;
  readonly maxLength?: number;
}

export interface NumberLimits {
  readonly min?: number;
  readonly max?: number;
}

/** The values of a choice: a list, or an object that maps each value to its label. */
export type ChoiceValues<Value extends string> = readonly Value[] | { readonly [Key in Value]: string };

type Maybe<Value, Optional extends boolean> = Optional extends true ? Value | undefined : Value;

/**
 * Creates the fields of a form.
 *
 * @example
 * const answer = await ctx.ask("Where should we deliver?", {
 *   city: field.text({ minLength: 1 }),
 *   day: field.date(),
 *   size: field.choice({ s: "Small", l: "Large" }, { default: "s" }),
 *   note: field.text({ optional: true }),
 * });
 * // { city: string; day: string; size: "s" | "l"; note?: string }
 * if (answer.action === "accept") deliver(answer.content);
 */
export const field = {
  text: <Optional extends boolean = false>(options: FieldOptions<Optional, string> & TextLimits = {}) =>
    make<Maybe<string, Optional>>({ type: "string" }, options),
  email: <Optional extends boolean = false>(options: FieldOptions<Optional, string> & TextLimits = {}) =>
    make<Maybe<string, Optional>>({ type: "string", format: "email" }, options),
  uri: <Optional extends boolean = false>(options: FieldOptions<Optional, string> & TextLimits = {}) =>
    make<Maybe<string, Optional>>({ type: "string", format: "uri" }, options),
  date: <Optional extends boolean = false>(options: FieldOptions<Optional, string> = {}) =>
    make<Maybe<string, Optional>>({ type: "string", format: "date" }, options),
  dateTime: <Optional extends boolean = false>(options: FieldOptions<Optional, string> = {}) =>
    make<Maybe<string, Optional>>({ type: "string", format: "date-time" }, options),
  number: <Optional extends boolean = false>(options: FieldOptions<Optional, number> & NumberLimits = {}) =>
    make<Maybe<number, Optional>>({ type: "number" }, options),
  integer: <Optional extends boolean = false>(options: FieldOptions<Optional, number> & NumberLimits = {}) =>
    make<Maybe<number, Optional>>({ type: "integer" }, options),
  boolean: <Optional extends boolean = false>(options: FieldOptions<Optional, boolean> = {}) =>
    make<Maybe<boolean, Optional>>({ type: "boolean" }, options),
  /** One of the values. */
  choice: <const Value extends string, Optional extends boolean = false>(
    values: ChoiceValues<Value>,
    options: FieldOptions<Optional, NoInfer<Value>> = {},
  ) => make<Maybe<Value, Optional>>(oneOf(values), options),
  /** Any number of the values. */
  choices: <const Value extends string, Optional extends boolean = false>(
    values: ChoiceValues<Value>,
    options: FieldOptions<Optional, readonly NoInfer<Value>[]> & NumberLimits = {},
  ) => make<Maybe<Value[], Optional>>(someOf(values), options),
} as const;

export function isField(value: unknown): value is Field {
  return typeof value === "object" && value !== null && FIELD in value;
}

/** Returns the JSON Schema of a form. */
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
  options: FieldOptions<boolean, unknown> & NumberLimits & TextLimits,
): Field<Value> {
  const { optional = false, min, max, ...rest } = options;
  const [least, most] = base.type === "array" ? ["minItems", "maxItems"] : ["minimum", "maximum"];
  const limits = defined({ [least as string]: min, [most as string]: max });
  return { [FIELD]: true, schema: { ...base, ...rest, ...limits }, optional };
}

function oneOf(values: ChoiceValues<string>): JsonSchemaObject {
  return isList(values) ? { type: "string", enum: values } : { type: "string", oneOf: titled(values) };
}

function someOf(values: ChoiceValues<string>): JsonSchemaObject {
  return { type: "array", items: isList(values) ? { type: "string", enum: values } : { anyOf: titled(values) } };
}

function titled(values: Readonly<Record<string, string>>): JsonSchemaObject[] {
  return Object.entries(values).map(([value, title]) => ({ const: value, title }));
}

function isList(values: ChoiceValues<string>): values is readonly string[] {
  return Array.isArray(values);
}
