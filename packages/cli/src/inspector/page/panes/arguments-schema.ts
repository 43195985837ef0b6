import type { Variable } from "proffer/derived";
import type { JsonObject } from "../../protocol/json.ts";
import { isObject } from "../form/path.ts";
import { listOf, stringOf } from "../form/read-schema.ts";

/** The arguments of a prompt as a schema: texts, some of them required. */
export function promptSchema(description: JsonObject): JsonObject {
  const known = listOf(description.arguments).filter(isObject);
  const properties = known.flatMap((argument): [string, JsonObject][] => {
    const { name, title, description: about } = argument;
    if (typeof name !== "string") return [];
    const texts = { ...(stringOf(title) && { title }), ...(stringOf(about) && { description: about }) } as JsonObject;
    return [[name, { type: "string", ...texts }]];
  });
  const required = known.flatMap(({ name, required }) => (required === true && typeof name === "string" ? [name] : []));
  return { type: "object", properties: Object.fromEntries(properties), required, additionalProperties: false };
}

/** The variables of a template as a schema: texts, and lists for those that can have several values. */
export function variablesSchema(variables: readonly Variable[]): JsonObject {
  const properties = variables.map(({ name, operator, explode }): [string, JsonObject] => {
    const optional =
      operator === "?" || operator === "&" ? { description: "left out of the URI if it has no value" } : {};
    return [
      name,
      explode
        ? { type: "array", items: { type: "string", maxLength: 100 }, ...optional }
        : { type: "string", maxLength: 100, ...optional },
    ];
  });
  return { type: "object", properties: Object.fromEntries(properties), additionalProperties: false };
}
