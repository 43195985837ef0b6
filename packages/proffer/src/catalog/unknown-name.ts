import { InvalidParams } from "../protocol/errors.ts";
import { findSimilar } from "../support/similar.ts";

/** Creates the error for a name that is not registered. Only `candidates` are suggested. */
export function unknownName(what: "tool" | "prompt", name: string, candidates: Iterable<string>): InvalidParams {
  const similar = findSimilar(name, candidates);
  const hint = similar ? `Did you mean "${similar}"?` : `${what}s/list returns the available ${what}s.`;
  return new InvalidParams(`Unknown ${what} ${JSON.stringify(name.slice(0, 128))}. ${hint}`);
}
