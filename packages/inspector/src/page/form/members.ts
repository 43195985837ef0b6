import type { Json } from "../../protocol/json.ts";
import type { Field } from "./field.ts";
import { isObject, memberOf } from "./path.ts";

/** The members of a value that its field has no place for. They are kept, and seen in the JSON. */
export function hiddenMembers(field: Field, value: Json | undefined): (string | number)[] {
  if (field.kind === "object" && isObject(value) && field.extra === undefined) {
    const known = new Set(field.properties.map(({ name }) => name));
    return Object.keys(value).filter((name) => !known.has(name));
  }
  if (field.kind === "array" && Array.isArray(value) && field.items === undefined) {
    return value.slice(field.prefix.length).map((_item, index) => field.prefix.length + index);
  }
  return [];
}

/** The members of a value that its field shows, with their fields. */
export function childrenOf(field: Field, value: Json): [string | number, Field][] {
  if (field.kind === "object" && isObject(value)) {
    const known = field.properties.filter(({ name }) => memberOf(value, name) !== undefined);
    const names = new Set(known.map(({ name }) => name));
    const shown = known.map(({ name, field }): [string, Field] => [name, field()]);
    if (field.extra === undefined) return shown;
    const extra = field.extra();
    return [
      ...shown,
      ...Object.keys(value).flatMap((name): [string, Field][] => (names.has(name) ? [] : [[name, extra]])),
    ];
  }
  if (field.kind !== "array" || !Array.isArray(value)) return [];
  return value.flatMap((_item, index): [number, Field][] => {
    const item = field.prefix[index] ?? field.items;
    return item === undefined ? [] : [[index, item()]];
  });
}
