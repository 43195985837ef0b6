import { SHAPES } from "proffer/client";
import { CommandError } from "../terminal/command-error.ts";

const { arrayOf, number, object, optional, recordOf, string } = SHAPES;

/** The schema of a form field, as the specification defines it. */
export interface FieldSchema {
  readonly type?: string | null;
  readonly title?: string | null;
  readonly description?: string | null;
  readonly default?: unknown;
  readonly enum?: readonly string[] | null;
  readonly enumNames?: readonly string[] | null;
  readonly oneOf?: readonly Choice[] | null;
  readonly items?: { readonly enum?: readonly string[] | null; readonly anyOf?: readonly Choice[] | null } | null;
  readonly minLength?: number | null;
  readonly maxLength?: number | null;
  readonly minimum?: number | null;
  readonly maximum?: number | null;
}

interface Choice {
  readonly const: string;
  readonly title?: string | null;
}

/** One field of a form. */
export interface Field {
  readonly name: string;
  readonly schema: FieldSchema;
  readonly required: boolean;
}

/** Nobody fills in a longer form. */
const MAX_FIELDS = 100;

const choices = optional(arrayOf(object({ const: string, title: optional(string) })));
const strings = optional(arrayOf(string));
const FORM = object({
  required: strings,
  properties: optional(
    recordOf(
      object({
        type: optional(string),
        title: optional(string),
        description: optional(string),
        enum: strings,
        enumNames: strings,
        oneOf: choices,
        items: optional(object({ enum: strings, anyOf: choices })),
        minLength: optional(number),
        maxLength: optional(number),
        minimum: optional(number),
        maximum: optional(number),
      }),
    ),
  ),
});

/** Reads the fields of a form. The schema comes from the server. @throws {CommandError} for a malformed one. */
export function readForm(schema: unknown): Field[] {
  const problem = FORM(schema, "requestedSchema");
  if (problem !== undefined) throw new CommandError(`The server asks with a malformed form: ${problem}.`);
  const { properties, required } = schema as {
    properties?: { readonly [name: string]: FieldSchema } | null;
    required?: readonly string[] | null;
  };
  const fields = Object.entries(properties ?? {});
  if (fields.length > MAX_FIELDS) {
    throw new CommandError(`The server asks with a form of ${fields.length} fields. The terminal shows ${MAX_FIELDS}.`);
  }
  return fields.map(([name, field]) => ({ name, schema: field, required: required?.includes(name) ?? false }));
}
