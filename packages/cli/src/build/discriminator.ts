import type { JsonSchema, JsonSchemaObject } from "proffer";

/**
 * Tells whether at most one of some alternatives can match: each is an object and requires a property, the same for all,
 * with values of its own. Then `oneOf` means what `anyOf` means.
 */
export function findDiscriminator(
  alternatives: readonly JsonSchema[] | undefined,
  root: JsonSchemaObject,
): alternatives is readonly JsonSchema[] {
  const objects = (alternatives ?? []).map((alternative) => followReferences(alternative, root));
  const names = objects[0]?.required ?? [];
  return names.some((name) => {
    const values = objects.map((object) => tagValues(object, name));
    const all = values.flat();
    return values.every((list) => list.length > 0) && new Set(all).size === all.length;
  });
}

/** The schema that a reference to the root or to one of its definitions leads to; undefined for any other. */
export function findDefinition(ref: string, root: JsonSchemaObject): JsonSchema | undefined {
  if (ref === "#") return root;
  const [, token] = /^#\/\$defs\/([^/%]+)$/.exec(ref) ?? [];
  const name = token?.replaceAll("~1", "/").replaceAll("~0", "~");
  const definitions = root.$defs ?? {};
  return name !== undefined && Object.hasOwn(definitions, name) ? definitions[name] : undefined;
}

/** An alternative is often nothing but a reference. The run-time refuses those that go around in circles. */
function followReferences(schema: JsonSchema | undefined, root: JsonSchemaObject): JsonSchemaObject | undefined {
  if (typeof schema !== "object") return undefined;
  if (schema.$ref === undefined || schema.type !== undefined) return schema;
  return followReferences(findDefinition(schema.$ref, root), root);
}

/** The values that a required property can have; none if they are not known or are not primitive. */
function tagValues(schema: JsonSchemaObject | undefined, name: string): readonly unknown[] {
  const { properties = {}, required = [], type } = schema ?? {};
  if (type !== "object" || !required.includes(name) || !Object.hasOwn(properties, name)) return [];
  const property = properties[name];
  if (typeof property !== "object") return [];
  const values = property.const === undefined ? (property.enum ?? []) : [property.const];
  return values.every((value) => typeof value !== "object" || value === null) ? values : [];
}
