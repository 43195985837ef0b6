import type { Context } from "../questions/context.ts";

/** Suggests values for an argument: a list that is filtered by what was typed, or a function that filters itself. */
export type Complete = readonly string[] | CompleteFunction;

export type CompleteFunction = (
  value: string,
  context: { readonly arguments: Readonly<Record<string, string>> },
  ctx: Context,
) => readonly string[] | Promise<readonly string[]>;

/** The protocol's limit for one answer. */
export const MAX_COMPLETIONS = 100;
