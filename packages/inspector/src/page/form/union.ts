import type { Json } from "../../protocol/json.ts";
import { typesOf } from "./flatten.ts";
import { isRecord, type LooseSchema, labelOf, namesOf, stringOf } from "./read-schema.ts";

export interface Alternative {
  readonly schema: LooseSchema;
  /** A flat schema of a property. */
  propertyOf(name: string): LooseSchema | undefined;
}

export interface Tag {
  readonly name: string;
  /** The value of each alternative. */
  readonly values: readonly Json[];
}

/** Finds a property that is another constant in each alternative. */
export function findTag(alternatives: readonly Alternative[]): Tag | undefined {
  const [first] = alternatives;
  if (first === undefined || !isRecord(first.schema.properties)) return undefined;
  for (const name of Object.keys(first.schema.properties)) {
    const values = alternatives.map((alternative) => constantOf(alternative.propertyOf(name)));
    const isTag = values.every((value) => value !== undefined) && new Set(values).size === values.length;
    if (isTag) return { name, values: values as readonly Json[] };
  }
  return undefined;
}

function constantOf(schema: LooseSchema | undefined): Json | undefined {
  if (schema === undefined) return undefined;
  const value = Array.isArray(schema.enum) && schema.enum.length === 1 ? schema.enum[0] : schema.const;
  return typeof value === "object" ? undefined : (value as Json | undefined);
}

/** The names by which people choose; each is different. */
export function branchLabels(alternatives: readonly Alternative[], tag: Tag | undefined): string[] {
  const seen = new Map<string, number>();
  return alternatives.map(({ schema }, index) => {
    const value = tag?.values[index];
    const label = stringOf(schema.title) ?? (value === undefined ? describe(schema) : labelOf(value));
    const count = (seen.get(label) ?? 0) + 1;
    seen.set(label, count);
    return count === 1 ? label : `${label} (${count})`;
  });
}

const MAX_NAMES = 3;

function describe(schema: LooseSchema): string {
  if (schema.const !== undefined) return labelOf(schema.const as Json);
  const names = isRecord(schema.properties) ? Object.keys(schema.properties) : [];
  const required = namesOf(schema.required).filter((name) => names.includes(name));
  const shown = (required.length > 0 ? required : names).slice(0, MAX_NAMES);
  if (shown.length > 0) return `object with ${shown.join(", ")}`;
  const types = typesOf(schema.type).map((type) => (type === "string" ? (stringOf(schema.format) ?? "text") : type));
  return types.length > 0 ? types.join(" or ") : "other";
}
