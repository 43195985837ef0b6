import type { JsonObject } from "../protocol/messages.ts";
import type { Notification } from "./options.ts";

/** The results that are kept, and the characters of all of them. */
const MAX_RESULTS = 200;
const MAX_SIZE = 16 * 1024 * 1024;
/** A server may not say "forever". */
const LONGEST = 24 * 60 * 60 * 1000;

interface Kept {
  readonly text: string;
  readonly until: number;
}

/**
 * Results of one client, for as long as the server allows by `ttlMs`: the client is one user, so both scopes are kept.
 * The results of calls have no such hint. Notifications of changes drop what they name.
 */
export class Cache {
  readonly #kept = new Map<string, Kept>();
  #size = 0;

  get(method: string, params: object): JsonObject | undefined {
    const key = keyOf(method, params);
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    if (kept.until > Date.now()) return JSON.parse(kept.text);
    this.#drop(key);
    return undefined;
  }

  keep(method: string, params: object, result: JsonObject): void {
    const { ttlMs } = result;
    if (typeof ttlMs !== "number" || !(ttlMs > 0)) return;
    const text = JSON.stringify(result);
    if (text.length > MAX_SIZE / 4) return;
    const key = keyOf(method, params);
    this.#drop(key);
    this.#kept.set(key, { text, until: Date.now() + Math.min(ttlMs, LONGEST) });
    this.#size += text.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_RESULTS && this.#size <= MAX_SIZE) return;
      this.#drop(oldest);
    }
  }

  /** Drops what a change makes stale. */
  notified({ method, params }: Notification): void {
    const [, kind] = /^notifications\/(\w+)\/list_changed$/.exec(method) ?? [];
    if (kind !== undefined) this.#dropAll((key) => key.startsWith(`${kind}/`) && !key.startsWith("resources/read "));
    if (method === "notifications/resources/updated") {
      const part = JSON.stringify({ uri: params.uri }).slice(0, -2);
      // The subscribed resource may be above the one that the server names.
      this.#dropAll((key) => key.startsWith("resources/read ") && (key.includes(part) || part.includes(uriPart(key))));
    }
  }

  #dropAll(test: (key: string) => boolean): void {
    for (const key of [...this.#kept.keys()]) if (test(key)) this.#drop(key);
  }

  #drop(key: string): void {
    this.#size -= this.#kept.get(key)?.text.length ?? 0;
    this.#kept.delete(key);
  }
}

function keyOf(method: string, params: object): string {
  return `${method} ${JSON.stringify(params)}`;
}

/** The same part of a key as `part` above: up to the end of the URI. */
function uriPart(key: string): string {
  return key.slice("resources/read ".length).replace(/"\}$/, "");
}
