import { InvalidParams } from "../protocol/errors.ts";
import { isObject, type JsonObject } from "../protocol/messages.ts";
import { compileJsonSchema } from "../schema/json-schema/compile.ts";
import type { CompiledSchema, JsonSchemaObject } from "../schema/json-schema/types.ts";
import { Memo } from "../support/memo.ts";
import type { InputMethod } from "./question.ts";

/**
 * Converts comma-separated texts of an answer to lists. Revision 2025-06-18 has no lists in forms, so its clients are
 * asked for the choices separated by commas.
 */
export function splitLists(response: unknown, schema: string | undefined): unknown {
  if (schema === undefined || !isObject(response) || !isObject(response.content)) return response;
  const { properties } = compiled.get(schema);
  const content = Object.entries(response.content).map(([name, value]) => {
    const property = properties[name];
    if (property?.type !== "array" || typeof value !== "string") return [name, value];
    return [
      name,
      value
        .split(",")
        .map((part) => part.trim())
        .filter((part) => part !== ""),
    ];
  });
  return { ...response, content: Object.fromEntries(content) };
}

/** Validates a client's answer. @throws {InvalidParams} if it is invalid. */
export function checkResponse(
  method: InputMethod,
  response: unknown,
  schema: string | undefined,
  where: string,
): JsonObject {
  if (!isObject(response)) throw new InvalidParams(`${where} must be an object.`);
  switch (method) {
    case "elicitation/create":
      return checkElicited(response, schema, where);
    case "sampling/createMessage":
      if (
        typeof response.role !== "string" ||
        typeof response.model !== "string" ||
        typeof response.content !== "object"
      ) {
        throw new InvalidParams(`${where} must have a role, a model and content.`);
      }
      return response;
    case "roots/list":
      if (!Array.isArray(response.roots)) throw new InvalidParams(`${where}.roots must be an array.`);
      return response;
  }
}

function checkElicited(response: JsonObject, schema: string | undefined, where: string): JsonObject {
  const { action, content } = response;
  if (action === "decline" || action === "cancel") return { action };
  if (action !== "accept") throw new InvalidParams(`${where}.action must be "accept", "decline" or "cancel".`);
  if (schema === undefined) return { action };
  const issues = compiled.get(schema).check.issues(content ?? {});
  if (issues.length === 0) return { action, content: content ?? {} };
  const list = issues.map(({ pointer, message }) => `${where}.content${pointer}: ${message}`).join("\n");
  throw new InvalidParams(`The answer does not match the schema of the question:\n${list}`);
}

interface Compiled {
  readonly properties: { readonly [name: string]: JsonSchemaObject | undefined };
  readonly check: CompiledSchema;
}

/** Compiled schemas by their JSON, the form in which schemas travel in the state of a call. */
const compiled = /* @__PURE__ */ new Memo((json): Compiled => {
  const schema: JsonSchemaObject = JSON.parse(json);
  return { properties: schema.properties as Compiled["properties"], check: compileJsonSchema(schema) };
});
