import type { ParamScopes } from "proffer/derived";
import type { DocTag } from "../comments/doc-comment.ts";
import type { NamedDoc } from "../comments/function-doc.ts";
import { SCOPES } from "../comments/grammars.ts";
import type { Problem } from "../model/conversion.ts";
import type { TextPlace } from "../model/text-place.ts";

/** The scopes that the tags `@scope` of arguments require. */
export class ArgumentScopes {
  readonly #scopes = new Map<string, readonly string[]>();
  /** The tags after the `@param` tags of the function. */
  readonly #given: readonly DocTag[];
  readonly #used = new Set<TextPlace | undefined>();

  constructor(params: readonly NamedDoc[]) {
    this.#given = params.flatMap(({ tags }) => tags).filter(isScopeTag);
  }

  /** Adds the scopes of an argument; `name` is the one in the schema. */
  add(name: string, tags: readonly DocTag[]): void {
    for (const { text, place } of tags.filter(isScopeTag)) {
      this.#used.add(place);
      const parsed = SCOPES.parse(text, {});
      if (typeof parsed !== "object" || !("value" in parsed)) continue;
      this.#scopes.set(name, [...new Set([...(this.#scopes.get(name) ?? []), ...parsed.value])]);
    }
  }

  /** Returns the problems without the reports of tags that have an effect, or that `unused` returns. */
  unsolved(problems: readonly Problem[]): Problem[] {
    const known = new Set<unknown>([...this.#used, ...this.#given.map(({ place }) => place)]);
    return problems.filter(({ code, node }) => code !== "PF1241" || !known.has(node));
  }

  /** The tags after a `@param` that is about no argument, or only about a part of one. */
  get unused(): readonly DocTag[] {
    return this.#given.filter(({ place }) => !this.#used.has(place));
  }

  /** The scopes by argument; undefined if there are none. */
  get byArgument(): ParamScopes | undefined {
    return this.#scopes.size === 0 ? undefined : Object.fromEntries(this.#scopes);
  }
}

function isScopeTag({ name }: DocTag): boolean {
  return name === "scope";
}
