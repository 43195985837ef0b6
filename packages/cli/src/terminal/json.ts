import type { Styles } from "./terminal.ts";
import { Text, text } from "./text.ts";

/** An object of JSON. Its members may be anything: most of it comes from others. */
export type Members = { readonly [name: string]: unknown };

export function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns an object without the members that are undefined. */
export function defined<Part extends object>(members: Part): { [Name in keyof Part]?: Exclude<Part[Name], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;
}

/** Parses a text; undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A longer text is not read on a screen. */
const MAX_LENGTH = 1_000_000;
/** Deeper levels would be indented out of the screen, and their indentation takes quadratic space. */
const MAX_DEPTH = 50;
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * Formats a JSON object or array for people: indented and colored. The tokens stay as they are, so a number keeps all
 * its digits. Returns undefined for any other text.
 */
export function prettyJson(json: string, styles: Styles, indent = ""): Text | undefined {
  if (json.length > MAX_LENGTH || !/^\s*[{[]/.test(json) || parseJson(json) === undefined) return undefined;
  const tokens = json.match(TOKENS) ?? [];
  const parts: Text[] = [];
  let depth = 0;
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1] ?? "";
    const isEnd = token === "}" || token === "]";
    if (isEnd) depth -= 1;
    const opened = before === "{" || before === "[";
    if ((opened && !isEnd) || before === "," || (isEnd && !opened)) {
      parts.push(text`\n${indent}${"  ".repeat(depth)}`);
    }
    parts.push(paint(token, tokens[index + 1], styles));
    if (token === "{" || token === "[") depth += 1;
    if (depth > MAX_DEPTH) return undefined;
  }
  return Text.join(parts, "");
}

function paint(token: string, after: string | undefined, { cyan, green, yellow, dim }: Styles): Text {
  if (token === ":") return text`: `;
  if (token.startsWith('"')) return after === ":" ? cyan(token) : green(token);
  if (token === "null") return dim(token);
  return /^[-\dtf]/.test(token) ? yellow(token) : text`${token}`;
}
