import type { JsonSchemaObject } from "proffer";
import { compileJsonSchema } from "proffer/derived";
import type { Problem } from "../protocol/call.ts";
import type { Json, JsonObject } from "../protocol/json.ts";
import { isObject } from "../support/values.ts";

/** Where a value breaks a schema. The server has the last word: a value with problems can be sent. */
export interface Checked {
  readonly problems: readonly Problem[];
  /** Why values are not checked, or only in part; undefined if they are. */
  readonly note?: string;
}

/** Checks a value that was typed into a form. It never throws: a schema that the validator refuses is checked in part. */
export function checkValue(schema: JsonObject, value: Json): Checked {
  try {
    return { problems: problemsOf(schema, value) };
  } catch (error) {
    const reason = (error as Error).message;
    try {
      const problems = problemsOf(simplify(schema, 0), value);
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
  const token = (JSON.parse(name) as string).replaceAll("~", "~0").replaceAll("/", "~1");
  return { pointer: `${pointer}/${token}`, message: "is missing" };
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

/** Leaves out what Proffer's validator refuses: unknown keywords, other dialects, formats and patterns. */
function simplify(schema: unknown, depth: number): JsonSchemaObject {
  if (!isObject(schema) || depth > MAX_DEPTH) return {};
  const entries = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
    // Before 2019-09, definitions had another name, and tuples were lists in `items`.
    if (keyword === "definitions") return [["$defs", mapOf(value, depth)]];
    if (keyword === "items" && Array.isArray(value)) return [["prefixItems", listIn(value, depth)]];
    if (keyword === "$ref" && typeof value === "string")
      return [["$ref", value.replace(/^#\/definitions\//, "#/$defs/")]];
    if (PLAIN.has(keyword) || (KEPT.has(keyword) && typeof value !== "object")) return [[keyword, value]];
    if (!KEPT.has(keyword)) return [];
    if (Array.isArray(value)) return [[keyword, listIn(value, depth)]];
    return [[keyword, MAPS.has(keyword) ? mapOf(value, depth) : simplify(value, depth + 1)]];
  });
  return Object.fromEntries(entries);
}

function listIn(value: readonly unknown[], depth: number): unknown[] {
  return value.map((item) => (typeof item === "boolean" ? item : simplify(item, depth + 1)));
}

function mapOf(value: unknown, depth: number): object {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, typeof item === "boolean" ? item : simplify(item, depth + 1)]),
  );
}
