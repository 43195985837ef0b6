import type { Resource } from "../../resources/define.ts";
import type { Param } from "../../resources/params/param.ts";
import type { JsonSchemaObject } from "../../schema/json-schema/types.ts";
import { isStandardSchema, type Schema, toSchema } from "../../schema/schema.ts";
import type { Variable } from "../../uri/parse.ts";

const SCALARS = ["string", "number", "integer", "boolean"];

/**
 * Returns the schema of the arguments of a tool that reads a template. Clients see the whole of it. Here only the form of
 * the arguments is checked: the resource refuses wrong values, with its own messages.
 */
export function templateInput({ template, checks, uri }: Resource): Schema {
  const variables = template?.variables ?? [];
  const params = new Map([...checks.path, ...checks.query].map(({ name, param }) => [name, param]));
  const required = variables.filter(({ operator }) => operator === "" || operator === "+").map(({ name }) => name);
  const objectOf = (schemaOf: (variable: Variable) => JsonSchemaObject): JsonSchemaObject => ({
    type: "object",
    properties: Object.fromEntries(variables.map((variable) => [variable.name, schemaOf(variable)])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  });
  return withForm(
    objectOf((variable) => variableSchema(variable, params.get(variable.name))),
    objectOf(formOf),
    uri,
  );
}

/** A schema that shows one thing to clients and checks another. */
export function withForm(json: JsonSchemaObject, form: JsonSchemaObject, where: string): Schema {
  return { ...toSchema(form, "input", where), json, isWritten: false };
}

function formOf({ explode }: Variable): JsonSchemaObject {
  const scalar = { type: ["string", "number", "boolean"] } as const;
  return explode ? { type: "array", items: scalar } : scalar;
}

function variableSchema({ name, explode }: Variable, param: Param | undefined): JsonSchemaObject {
  const item = { ...(param === undefined ? { type: "string" as const } : paramSchema(param)) };
  const label = param?.label === undefined || param.label === name ? {} : { description: param.label };
  const fallback = param?.fallback === undefined ? {} : { default: param.fallback as string | number };
  const described = { ...label, ...item, ...fallback };
  return explode && item.type !== "array" ? { type: "array", items: described } : described;
}

function paramSchema({ source }: Param): JsonSchemaObject {
  if (Array.isArray(source)) return { type: "string", enum: source };
  if (source instanceof RegExp) return { type: "string", pattern: source.source };
  if (typeof source === "string") return { type: "string", pattern: `^[${escapeSet(source)}]+$` };
  if (isStandardSchema(source)) return librarySchema(source);
  const { maximum, ...keywords } = (source ?? {}) as JsonSchemaObject;
  const isBounded = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
  return { type: "string", ...keywords, ...(isBounded && { maximum }) };
}

/** The input of a schema that converts text is often any value, or has no JSON Schema: then it is text. */
function librarySchema(schema: Parameters<typeof toSchema>[0]): JsonSchemaObject {
  try {
    const { json } = toSchema(schema, "input", "params");
    return SCALARS.includes(json.type as string) ? json : { type: "string" };
  } catch {
    return { type: "string" };
  }
}

/** In a set of `param.charset`, only a hyphen between two characters has a meaning. */
function escapeSet(set: string): string {
  return set.replaceAll(/[\\\][^]/g, "\\$&").replace(/^-|-$/g, "\\-");
}
