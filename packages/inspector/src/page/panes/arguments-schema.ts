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

const EXPRESSION = /\{([+#./;?&]?)([^{}]*)\}/g;
const MAX_VARIABLES = 100;

/** The variables of a URI template as a schema: texts, and lists for those that can have several values. */
export function templateSchema(template: string): JsonObject {
  const expressions = [...template.matchAll(EXPRESSION)];
  const properties = expressions.flatMap(([, operator, variables = ""]) =>
    variables.split(",").map((variable): [string, JsonObject] => {
      const name = variable.replace(/\*$|:\d+$/, "");
      const text: JsonObject = { type: "string" };
      const optional =
        operator === "?" || operator === "&" ? { description: "left out of the URI if it has no value" } : {};
      return [name, { ...(variable.endsWith("*") ? { type: "array", items: text } : text), ...optional }];
    }),
  );
  const shown = Object.fromEntries(properties.slice(0, MAX_VARIABLES));
  return { type: "object", properties: shown, additionalProperties: false };
}
