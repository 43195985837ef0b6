import type ts from "typescript";
import type { JsonSchema } from "../model/json-schema.ts";
import { assemble } from "../types/assemble.ts";
import type { Session } from "./session.ts";

/** The formats that a form of the protocol knows. */
const FORMATS = new Set(["email", "uri", "date", "date-time"]);

const COMMON = ["type", "title", "description", "default"];
const NOT_SHOWN = ["examples", "deprecated"];

/**
 * Derives the form for the answer to a question: one level of strings, numbers, booleans and choices, which is all that
 * clients can show. Undefined if the type wants more; the reasons are reported.
 */
export function deriveForm(session: Session, node: ts.TypeNode): JsonSchema | undefined {
  const { checker, inward } = session;
  const type = checker.getTypeFromTypeNode(node);
  const collected = inward.collect("the answer", node, () => inward.inline(inward.convert(type, node)));
  const { schema, codec, problems } = assemble(inward, collected);
  const all = [...collected.problems, ...problems];
  if (all.some(({ code }) => code === "PF2007")) {
    session.report(
      "PF1502",
      node,
      `the type '${node.getText()}' of this question is only known when the code runs; write out the type, or give ask a schema.`,
    );
    return undefined;
  }
  if (session.reportAll(all, node)) return undefined;
  if (schema.type !== "object" || schema.properties === undefined || schema.additionalProperties !== false) {
    session.report(
      "PF1503",
      node,
      `a question asks for an object with named properties, not for '${node.getText()}'; wrap it, as in { value: string }.`,
    );
    return undefined;
  }
  const coded = codec?.plan.kind === "object" ? (codec.plan.properties ?? {}) : {};
  const fields: [string, JsonSchema][] = [];
  let isBroken = false;
  for (const [name, property] of Object.entries(schema.properties)) {
    const field = Object.hasOwn(coded, name) ? "answers are plain JSON; use a string with @format" : toField(property);
    if (typeof field !== "string") {
      fields.push([name, field]);
      continue;
    }
    const declaration = checker.getPropertyOfType(type, name)?.valueDeclaration;
    const place = declaration && session.origins.isProject(declaration.getSourceFile()) ? declaration : node;
    session.report("PF1504", place, `a form cannot ask for '${name}': ${field}.`);
    isBroken = true;
  }
  if (isBroken) return undefined;
  return {
    type: "object",
    properties: Object.fromEntries(fields),
    ...(schema.required && { required: schema.required }),
  };
}

/** The schema of one field, or why there cannot be one. */
function toField(given: JsonSchema): JsonSchema | string {
  const schema = Object.fromEntries(Object.entries(given).filter(([key]) => !NOT_SHOWN.includes(key))) as JsonSchema;
  if (typeof schema.const === "string") {
    const { const: choice, ...rest } = schema;
    return toField({ ...rest, enum: [choice] });
  }
  switch (schema.type) {
    case "string":
      if (schema.format !== undefined && !FORMATS.has(schema.format)) return `it knows no @format ${schema.format}`;
      return only(schema, schema.enum ? ["enum"] : ["minLength", "maxLength", "format"]);
    case "number":
    case "integer":
      if (schema.enum !== undefined || schema.const !== undefined) return "choices must be strings";
      return only(schema, ["minimum", "maximum"]);
    case "boolean":
      return schema.const === undefined ? only(schema, []) : "use boolean";
    case "array":
      if (!schema.items?.enum?.every((value) => typeof value === "string"))
        return "a list must be of string literals to choose from";
      return only({ ...schema, items: { type: "string", enum: schema.items.enum } }, ["items", "minItems", "maxItems"]);
    default:
      return "it has only strings, numbers, booleans and choices; make it optional instead of nullable, and flatten objects";
  }
}

/** The schema, if it has no other keywords than these. */
function only(schema: JsonSchema, keywords: string[]): JsonSchema | string {
  const other = Object.keys(schema).find((key) => !COMMON.includes(key) && !keywords.includes(key));
  return other === undefined ? schema : `it has no place for ${other}; check the answer in your code`;
}
