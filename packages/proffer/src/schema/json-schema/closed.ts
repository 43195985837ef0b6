import { keywords } from "./keywords.ts";
import { mapKeyword } from "./publishable.ts";
import type { JsonSchema, JsonSchemaObject } from "./types.ts";

/** Keywords that combine schemas for one object, so that no single schema knows all of its properties. */
const COMPOSING = ["allOf", "if", "dependentSchemas"];
const REFERRING = ["$ref", "anyOf", "oneOf"];

/** Whether a schema says which properties an object has. */
export function declaresProperties(schema: JsonSchemaObject): boolean {
  const { properties, patternProperties, additionalProperties } = schema;
  return properties !== undefined || patternProperties !== undefined || additionalProperties === false;
}

/**
 * Returns a schema whose objects reject other properties, at every level. A schema that is composed, for example with
 * `allOf`, stays open: `additionalProperties: false` in one part would reject the properties of the others.
 */
export function closeSchema(schema: JsonSchema): JsonSchema {
  return isComposed(schema) ? schema : close(schema);
}

/**
 * Returns a schema whose objects accept other properties, at every level, so that a value can be matched before they are
 * dropped. `declaresProperties` is the same for both schemas. Keywords that the validator does not know are removed.
 */
export function openSchema(schema: JsonSchema): JsonSchema {
  if (typeof schema === "boolean") return schema;
  const { additionalProperties: rest, ...others } = schema;
  const kept = Object.entries(rest === false ? { properties: {}, ...others } : schema).filter(([name]) =>
    keywords.has(name),
  );
  const opened = kept.map(([name, value]) => [name, mapKeyword(name, value, openSchema)]);
  // The validator of the schema itself has accepted the patterns, or has them in its own engine.
  return Object.fromEntries([...opened, ["unsafePattern", true]]);
}

function close(schema: JsonSchema): JsonSchema {
  if (typeof schema === "boolean") return schema;
  const closed = Object.entries(schema).map(([name, value]) => [name, mapKeyword(name, value, close)]);
  const isOpen = declaresProperties(schema) && schema.additionalProperties === undefined;
  return Object.fromEntries(isOpen ? [...closed, ["additionalProperties", false]] : closed);
}

function isComposed(schema: JsonSchema): boolean {
  if (typeof schema === "boolean") return false;
  const has = (name: string) => schema[name] !== undefined;
  if (COMPOSING.some(has) || (declaresProperties(schema) && REFERRING.some(has))) return true;
  let found = false;
  for (const [name, value] of Object.entries(schema)) {
    mapKeyword(name, value, (child) => {
      found ||= isComposed(child);
      return child;
    });
  }
  return found;
}
