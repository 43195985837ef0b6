import type { CacheHints, Implementation } from "../protocol/model.ts";
import { convert, type Revision } from "../protocol/revisions/revision.ts";

/** The members that every result of a revision carries, such as its type and its cache hints. */
export interface Envelope {
  readonly value: { readonly [key: string]: unknown };
  /** The JSON of `value` without the closing brace: the start of every result. */
  readonly open: string;
  /** The same for a result that asks the client for input. */
  readonly openInputRequired: string;
}

/** Caches the envelopes of one server, by revision and cache hints. */
export class Envelopes {
  readonly #server: Implementation;
  readonly #cache = new Map<string, Envelope>();

  constructor(server: Implementation) {
    this.#server = server;
  }

  /** Returns the envelope, or undefined if results of the revision have none. */
  get(revision: Revision, hints: CacheHints | undefined): Envelope | undefined {
    if (revision.envelope === undefined) return undefined;
    const key = hints === undefined ? revision.version : `${revision.version} ${hints.ttlMs} ${hints.cacheScope}`;
    let envelope = this.#cache.get(key);
    if (envelope === undefined) {
      const value = revision.envelope(convert(revision, "implementation", this.#server), hints);
      const inputRequired = { ...value, resultType: "input_required" };
      envelope = { value, open: withoutBrace(value), openInputRequired: withoutBrace(inputRequired) };
      this.#cache.set(key, envelope);
    }
    return envelope;
  }
}

function withoutBrace(value: object): string {
  return JSON.stringify(value).slice(0, -1);
}
