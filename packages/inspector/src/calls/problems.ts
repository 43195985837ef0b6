import type { JsonSchemaObject } from "proffer";
import { compileJsonSchema, escapeToken } from "proffer/derived";
import type { Api } from "../protocol/api.ts";
import type { Json, JsonObject, Problem } from "../protocol/data.ts";
import { isObject } from "../support/values.ts";

/**
 * Checks a value that was typed into a form. It never throws: a schema that the validator refuses is checked in part. The
 * server has the last word: a value with problems can be sent.
 */
export function checkValue(schema: JsonObject, value: Json): Api["check"]["out"] {
  try {
    return { problems: problemsOf(schema, value) };
  } catch (error) {
    const reason = (error as Error).message;
    try {
      const problems = problemsOf(simplify(schema, 0) as JsonSchemaObject, value);
      return { problems, note: `Some rules are only checked by the server: ${reason}` };
    } catch {
      return { problems: [], note: `Only the server checks values: ${reason}` };
    }
  }
}

/** Most servers of others name an older dialect and use nothing in which it differs. */
function problemsOf({ $schema: _, ...schema }: JsonSchemaObject, value: Json): Problem[] {
  return compileJsonSchema(schema).issues(value).map(atMember);
}

/** Shows a missing member at its own field. */
function atMember({ pointer, message }: Problem): Problem {
  const [, name] = /^missing required property (".*")$/s.exec(message) ?? [];
  if (name === undefined) return { pointer, message };
  return { pointer: `${pointer}/${escapeToken(JSON.parse(name))}`, message: "is missing" };
}

const MAX_DEPTH = 100;
const PLAIN = new Set(["const", "default", "enum", "examples", "required", "type"]);
const KEPT = new Set(
  `$defs $ref $anchor additionalProperties allOf anyOf contains exclusiveMaximum exclusiveMinimum items maxItems maxLength
  maxProperties maximum minItems minLength minProperties minimum multipleOf not oneOf prefixItems properties uniqueItems`.split(
    /\s+/,
  ),
);
const MAPS = new Set(["$defs", "properties"]);

/** Leaves out the parts that Proffer's validator refuses: unknown keywords, other dialects, formats and patterns. */
function simplify(schema: unknown, depth: number): JsonSchemaObject | boolean {
  if (typeof schema === "boolean") return schema;
  if (!isObject(schema) || depth > MAX_DEPTH) return {};
  const all = (values: readonly unknown[]) => values.map((value) => simplify(value, depth + 1));
  const byName = (value: unknown) => {
    const entries = Object.entries(isObject(value) ? value : {});
    return Object.fromEntries(entries.map(([name, value]) => [name, simplify(value, depth + 1)]));
  };
  const entries = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
    // Before 2019-09, definitions had another name, and tuples were lists in `items`.
    if (keyword === "definitions") return [["$defs", byName(value)]];
    if (keyword === "items" && Array.isArray(value)) return [["prefixItems", all(value)]];
    if (keyword === "$ref" && typeof value === "string")
      return [["$ref", value.replace(/^#\/definitions\//, "#/$defs/")]];
    if (PLAIN.has(keyword) || (KEPT.has(keyword) && typeof value !== "object")) return [[keyword, value]];
    if (!KEPT.has(keyword)) return [];
    if (Array.isArray(value)) return [[keyword, all(value)]];
    return [[keyword, MAPS.has(keyword) ? byName(value) : simplify(value, depth + 1)]];
  });
  return Object.fromEntries(entries);
}

/** Finds where the result of a tool breaks its output schema. */
export function checkResult(description: JsonObject, result: JsonObject): readonly Problem[] {
  const { outputSchema } = description;
  if (!isObject(outputSchema) || result.isError === true) return [];
  if (result.structuredContent === undefined) {
    return [{ pointer: "", message: "has no structuredContent, although the tool has an output schema" }];
  }
  try {
    const issues = compileJsonSchema(outputSchema).issues(result.structuredContent);
    return issues.map(({ pointer, message }) => ({ pointer: `/structuredContent${pointer}`, message }));
  } catch (error) {
    // The schema of another server may have keywords that the validator does not know.
    return [{ pointer: "", message: `cannot be compared with the output schema: ${(error as Error).message}` }];
  }
}

const MAX_PROBLEMS = 100;
const MAX_TEXT = 100_000;
const MAX_MESSAGE = 1000;
const INVALID = /Invalid arguments for tool /;
/** A line of a Proffer server: a JSON pointer and the problem there. */
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
