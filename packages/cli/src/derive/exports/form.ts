import type ts from "typescript";
import type { DerivedSchema } from "../model/json-schema.ts";
import { assemble } from "../types/assemble.ts";
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
  const { checker, inward } = session;
  const type = checker.getTypeFromTypeNode(node);
  const collected = inward.collect("the answer", node, () => inward.inline(inward.convert(type, node)));
  const { schema, codec, problems } = assemble(inward, collected, { isInline: true });
  const all = [...collected.problems, ...problems];
  if (all.some(({ code }) => code === "PF2007")) {
    session.report(
      "PF1502",
      node,
      `The type '${node.getText()}' of this question is only known at run time. Write a concrete type, or pass a schema to ask.`,
    );
    return undefined;
  }
  if (session.reportAll(all, node)) return undefined;
  if (schema.type !== "object" || schema.properties === undefined || schema.additionalProperties !== false) {
    session.report(
      "PF1503",
      node,
      `A question must ask for an object with named properties, not for '${node.getText()}'. Wrap it, for example: { value: string }.`,
    );
    return undefined;
  }
  const coded = codec?.plan.kind === "object" ? (codec.plan.properties ?? {}) : {};
  const fields: [string, DerivedSchema][] = [];
  let isBroken = false;
  for (const [name, property] of Object.entries(schema.properties)) {
    const field = Object.hasOwn(coded, name)
      ? "an answer is plain JSON, so use a string with @format"
      : toField(property);
    if (typeof field !== "string") {
      fields.push([name, field]);
      continue;
    }
    const declaration = checker.getPropertyOfType(type, name)?.valueDeclaration;
    const place = declaration && session.origins.isProject(declaration.getSourceFile()) ? declaration : node;
    session.report("PF1504", place, `A form cannot ask for '${name}': ${field}.`);
    isBroken = true;
  }
  if (isBroken) return undefined;
  return {
    type: "object",
    properties: Object.fromEntries(fields),
    ...(schema.required && { required: schema.required }),
  };
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
