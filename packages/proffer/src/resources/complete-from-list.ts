import type { Context } from "../questions/context.ts";
import type { Resource } from "./define.ts";
import type { ListEntry, ListFunction } from "./list.ts";

/** The variable to complete, and the limits of the search. */
export interface CompletionRequest {
  readonly name: string;
  /** The text typed so far; matched case-insensitively. */
  readonly value: string;
  /** The variables that already have a value. */
  readonly known: Readonly<Record<string, string>>;
  /** The maximum number of suggestions. */
  readonly limit: number;
  /** The maximum number of entries to examine. */
  readonly scan: number;
}

/** Returns the distinct values of a variable in the listed URIs of a template, in list order. */
export async function completeFromList(
  resource: Resource,
  request: CompletionRequest,
  ctx: Context,
): Promise<string[]> {
  const { template, list } = resource;
  const found = new Set<string>();
  if (template === undefined || list === undefined) return [];
  const start = request.value.toLowerCase();
  let left = request.scan;
  for await (const entry of allEntries(list, request.scan, ctx)) {
    const values: Readonly<Record<string, unknown>> = template.match(entry.uri, resource.rules.match)?.values ?? {};
    const value = values[request.name];
    const matches = typeof value === "string" && value.toLowerCase().startsWith(start) && matchesKnown(values, request);
    if (matches) found.add(value);
    if (found.size === request.limit || --left === 0) break;
  }
  return [...found];
}

function matchesKnown(values: Readonly<Record<string, unknown>>, { name, known }: CompletionRequest): boolean {
  return Object.entries(known).every(
    ([key, value]) => key === name || values[key] === undefined || values[key] === value,
  );
}

/** Yields all entries of a list, across pages. */
async function* allEntries(list: ListFunction, limit: number, ctx: Context): AsyncGenerator<ListEntry> {
  let cursor: string | undefined;
  do {
    const given = await list({ after: undefined, cursor, limit }, ctx);
    if (!("items" in given)) {
      yield* given;
      return;
    }
    yield* given.items;
    cursor = given.nextCursor;
  } while (cursor !== undefined);
}
