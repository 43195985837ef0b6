/** Every way of using Proffer wrongly that it can detect. The meaning and the remedy of each stand in docs/errors.md. */
export const USAGE_CODES = [
  "bad_name",
  "bad_option",
  "bad_schema",
  "bad_template",
  "duplicate",
  "missing_peer",
  "unsafe_pattern",
  "unsupported_keyword",
  "wrong_use",
] as const;

export type UsageCode = (typeof USAGE_CODES)[number];

/**
 * A mistake in the author's code, found when something is defined or started. It never crosses the wire.
 * The message names the thing, the value and the remedy.
 */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly code: UsageCode;

  constructor(code: UsageCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
