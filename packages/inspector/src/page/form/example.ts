import type { Json } from "../../protocol/json.ts";
import type { Field } from "./field.ts";
import { clamp } from "./initial.ts";
import { sampleText } from "./sample-text.ts";

const MAX_DEPTH = 8;
/** Deeper than this, a value that may be null is null: it may contain itself. */
const SHALLOW = 2;
const MAX_ITEMS = 20;

/**
 * Makes an example with the required parts: from `examples`, `default`, the first choice and the limits. It is the same
 * each time. Undefined if there is none, such as for a type that contains itself without an end.
 */
export function exampleOf(field: Field, number = 0, depth = 0): Json | undefined {
  const given = field.examples[number] ?? (number === 0 ? field.default : undefined);
  if (given !== undefined) return given;
  if (field.nullable && depth > SHALLOW) return null;
  if (depth > MAX_DEPTH) return undefined;
  const made = make(field, number, depth);
  return made === undefined && field.nullable ? null : made;
}

function make(field: Field, number: number, depth: number): Json | undefined {
  switch (field.kind) {
    case "text":
      return sampleText(field, number);
    case "number":
      return clamp(field) + number * (field.multipleOf ?? 1);
    case "boolean":
      return number % 2 === 1;
    case "choice":
      return field.choices[number % field.choices.length]?.value;
    case "array":
      return makeArray(field, depth);
    case "object":
      return makeObject(field, depth);
    case "union":
      return makeUnion(field, number, depth);
    case "null":
      return null;
    default:
      if (field.kind === "json" && field.reason === undefined) return "example";
      return field.reason === "any object" ? {} : undefined;
  }
}

function makeArray(field: Extract<Field, { kind: "array" }>, depth: number): Json | undefined {
  const length = Math.min(Math.max(field.minItems, field.prefix.length), MAX_ITEMS, field.maxItems ?? Infinity);
  const items: Json[] = [];
  while (items.length < length) {
    const later = field.prefix[items.length] ?? field.items;
    const item = later === undefined ? undefined : exampleOf(later(), field.unique ? items.length : 0, depth + 1);
    if (item === undefined) return items.length < field.minItems ? undefined : items;
    items.push(item);
  }
  return items;
}

function makeObject(field: Extract<Field, { kind: "object" }>, depth: number): Json | undefined {
  const entries: [string, Json][] = [];
  for (const property of field.properties) {
    if (!property.required) continue;
    const value = exampleOf(property.field(), 0, depth + 1);
    if (value === undefined) return undefined;
    entries.push([property.name, value]);
  }
  while (field.extra !== undefined && entries.length < Math.min(field.minProperties, MAX_ITEMS)) {
    const value = exampleOf(field.extra(), 0, depth + 1);
    if (value === undefined) return undefined;
    entries.push([`name${entries.length + 1}`, value]);
  }
  return Object.fromEntries(entries);
}

/** The first alternative that has an example: others may contain themselves. */
function makeUnion(field: Extract<Field, { kind: "union" }>, number: number, depth: number): Json | undefined {
  for (const { field: later } of field.branches) {
    const value = exampleOf(later(), number, depth + 1);
    if (value !== undefined) return value;
  }
  return undefined;
}
