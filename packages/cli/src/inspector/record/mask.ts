/** Headers that hold credentials. */
const SECRET_HEADERS = ["authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key"];
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
    this.#names = new Set([...SECRET_HEADERS, ...Object.keys(given)]);
    const values = Object.values(given).flatMap((value) => [value, value.replace(SCHEME, "")]);
    const spellings = values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]);
    const long = [...new Set(spellings)].filter((value) => value.length >= MIN_LENGTH);
    this.#values = long.sort((a, b) => b.length - a.length);
  }

  headers(headers: Headers): Headers {
    const shown = Object.entries(headers).map(([name, value]) => {
      const key = name.toLowerCase();
      return [key, this.#names.has(key) ? MASKED : this.text(value)];
    });
    return Object.fromEntries(shown);
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
