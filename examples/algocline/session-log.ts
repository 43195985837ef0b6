import { boundJson, RpcError } from "proffer";

export interface LogBounds {
  /** How many rounds at most. */
  readonly limit: number;
  readonly maxChars: number;
}

/**
 * A session log within its bounds: as it stands if it fits; otherwise the oldest rounds are left out, and `truncated`,
 * `original_rounds` and `returned_rounds` say so. @throws {RpcError} for a log that must be cut and is not JSON.
 */
export function boundLog(text: string, { limit, maxChars }: LogBounds, id: string): string {
  const log = parseLog(text);
  if (log === undefined) {
    if (text.length <= maxChars) return text;
    throw new RpcError(
      "internal_error",
      `The log of session '${id}' is not a JSON object and too long to be sent whole.`,
    );
  }
  const rounds = Array.isArray(log.transcript) ? log.transcript : [];
  if (text.length <= maxChars && rounds.length <= limit) return text;
  const options = { list: "transcript", unit: "rounds" } as const;
  if (rounds.length <= limit) return boundJson(log, { ...options, maxChars });
  const newest = limit === 0 ? [] : rounds.slice(-limit);
  const marks = { truncated: true, original_rounds: rounds.length, returned_rounds: newest.length };
  // boundJson counts the rounds that it is given, so its count is put right afterwards: that may take more digits.
  const digits = String(rounds.length).length - String(newest.length).length;
  const json = boundJson({ ...log, transcript: newest, ...marks }, { ...options, maxChars: maxChars - digits });
  const bounded = JSON.parse(json);
  if ("original_rounds" in bounded) bounded.original_rounds = rounds.length;
  return JSON.stringify(bounded);
}

function parseLog(text: string): { readonly [key: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
