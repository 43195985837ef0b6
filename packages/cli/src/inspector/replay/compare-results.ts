import { differencesOf, type JsonDifference } from "../edit/json-difference.ts";
import type { Json, JsonObject } from "../protocol/json.ts";

/** What a client gets: a result, or an error. */
export type Outcome =
  | { readonly result: JsonObject }
  | { readonly error: { readonly code: number; readonly message: string } };

/** What a model or a person reads. States, cursors, tasks and `_meta` are made anew with each call. */
const COMPARED = ["isError", "content", "structuredContent", "contents", "messages"];
/** Other revisions wrap the structured content, or have none. */
const IN_EVERY_REVISION = COMPARED.filter((name) => name !== "structuredContent");

/** Compares the outcomes of two calls with the same arguments, on the same or on different revisions. */
export function compareOutcomes(before: Outcome, after: Outcome, sameRevision: boolean): JsonDifference[] {
  if ("result" in before && "result" in after) {
    const names = sameRevision ? COMPARED : IN_EVERY_REVISION;
    return differencesOf(pick(before.result, names), pick(after.result, names));
  }
  // The codes of errors differ between revisions.
  if ("error" in before && "error" in after && !sameRevision) return [];
  return differencesOf(before as unknown as Json, after as unknown as Json);
}

function pick(result: JsonObject, names: readonly string[]): JsonObject {
  const shown = names.filter((name) => result[name] !== undefined).map((name) => [name, result[name]]);
  return JSON.parse(JSON.stringify(Object.fromEntries(shown), withoutMeta));
}

function withoutMeta(key: string, value: unknown): unknown {
  return key === "_meta" ? undefined : value;
}
