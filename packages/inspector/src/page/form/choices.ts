import type { Json } from "../../protocol/json.ts";
import type { Choice, Shape } from "./field.ts";
import { typesOf, Unplanned } from "./flatten.ts";
import { isEqual, type LooseSchema, labelOf, listOf, stringOf } from "./read-schema.ts";

/** A choice without `null`, and whether `null` was one. */
export function choose(choices: readonly Choice[]): [Shape, boolean] {
  const unique: Choice[] = [];
  const isLong = choices.length > 1000;
  for (const choice of choices) {
    if (isLong || !unique.some(({ value }) => isEqual(value, choice.value))) unique.push(choice);
  }
  if (unique.length === 0) throw new Unplanned("the schema allows no value");
  const others = unique.filter(({ value }) => value !== null);
  if (others.length === 0) return [{ kind: "null" }, true];
  return [{ kind: "choice", choices: others }, others.length < unique.length];
}

export function isNull(schema: LooseSchema): boolean {
  return schema.const === null || isEqual(typesOf(schema.type), ["null"]);
}

export function isConstant(schema: LooseSchema): boolean {
  return schema.const !== undefined || isNull(schema) || (Array.isArray(schema.enum) && schema.enum.length > 0);
}

export function constantsOf(schema: LooseSchema): Choice[] {
  if (schema.const !== undefined) return [{ value: schema.const as Json, label: titleOf(schema) }];
  return Array.isArray(schema.enum) ? namedValues(schema) : [{ value: null, label: "null" }];
}

export function titleOf(schema: LooseSchema): string {
  return stringOf(schema.title) ?? labelOf(schema.const as Json);
}

/** The choices of an `enum`; `enumNames` is what questions of older revisions have. */
export function namedValues(schema: LooseSchema): Choice[] {
  const names = listOf(schema.enumNames);
  return listOf(schema.enum).map((value, index) => ({
    value: value as Json,
    label: stringOf(names[index]) ?? labelOf(value as Json),
  }));
}
