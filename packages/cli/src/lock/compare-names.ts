import type { JsonSchema, JsonSchemaObject } from "proffer";
import { type Found, shown } from "./change.ts";
import { nameOf, type Side } from "./explain-gap.ts";
import { memberOf, SchemaVersion, textOf } from "./schema-node.ts";

const MAX_DEPTH = 20;

/**
 * Finds properties that were added or removed where every value stays valid: an optional parameter, a property of a
 * result, or one that the schema does not have to name.
 */
export function compareNames(before: JsonSchemaObject, after: JsonSchemaObject, side: Side): Found[] {
  const [old, now] = [new SchemaVersion(before), new SchemaVersion(after)];
  const seen = new Set<string>();
  return walk(old.root, now.root, []);

  function walk(one: JsonSchema, other: JsonSchema, path: readonly string[]): Found[] {
    const [a, b] = [old.follow(one), now.follow(other)];
    if (a === undefined || b === undefined || path.length > MAX_DEPTH) return [];
    const key = `${textOf(a)} ${textOf(b)}`;
    if (seen.has(key)) return [];
    seen.add(key);
    const names = Object.keys({ ...a.properties, ...b.properties });
    return [
      ...names.flatMap((name) => {
        const [x, y] = [memberOf(a.properties, name), memberOf(b.properties, name)];
        const at = [...path, name];
        if (x !== undefined && y !== undefined) return walk(x, y, at);
        return x === undefined ? added(a, b, at) : gone(b, x, at);
      }),
      ...(a.items === undefined || b.items === undefined ? [] : walk(a.items, b.items, [...path, "[]"])),
    ];
  }

  function added(a: JsonSchemaObject, { required = [] }: JsonSchemaObject, path: readonly string[]): Found[] {
    const found: Found = { level: "new", message: `${nameOf(path, side)} is new.` };
    if (side === "output") return [found];
    // The comparison of the schemas reports the others.
    return a.additionalProperties === false && !required.includes(path.at(-1) ?? "") ? [found] : [];
  }

  function gone({ additionalProperties }: JsonSchemaObject, schema: JsonSchema, path: readonly string[]): Found[] {
    const message = `${nameOf(path, side)} is gone`;
    if (side === "input") {
      const isRefused = additionalProperties === false;
      return isRefused ? [] : [{ level: "caution", message: `${message}, and ignored if it is sent.` }];
    }
    const type = typeof schema === "object" ? (schema.type ?? schema) : schema;
    return [
      { level: "break", message: `${message}.`, before: shown(type), after: "none", remedy: "Keep returning it." },
    ];
  }
}
