import type ts from "typescript";
import type { DerivedSchema } from "../model/json-schema.ts";
import { deriveFields } from "./fields.ts";
import type { Session } from "./session.ts";

/** The string formats that the protocol allows in forms. */
const FORMATS = new Set(["email", "uri", "date", "date-time"]);

const COMMON = ["type", "title", "description", "default"];
const NOT_SHOWN = ["examples", "deprecated"];

/**
 * Derives the form schema of a question: one level of strings, numbers, booleans and choices, because clients can show
 * nothing else. For any other type it reports the reasons and returns undefined.
 */
export function deriveForm(session: Session, node: ts.TypeNode): DerivedSchema | undefined {
  return deriveFields(session, node, {
    conversion: session.inward,
    subject: "the answer",
    generic: {
      code: "PF1502",
      message: (type) =>
        `The type '${type}' of this question is only known at run time. Write a concrete type, or pass a schema to ask.`,
    },
    notObject: {
      code: "PF1503",
      message: (type) =>
        `A question must ask for an object with named properties, not for '${type}'. Wrap it, for example: { value: string }.`,
    },
    badField: { code: "PF1504", message: (name, reason) => `A form cannot ask for '${name}': ${reason}.` },
    coded: "an answer is plain JSON, so use a string with @format",
    toField,
  });
}

/** Returns the schema of one field, or the reason why a form cannot have it. */
function toField(given: DerivedSchema): DerivedSchema | string {
  const schema = Object.fromEntries(Object.entries(given).filter(([key]) => !NOT_SHOWN.includes(key))) as DerivedSchema;
  if (typeof schema.const === "string") {
    const { const: choice, ...rest } = schema;
    return toField({ ...rest, enum: [choice] });
  }
  switch (schema.type) {
    case "string":
      if (schema.format !== undefined && !FORMATS.has(schema.format))
        return `@format ${schema.format} is not one of ${[...FORMATS].join(", ")}`;
      return only(schema, schema.enum ? ["enum"] : ["minLength", "maxLength", "format"]);
    case "number":
    case "integer":
      if (schema.enum !== undefined || schema.const !== undefined) return "choices must be string literals";
      return only(schema, ["minimum", "maximum"]);
    case "boolean":
      return schema.const === undefined ? only(schema, []) : "use boolean instead of a literal";
    case "array":
      if (!schema.items?.enum?.every((value) => typeof value === "string"))
        return "the items of an array must be a union of string literals";
      return only({ ...schema, items: { type: "string", enum: schema.items.enum } }, ["items", "minItems", "maxItems"]);
    default:
      return "only strings, numbers, booleans and choices are supported, so make it optional instead of nullable, and flatten objects";
  }
}

/** Returns the schema if it has no keywords other than these, and the reason otherwise. */
function only(schema: DerivedSchema, keywords: string[]): DerivedSchema | string {
  const other = Object.keys(schema).find((key) => !COMMON.includes(key) && !keywords.includes(key));
  return other === undefined ? schema : `the keyword ${other} is not supported, so check the answer in your code`;
}
