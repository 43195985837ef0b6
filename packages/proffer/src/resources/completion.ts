import type { Context } from "../questions/context.ts";
import type { Resource } from "./define.ts";
import type { ListEntry, ListFunction } from "./list.ts";

/** What is being completed. */
export interface CompletionRequest {
  readonly name: string;
  /** What was typed so far, in either case. */
  readonly value: string;
  /** The variables that have a value already. */
  readonly known: Readonly<Record<string, string>>;
  /** How many suggestions are wanted at most. */
  readonly limit: number;
  /** How many entries are looked at, at most. */
  readonly scan: number;
}

/** The values of a variable in the URIs that a template lists, in their order, each once. */
export async function completeFromList(resource: Resource, wanted: CompletionRequest, ctx: Context): Promise<string[]> {
  const { template, list } = resource;
  const found = new Set<string>();
  if (template === undefined || list === undefined) return [];
  const start = wanted.value.toLowerCase();
  let left = wanted.scan;
  for await (const entry of walk(list, wanted.scan, ctx)) {
    const values: Readonly<Record<string, unknown>> = template.match(entry.uri, resource.rules.match)?.values ?? {};
    const value = values[wanted.name];
    const fits = typeof value === "string" && value.toLowerCase().startsWith(start) && agrees(values, wanted);
    if (fits) found.add(value);
    if (found.size === wanted.limit || --left === 0) break;
  }
  return [...found];
}

function agrees(values: Readonly<Record<string, unknown>>, { name, known }: CompletionRequest): boolean {
  return Object.entries(known).every(
    ([key, value]) => key === name || values[key] === undefined || values[key] === value,
  );
}

/** All entries of a list, page after page where it has pages. */
async function* walk(list: ListFunction, limit: number, ctx: Context): AsyncGenerator<ListEntry> {
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
