/** The names of headers that hold credentials; many servers have their own, such as `x-api-key` or `x-auth-token`. */
const SECRET_NAMES = /auth|cookie|key|token|secret|password|signature|credential/;
/** These say which credentials a server wants. */
const CHALLENGES = new Set(["www-authenticate", "proxy-authenticate"]);
/** Whoever knows the whole id of a session can continue it; its beginning tells sessions apart. */
const SESSION = "mcp-session-id";
const SHOWN_OF_SESSION = 8;
const MASKED = "***";
/** The scheme of an `authorization` header is no secret. */
const SCHEME = /^(?:basic|bearer|digest|token) /i;
/** A shorter value occurs in other text by chance. */
const MIN_LENGTH = 6;

type Headers = { readonly [name: string]: string };

/**
 * Hides secrets before anything is recorded: the values of headers that hold credentials, and everything that the user
 * passed with `--header`, also where a server repeats it in a message.
 */
export class Mask {
  readonly #names: ReadonlySet<string>;
  /** Longest first, so that a part of a secret does not hide its rest from the search. */
  readonly #values: readonly string[];

  /** @param given - the headers of the command line, which are all secret. */
  constructor(given: Headers = {}) {
    this.#names = new Set(Object.keys(given).map((name) => name.toLowerCase()));
    const values = Object.values(given).flatMap((value) => [value, value.replace(SCHEME, "")]);
    const spellings = values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]);
    const long = [...new Set(spellings)].filter((value) => value.length >= MIN_LENGTH);
    this.#values = long.sort((a, b) => b.length - a.length);
  }

  headers(headers: Headers): Headers {
    const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
    return Object.fromEntries(lower.map(([name, value]) => [name, this.#header(name, value)]));
  }

  #header(name: string, value: string): string {
    if (this.#names.has(name)) return MASKED;
    if (name === SESSION) return value.slice(0, Math.min(SHOWN_OF_SESSION, value.length >> 2)) + MASKED;
    return SECRET_NAMES.test(name) && !CHALLENGES.has(name) ? MASKED : this.text(value);
  }

  text(text: string): string {
    let masked = text;
    for (const value of this.#values) if (masked.includes(value)) masked = masked.replaceAll(value, MASKED);
    return masked;
  }

  /** The same for the strings in a value. */
  json<Value>(value: Value): Value {
    if (this.#values.length === 0 || value === undefined) return value;
    const text = JSON.stringify(value);
    const masked = this.text(text);
    return masked === text ? value : JSON.parse(masked);
  }
}
