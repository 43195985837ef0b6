import type { Part } from "./expression.ts";
import { type Pairs, queryPairs } from "./pairs.ts";
import { type Sections, toSections } from "./sections.ts";
import { type Sequence, toSequence } from "./sequence.ts";
import { TemplateError } from "./template-error.ts";

/** A template that is prepared for matching. */
export interface Plan {
  readonly path: Sequence;
  readonly query: Pairs;
  /** Without one, the template does not match URIs with a fragment. */
  readonly fragment: Sequence | undefined;
  /** Whether a URI may omit the fragment, as with `{#name}`. */
  readonly fragmentOptional: boolean;
}

/** Prepares a template for matching. @throws {TemplateError} if it is ambiguous. */
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

/** Returns the plan of a URI without variables; its characters are not checked. */
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
          `{${name}} occurs twice, so a URI could contain two values for it. Use each variable once.`,
        );
      }
      names.add(name);
    }
  }
}

function hasOptionalFragment(text: string, sections: Sections): boolean {
  const [first, second] = sections.fragment ?? [];
  if (first === undefined || typeof first === "string" || first.operator !== "#") return false;
  // Without a value there is no "#", and any text after the expression would be part of the path.
  if (second === undefined) return true;
  throw new TemplateError(text, first.position, "nothing may follow {#…}. Put it last, or write #{…}.");
}
