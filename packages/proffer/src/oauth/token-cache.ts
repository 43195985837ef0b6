import type { Principal } from "../calls/principal.ts";
import { builtinModule } from "../support/run-time.ts";
import type { Environment } from "./environment.ts";
import { Refused } from "./refusals.ts";

/** Refused tokens that are remembered, in their own table so that they cannot displace good ones. */
export const MAX_REFUSED = 1000;
/** Milliseconds for which they are. */
export const REFUSED_TIME = 5000;

interface Entry {
  readonly value: Principal | Refused;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/**
 * Remembers the outcome of tokens for a short time, by a digest of their text. Verifying a signature takes longer than a
 * small request.
 */
export class TokenCache {
  readonly #max: number;
  readonly #environment: Environment;
  readonly #verified = new Map<string, Entry>();
  readonly #refused = new Map<string, Entry>();

  constructor(max: number, environment: Environment) {
    this.#max = max;
    this.#environment = environment;
  }

  /** The outcome for a token that has not expired since. */
  find(key: string): Principal | Refused | undefined {
    const entry = this.#verified.get(key) ?? this.#refused.get(key);
    if (entry === undefined) return undefined;
    if (this.#environment.now() < entry.until) return entry.value;
    this.#verified.delete(key);
    this.#refused.delete(key);
    return undefined;
  }

  add(key: string, value: Principal | Refused, seconds: number): void {
    const now = this.#environment.now();
    if (value instanceof Refused) keep(this.#refused, MAX_REFUSED, key, { value, until: now + REFUSED_TIME });
    else {
      const until = Math.min(now + seconds * 1000, value.expires ?? Number.POSITIVE_INFINITY);
      keep(this.#verified, this.#max, key, { value, until });
    }
  }
}

/** Adds an entry; the oldest one makes room for it. */
function keep(entries: Map<string, Entry>, max: number, key: string, entry: Entry): void {
  entries.delete(key);
  const [oldest] = entries.size < max ? [] : entries.keys();
  if (oldest !== undefined) entries.delete(oldest);
  entries.set(key, entry);
}

interface NodeCrypto {
  hash?(algorithm: string, text: string, encoding: string): string;
}

/**
 * Returns the function that computes the key of a token: its SHA-256, so that heap dumps contain no tokens. Web Crypto
 * has no synchronous digest, so where there is nothing else the token is its own key.
 */
export function digestOf(): (token: string) => string {
  const crypto = builtinModule("node:crypto") as NodeCrypto | undefined;
  return (token) => crypto?.hash?.("sha256", token, "base64") ?? token;
}
