import type { Json, JsonObject } from "../../protocol/json.ts";

export interface Difference {
  /** A JSON pointer. */
  readonly pointer: string;
  readonly before?: Json;
  readonly after?: Json;
}

const MAX_DIFFERENCES = 500;

/** Where two values differ, by JSON pointer and as deep as possible. */
export function differences(before: Json | undefined, after: Json | undefined): readonly Difference[] {
  const found: Difference[] = [];
  compare(before, after, "", found);
  return found;
}

function compare(before: Json | undefined, after: Json | undefined, pointer: string, found: Difference[]): void {
  if (Object.is(before, after) || found.length >= MAX_DIFFERENCES) return;
  if (isContainer(before) && isContainer(after) && Array.isArray(before) === Array.isArray(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      compare(member(before, key), member(after, key), `${pointer}/${escaped(key)}`, found);
    }
    return;
  }
  found.push({
    pointer,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  });
}

function isContainer(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null;
}

function member(value: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

function escaped(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
