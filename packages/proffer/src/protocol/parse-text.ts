import { scanWhole } from "./scan.ts";

/** A parsed text, and the number of its keys and elements. */
export interface ParsedText {
  readonly value: object;
  readonly items: number;
}

/**
 * Parses a JSON object or array that a client sent as a string. The scan of the message did not look into the string, so
 * the limits of a message apply to it here. A text with a key twice in one object could mean two things and is refused.
 * Returns undefined for a text that is not accepted.
 */
export function parseText(text: string, maxDepth: number, maxItems: number): ParsedText | undefined {
  const scanned = /^\s*[[{]/.test(text) ? scanWhole(text, maxDepth, maxItems) : undefined;
  if (scanned === undefined) return undefined;
  try {
    const value = JSON.parse(text);
    return countKeys(value) === scanned.keys ? { value, items: scanned.items } : undefined;
  } catch {
    return undefined;
  }
}

function countKeys(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const children = Object.values(value);
  return children.reduce((sum, child) => sum + countKeys(child), Array.isArray(value) ? 0 : children.length);
}
