/** The codes of all usage errors. docs/errors.md explains each code and how to fix the error. */
export const USAGE_CODES = [
  "bad_name",
  "bad_option",
  "bad_schema",
  "bad_settings",
  "bad_template",
  "duplicate",
  "missing_peer",
  "unsafe_pattern",
  "unsupported_keyword",
  "wrong_use",
] as const;

export type UsageCode = (typeof USAGE_CODES)[number];

/**
 * A mistake in the author's code, found by a `define*`, `create*` or `serve*` function. It is never sent to a client.
 * The message names the definition or option, the wrong value and the fix.
 */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly code: UsageCode;

  constructor(message: string, code: UsageCode = "bad_option", options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Creates the error of an option with a wrong value. */
export function badOption(where: string, name: string, expected: string, value: unknown): UsageError {
  return new UsageError(`${where}: ${name} must be ${expected}, not ${JSON.stringify(value)}.`);
}

/** Checks an option that is on or off. A text such as "false" would turn it on. @throws {UsageError} */
export function checkFlag(name: string, value: unknown, where: string): void {
  if (value !== undefined && typeof value !== "boolean") throw badOption(where, name, "true or false", value);
}
