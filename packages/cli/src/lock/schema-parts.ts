import type { JsonSchema, JsonSchemaObject } from "proffer";
import { memberOf } from "./schema-node.ts";

/** The names that some schemas declare for properties. */
export function declaredNames(schemas: readonly JsonSchemaObject[]): readonly string[] {
  return [...new Set(schemas.flatMap(({ properties = {} }) => Object.keys(properties)))];
}

/** The schemas of a property, by schemas that all apply to its object. It is declared if one says which value it has. */
export function partsFor(
  schemas: readonly JsonSchemaObject[],
  name: string,
): { readonly parts: readonly JsonSchema[]; readonly isDeclared: boolean } {
  let isDeclared = false;
  const parts = schemas.flatMap(({ properties, patternProperties = {}, additionalProperties }) => {
    const own = memberOf(properties, name);
    const byPattern = Object.entries(patternProperties).filter(([pattern]) => matches(pattern, name));
    const named = [...(own === undefined ? [] : [own]), ...byPattern.map(([, part]) => part)];
    isDeclared ||= named.length > 0 || (additionalProperties !== undefined && additionalProperties !== true);
    return named.length > 0 || additionalProperties === undefined ? named : [additionalProperties];
  });
  return { parts, isDeclared };
}

/** The schemas of an item of a list. */
export function itemsAt(schemas: readonly JsonSchemaObject[], index: number): readonly JsonSchema[] {
  return schemas.flatMap(({ prefixItems = [], items }) => {
    const part = prefixItems[index] ?? items;
    return part === undefined ? [] : [part];
  });
}

/** Whether a name matches a pattern. A pattern that does not compile matches everything, which is the safe answer. */
export function matches(pattern: string, name: string): boolean {
  try {
    return new RegExp(pattern, "u").test(name);
  } catch {
    return true;
  }
}
