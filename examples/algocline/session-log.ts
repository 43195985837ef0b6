import { RpcError, truncateJson } from "proffer";

export interface LogBounds {
  /** Limit of rounds. */
  readonly limit: number;
  readonly maxChars: number;
}

/**
 * Truncates a session log. A log that fits is unchanged; otherwise the oldest rounds are omitted, and `truncated`,
 * `original_rounds` and `returned_rounds` report it. @throws {RpcError} if the log is too long and not JSON.
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
  return truncateJson(log, { maxChars, maxItems: limit, list: "transcript", unit: "rounds" });
}

function parseLog(text: string): { readonly [key: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
