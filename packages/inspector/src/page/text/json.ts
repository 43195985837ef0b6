import type { Json, JsonObject } from "../../protocol/data.ts";

/** The place of a value: names of properties and positions of items. */
export type Path = readonly (string | number)[];

/** RFC 6901. */
export function pointerOf(path: Path): string {
  return path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** Parses JSON; undefined if it is malformed. */
export function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Returns the tokens of a pointer. */
export function tokensOf(pointer: string): string[] {
  const [, ...tokens] = pointer.split("/");
  return tokens.map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Decodes a part of an address; a malformed one stays as it is. */
export function decodePart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the value at a path; undefined if it is left out. */
export function valueAt(root: Json | undefined, path: Path): Json | undefined {
  let value = root;
  for (const step of path) value = memberOf(value, step);
  return value;
}

export function memberOf(value: Json | undefined, step: string | number): Json | undefined {
  if (typeof step === "number") return Array.isArray(value) ? value[step] : undefined;
  return isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

/**
 * Returns a copy with another value at a path; undefined leaves it out. Parents that do not exist are created, and parents
 * of another type are replaced.
 */
export function setAt(root: Json | undefined, path: Path, value: Json | undefined): Json | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  const member = setAt(memberOf(root, step), rest, value);
  if (typeof step === "number") {
    const items: readonly Json[] = Array.isArray(root) ? root : [];
    if (member !== undefined) return items.toSpliced(step, 1, member);
    return step < items.length ? items.toSpliced(step, 1) : items;
  }
  const entries = isObject(root) ? Object.entries(root) : [];
  const position = entries.findIndex(([name]) => name === step);
  const count = position === -1 ? 0 : 1;
  const place = position === -1 ? entries.length : position;
  // Not a spread with an assignment: "__proto__" is a name like any other in JSON.
  return Object.fromEntries(
    entries.toSpliced(place, count, ...(member === undefined ? [] : [[step, member] as [string, Json]])),
  );
}

/** Moves an item of an array, or removes it if `to` is undefined. */
export function moveItem(items: readonly Json[], from: number, to: number | undefined): readonly Json[] {
  const item = items[from];
  const others = items.toSpliced(from, 1);
  return to === undefined || item === undefined ? others : others.toSpliced(to, 0, item);
}

/** Renames the pointers below an array after one of its items has moved or has been removed. */
export function movePointers<Value>(
  map: { readonly [pointer: string]: Value },
  array: string,
  from: number,
  to: number | undefined,
): { readonly [pointer: string]: Value } {
  const moved = Object.entries(map).flatMap(([pointer, value]): [string, Value][] => {
    const [, index, rest = ""] =
      (pointer.startsWith(`${array}/`) && /^(\d+)(\/.*)?$/s.exec(pointer.slice(array.length + 1))) || [];
    if (index === undefined) return [[pointer, value]];
    const place = movedIndex(Number(index), from, to);
    return place === undefined ? [] : [[`${array}/${place}${rest}`, value]];
  });
  return Object.fromEntries(moved);
}

function movedIndex(index: number, from: number, to: number | undefined): number | undefined {
  if (index === from) return to;
  const removed = index > from ? index - 1 : index;
  return to !== undefined && removed >= to ? removed + 1 : removed;
}

/** A schema object of a server: any keyword may be missing or malformed. */
export type LooseSchema = { readonly [keyword: string]: unknown };

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
  return names.every((name) => Object.hasOwn(b, name) && isEqual(Reflect.get(a, name), Reflect.get(b, name)));
}

/** A constant in a list of choices. */
export function labelOf(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Calls `take` with the values of complete lines, all of one chunk at once. Returns at the end of the stream. */
export async function readJsonLines<Value>(
  body: ReadableStream<Uint8Array>,
  take: (values: Value[]) => void,
): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  // The parts of a line that has not ended: joining them at each chunk would be quadratic for a line of megabytes.
  let parts: string[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const [first = "", ...lines] = decoder.decode(value, { stream: true }).split("\n");
    parts.push(first);
    if (lines.length === 0) continue;
    const last = lines.pop() ?? "";
    const complete = [parts.join(""), ...lines].filter((line) => line !== "");
    parts = [last];
    if (complete.length > 0) take(complete.map((line) => JSON.parse(line) as Value));
  }
}
