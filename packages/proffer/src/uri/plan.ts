import type { Part } from "./expression.ts";
import { type Pairs, queryPairs } from "./pairs.ts";
import { type Sections, toSections } from "./sections.ts";
import { type Sequence, toSequence } from "./sequence.ts";
import { TemplateError } from "./template-error.ts";

/** How a template reads a URI. */
export interface Plan {
  readonly path: Sequence;
  readonly query: Pairs;
  /** Without it, a URI with a fragment is not described. */
  readonly fragment: Sequence | undefined;
  /** Whether the fragment may be left out, as that of `{#name}` may. */
  readonly fragmentOptional: boolean;
}

/** Prepares a template for reading URIs. @throws {TemplateError} if it is ambiguous. */
export function toPlan(text: string, parts: readonly Part[]): Plan {
  checkRepeats(text, parts);
  const sections = toSections(text, parts);
  const fragmentOptional = hasOptionalFragment(text, sections);
  return {
    path: toSequence(text, sections.path),
    query: queryPairs(text, sections.query ?? []),
    fragment: sections.fragment && toSequence(text, sections.fragment),
    fragmentOptional,
  };
}

/** The plan of a URI without variables, whatever characters it has. */
export function literalPlan(uri: string): Plan {
  const path = { prefix: uri, holes: [], suffix: "" };
  return { path, query: queryPairs(uri, []), fragment: undefined, fragmentOptional: false };
}

function checkRepeats(text: string, parts: readonly Part[]): void {
  const names = new Set<string>();
  for (const part of parts) {
    if (typeof part === "string") continue;
    for (const { name } of part.variables) {
      if (names.has(name)) {
        throw new TemplateError(
          text,
          part.position,
          `{${name}} stands twice and could be read as two values; name it once.`,
        );
      }
      names.add(name);
    }
  }
}

function hasOptionalFragment(text: string, sections: Sections): boolean {
  const [first, second] = sections.fragment ?? [];
  if (first === undefined || typeof first === "string" || first.operator !== "#") return false;
  // Without a value there is no "#", and what follows would stand in the path.
  if (second === undefined) return true;
  throw new TemplateError(text, first.position, "nothing may follow {#…}; put it last, or write #{…}.");
}
