import type { Context } from "../questions/context.ts";
import type { Resource } from "./define.ts";
import { forEachEntry } from "./entries.ts";
import type { ListEntry } from "./list.ts";

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
  const add = (entry: ListEntry): boolean => {
    const values: Readonly<Record<string, unknown>> = template.match(entry.uri, resource.rules.match)?.values ?? {};
    const value = values[request.name];
    const matches = typeof value === "string" && value.toLowerCase().startsWith(start) && matchesKnown(values, request);
    if (matches) found.add(value);
    return found.size < request.limit && --left > 0;
  };
  let cursor: string | undefined;
  do {
    const given = await list({ after: undefined, cursor, limit: request.scan }, ctx);
    const isPage = "items" in given;
    await forEachEntry(isPage ? given.items : given, ctx, add);
    cursor = isPage ? given.nextCursor : undefined;
    // A page counts too: a list whose empty pages always have a next one would be read forever.
  } while (cursor !== undefined && found.size < request.limit && --left > 0);
  return [...found];
}

function matchesKnown(values: Readonly<Record<string, unknown>>, { name, known }: CompletionRequest): boolean {
  return Object.entries(known).every(
    ([key, value]) => key === name || values[key] === undefined || values[key] === value,
  );
}
