import { escapeToken } from "proffer/derived";
import type { Problem } from "../protocol/call.ts";
import type { JsonObject } from "../protocol/json.ts";
import { isObject } from "../support/values.ts";

const MAX_PROBLEMS = 100;
const MAX_TEXT = 100_000;
const MAX_MESSAGE = 1000;
const INVALID = /Invalid arguments for tool /;
/** A line of a Proffer server: a JSON pointer and what is wrong there. */
const LINE = /^(\/.*?): (.+)$/gm;

/** Finds where a server refuses the arguments, in the text of its result or error. Undefined if it says no such thing. */
export function findRefusals(text: string): readonly Problem[] | undefined {
  if (text.length > MAX_TEXT) return undefined;
  const start = INVALID.exec(text);
  if (start === null) return undefined;
  const rest = text.slice(start.index);
  const issues = readIssues(rest) ?? readLines(rest);
  return issues.length === 0 ? undefined : issues.slice(0, MAX_PROBLEMS);
}

/** The text of a result that reports a failure. */
export function textOfFailure({ isError, content }: JsonObject): string | undefined {
  if (isError !== true || !Array.isArray(content)) return undefined;
  const [first] = content;
  return isObject(first) && typeof first.text === "string" ? first.text : undefined;
}

function readLines(text: string): Problem[] {
  return [...text.matchAll(LINE)].map(([, pointer = "", message = ""]) => ({
    pointer: pointer === "/" ? "" : pointer,
    message: message.slice(0, MAX_MESSAGE),
  }));
}

/** Servers of the official SDK append the issues of Zod as JSON. */
function readIssues(text: string): Problem[] | undefined {
  const start = text.indexOf("[");
  if (start === -1) return undefined;
  try {
    const issues: unknown = JSON.parse(text.slice(start, text.lastIndexOf("]") + 1));
    if (!Array.isArray(issues)) return undefined;
    return issues.filter(isObject).flatMap(({ path, message }) => {
      if (!Array.isArray(path) || typeof message !== "string") return [];
      const pointer = path.map((token) => `/${escapeToken(String(token))}`).join("");
      return [{ pointer, message: message.slice(0, MAX_MESSAGE) }];
    });
  } catch {
    return undefined;
  }
}
