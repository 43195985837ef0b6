import type { JsonSchema } from "proffer";
import { memberOf, type SchemaVersion, textOf, typesOf, valuesOf } from "./schema-node.ts";

const MAX_DEPTH = 3;

/** Whether no value can match two of the schemas: their types differ, or a required property tells them apart. */
export function areDisjoint(version: SchemaVersion, schemas: readonly JsonSchema[]): boolean {
  return schemas.every((schema, index) => schemas.slice(index + 1).every((other) => differ(version, schema, other)));
}

function differ(version: SchemaVersion, a: JsonSchema, b: JsonSchema, depth = 0): boolean {
  if (a === false || b === false) return true;
  const [one, other] = [version.follow(a), version.follow(b)];
  if (one === undefined || other === undefined || depth > MAX_DEPTH) return false;
  const values = [valuesOf([one]), valuesOf([other])];
  const [first, second] = values;
  if (first && second) {
    const texts = new Set(first.map(textOf));
    return !second.some((value) => texts.has(textOf(value)));
  }
  const types = typesOf([one]);
  const others = typesOf([other]);
  const isNumeric = (type: string) => type === "number" || type === "integer";
  const overlaps = types.some((type) => others.includes(type) || (isNumeric(type) && others.some(isNumeric)));
  if (!overlaps) return true;
  if (types.join() !== "object" || others.join() !== "object") return false;
  const shared = (one.required ?? []).filter((name) => other.required?.includes(name));
  return shared.some((name) => {
    const [x, y] = [memberOf(one.properties, name), memberOf(other.properties, name)];
    return x !== undefined && y !== undefined && differ(version, x, y, depth + 1);
  });
}
