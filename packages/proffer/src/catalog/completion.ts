import type { Context } from "../questions/context.ts";

/** Completes an argument: a list, filtered by the typed prefix, or a function that returns the matching values. */
export type Complete = readonly string[] | CompleteFunction;

/** Receives the typed prefix and the arguments that are already filled in. */
export type CompleteFunction = (
  value: string,
  context: { readonly arguments: Readonly<Record<string, string>> },
  ctx: Context,
) => readonly string[] | Promise<readonly string[]>;

/** The protocol's limit for one response. */
export const MAX_COMPLETIONS = 100;

/** Returns the values of a list that begin with the typed text. */
export function matching(list: readonly string[], typed: string): readonly string[] {
  const start = typed.toLowerCase();
  return list.filter((item) => item.toLowerCase().startsWith(start));
}
