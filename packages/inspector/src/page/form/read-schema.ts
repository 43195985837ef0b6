import type { Json } from "../../protocol/json.ts";

/** A schema object of a server: any keyword may be missing or malformed. */
export type LooseSchema = { readonly [keyword: string]: unknown };

export function isRecord(value: unknown): value is LooseSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function stringOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function namesOf(value: unknown): string[] {
  return listOf(value).filter((name) => typeof name === "string");
}

/** Whether two JSON values are equal; the order of properties does not matter. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => Object.hasOwn(b, name) && isEqual(memberOf(a, name), memberOf(b, name)));
}

function memberOf(value: object, name: string): unknown {
  return (value as { readonly [name: string]: unknown })[name];
}

/** A constant in a list of choices. */
export function labelOf(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
