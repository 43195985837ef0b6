import type { Json, JsonObject } from "@proffer/inspector";
import { escapeToken } from "proffer/derived";

/** A difference of two values at a JSON pointer. A side that is absent has no value there. */
export interface JsonDifference {
  readonly pointer: string;
  readonly before?: Json;
  readonly after?: Json;
}

/** Bounds of one comparison. */
const MAX_PARTS = 200;
const MAX_DEPTH = 60;
/** Bytes of JSON that one side shows. */
const MAX_VALUE = 16 * 1024;

/** Compares two values by structure: the smallest parts that differ. Lists of different lengths differ as a whole. */
export function differencesOf(before: Json, after: Json): JsonDifference[] {
  const found: JsonDifference[] = [];
  const compare = (pointer: string, old: Json | undefined, now: Json | undefined, depth: number): void => {
    if (found.length >= MAX_PARTS || isSame(old, now)) return;
    const names = depth < MAX_DEPTH ? sharedNames(old, now) : undefined;
    if (names === undefined) {
      found.push({
        pointer,
        ...(old !== undefined && { before: shown(old) }),
        ...(now !== undefined && { after: shown(now) }),
      });
      return;
    }
    for (const name of names) {
      compare(`${pointer}/${escapeToken(name)}`, member(old, name), member(now, name), depth + 1);
    }
  };
  compare("", before, after, 0);
  return found;
}

/** The names to compare one by one; undefined if the values differ as a whole. */
function sharedNames(old: Json | undefined, now: Json | undefined): Iterable<string> | undefined {
  if (!isContainer(old) || !isContainer(now) || Array.isArray(old) !== Array.isArray(now)) return undefined;
  if (Array.isArray(old) && old.length !== (now as readonly Json[]).length) return undefined;
  return new Set([...Object.keys(old), ...Object.keys(now)]);
}

function isContainer(value: Json | undefined): value is JsonObject | readonly Json[] {
  return typeof value === "object" && value !== null;
}

function member(value: Json | undefined, name: string): Json | undefined {
  return isContainer(value) && Object.hasOwn(value, name) ? (value as JsonObject)[name] : undefined;
}

function isSame(old: Json | undefined, now: Json | undefined): boolean {
  return old === now || JSON.stringify(old) === JSON.stringify(now);
}

function shown(value: Json): Json {
  const { length } = JSON.stringify(value);
  return length > MAX_VALUE ? `… ${length} characters` : value;
}
