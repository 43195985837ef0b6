import { CallView, type MiddlewareCall } from "../calls/call-view.ts";
import type { Middleware } from "../calls/middleware.ts";
import { toCanonical } from "../schema/json-schema/equality.ts";
import { UsageError } from "../support/usage-error.ts";
import { checkNames, checkOptions, checkPositive } from "./options.ts";

export interface CacheResultsOptions {
  /** The tools, prompts and resources whose results are kept, by name. Their handlers run less often. */
  readonly names: readonly string[];
  /** How long a result is kept, in milliseconds. */
  readonly milliseconds: number;
  /** Results that are kept; the oldest goes first. Default: 1,000. */
  readonly max?: number;
  /** Characters of JSON of all kept results together. Default: 16 Mi. */
  readonly maxCharacters?: number;
}

interface Kept {
  readonly json: string;
  readonly expires: number;
}

const WHERE = "cacheResults";

const METHODS: ReadonlySet<string> = new Set(["tools/call", "prompts/get", "resources/read"]);

/**
 * Creates middleware that keeps results in the memory of this process and answers the same request of the same caller
 * with them. Failures and results of calls that ask the user are not kept. Use it for handlers whose result depends only
 * on their arguments and on the caller's id. @throws {UsageError} for invalid options.
 */
export function cacheResults(options: CacheResultsOptions): Middleware {
  checkOptions(WHERE, options, ["names", "milliseconds", "max", "maxCharacters"]);
  const { names, milliseconds, max = 1000, maxCharacters = 16 * 1024 * 1024 } = options;
  checkNames(WHERE, "names", names);
  checkPositive(WHERE, "milliseconds", milliseconds);
  checkPositive(WHERE, "max", max, true);
  checkPositive(WHERE, "maxCharacters", maxCharacters, true);
  const cached = new Set(names);
  const results = new ResultCache(max, maxCharacters);
  return async (call, next) => {
    const { inputResponses, requestState } = call.params;
    const isFirst = inputResponses === undefined && requestState === undefined;
    if (!isFirst || !METHODS.has(call.method) || !cached.has(call.item?.name ?? "")) return next();
    const key = keyOf(call);
    const known = results.get(key);
    // Parsed anew each time: middleware may change a result.
    if (known !== undefined) return JSON.parse(known);
    const result = await next();
    if (!("resultType" in result) && !("isError" in result && result.isError === true)) {
      results.set(key, JSON.stringify(result), milliseconds);
    }
    return result;
  };
}

/**
 * Two requests with this key get the same result: the same item and arguments, the same caller, with the same visible items,
 * and the same revision, whose shape the result has.
 */
function keyOf(view: MiddlewareCall): string {
  const { method, name, client, params, principal } = view;
  const call = CallView.callOf(view);
  // A token with less scopes must not get a result that `ctx.require` would refuse.
  const scopes = principal?.scopes === undefined ? null : [...principal.scopes].sort();
  const caller = [principal?.id ?? null, scopes, call?.server.access?.visibleId(call) ?? null];
  return `${JSON.stringify([method, name, client.revision, caller])}${toCanonical(params.arguments ?? null)}`;
}

class ResultCache {
  /** In the order in which they were added. */
  readonly #kept = new Map<string, Kept>();
  readonly #max: number;
  readonly #maxCharacters: number;
  #characters = 0;

  constructor(max: number, maxCharacters: number) {
    this.#max = max;
    this.#maxCharacters = maxCharacters;
  }

  get(key: string): string | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    if (kept.expires > Date.now()) return kept.json;
    this.#delete(key, kept);
    return undefined;
  }

  set(key: string, json: string | undefined, milliseconds: number): void {
    if (json === undefined) throw new UsageError(`${WHERE}: a result is not JSON.`, "wrong_use");
    const size = key.length + json.length;
    const earlier = this.#kept.get(key);
    if (earlier !== undefined) this.#delete(key, earlier);
    if (size > this.#maxCharacters) return;
    for (const [oldest, kept] of this.#kept) {
      if (this.#kept.size < this.#max && this.#characters + size <= this.#maxCharacters) break;
      this.#delete(oldest, kept);
    }
    this.#kept.set(key, { json, expires: Date.now() + milliseconds });
    this.#characters += size;
  }

  #delete(key: string, { json }: Kept): void {
    this.#kept.delete(key);
    this.#characters -= key.length + json.length;
  }
}
