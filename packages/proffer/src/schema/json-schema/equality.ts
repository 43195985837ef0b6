import { charge, run } from "./run.ts";

/**
 * Serializes a JSON value so that two values are equal if and only if their texts are equal: names are sorted, 1.0
 * equals 1, 0 equals -0, and values of different types have different texts. The work is charged.
 */
export function toCanonical(value: unknown): string {
  run.left -= 8;
  if (typeof value === "string") return quote(value);
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(toCanonical).join(",")}]`;
  const members: string[] = [];
  for (const name of Object.keys(value).sort()) {
    const item: unknown = value[name as keyof typeof value];
    if (item !== undefined) members.push(`${quote(name)}:${toCanonical(item)}`);
  }
  return `{${members.join(",")}}`;
}

/** Creates a test whether a value equals one of some JSON values. */
export function createEqualityTest(values: readonly unknown[]): (value: unknown) => boolean {
  const primitives = values.filter((value) => !isComposite(value));
  const composites = new Set(values.filter(isComposite).map(toCanonical));
  const isPrimitive = createPrimitiveTest(primitives);
  if (composites.size === 0) return isPrimitive;
  return (value) => (isComposite(value) ? composites.has(toCanonical(value)) : isPrimitive(value));
}

/** Returns the positions of two equal items, or undefined if all differ. Takes linear time for any items. */
export function findDuplicate(items: readonly unknown[]): [number, number] | undefined {
  if (items.length < 2) return undefined;
  const primitives = new Map<unknown, number>();
  const composites = new Map<unknown, number>();
  for (let i = 0; i < items.length; i++) {
    const item = items[i];
    const seen = isComposite(item) ? composites : primitives;
    // Stops between items: one item costs no more than it took to parse.
    if (!charge(5)) return undefined;
    const key = isComposite(item) ? toCanonical(item) : item;
    const other = seen.get(key);
    if (other !== undefined) return [other, i];
    seen.set(key, i);
  }
  return undefined;
}

function createPrimitiveTest(values: readonly unknown[]): (value: unknown) => boolean {
  const [only] = values;
  if (values.length === 1) return (value) => value === only;
  if (values.length <= 8) return (value) => values.includes(value);
  const set = new Set(values);
  return (value) => set.has(value);
}

function quote(text: string): string {
  run.left -= 4 + (text.length >> 3);
  return JSON.stringify(text);
}

function isComposite(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
