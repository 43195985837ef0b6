import { escapeToken } from "../../support/json-pointer.ts";
import type { SchemaIndex } from "./schema-index.ts";
import type { JsonSchemaObject } from "./types.ts";

/** The discriminator of a tagged union: a property name, and the alternative for each of its values. */
export interface Discriminator {
  readonly name: string;
  readonly values: ReadonlyMap<unknown, number>;
}

/**
 * Finds the discriminator of a union: a property that every alternative requires, with constant values that no other
 * alternative has. Then at most one alternative can match, so only one is tried, and `anyOf` equals `oneOf`.
 */
export function findDiscriminator(pointers: readonly string[], index: SchemaIndex): Discriminator | undefined {
  const places = pointers.map((pointer) => followReferences(pointer, index));
  const [first] = places;
  if (first === undefined || places.length < 2) return undefined;
  for (const name of schemaAt(first, index)?.required ?? []) {
    const values = new Map<unknown, number>();
    const isTag = places.every((place, i) => addValues(values, tagValues(place, name, index), i));
    if (isTag) return { name, values };
  }
  return undefined;
}

/** Resolves an alternative that is only a reference. */
function followReferences(pointer: string, index: SchemaIndex): string {
  const schema = schemaAt(pointer, index);
  if (schema?.$ref === undefined || schema.type !== undefined) return pointer;
  return followReferences(index.resolve(schema.$ref, pointer), index);
}

function tagValues(pointer: string, name: string, index: SchemaIndex): readonly unknown[] {
  const schema = schemaAt(pointer, index);
  if (schema?.type !== "object" || !schema.required?.includes(name)) return [];
  const property = schemaAt(`${pointer}/properties/${escapeToken(name)}`, index);
  return property?.const === undefined ? (property?.enum ?? []) : [property.const];
}

function addValues(known: Map<unknown, number>, values: readonly unknown[], alternative: number): boolean {
  for (const value of values) {
    const isComposite = typeof value === "object" && value !== null;
    if (isComposite || known.has(value)) return false;
    known.set(value, alternative);
  }
  return values.length > 0;
}

function schemaAt(pointer: string, index: SchemaIndex): JsonSchemaObject | undefined {
  const schema = index.schemas.get(pointer);
  return typeof schema === "object" ? schema : undefined;
}
