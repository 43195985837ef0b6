import { mapAll } from "../json-schema/keywords.ts";
import type { JsonSchema, JsonSchemaObject } from "../json-schema/types.ts";

/** Keywords whose schemas must not match, or only decide about others: their constraints are not those of the value. */
const ELSEWHERE: ReadonlySet<string> = new Set(["not", "if", "contains", "propertyNames"]);
/** Keywords whose schemas describe the same value, which the description around them is about. */
const SAME_VALUE: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf", "items", "prefixItems"]);

/**
 * Returns an input schema whose descriptions also state its constraints and defaults, because several clients drop these
 * keywords before the model sees the schema. A constraint that a description already mentions is not repeated.
 */
export function describeConstraints(schema: JsonSchemaObject): JsonSchemaObject {
  // The arguments as a whole have the description of the tool.
  return mapAll(schema, (part) => describe(part, ""));
}

/** `said` has the descriptions around the schema that are about its value. Returns the same object if nothing changes. */
function describe(schema: JsonSchema, said: string): JsonSchema {
  if (typeof schema === "boolean") return schema;
  const text = `${said} ${schema.description ?? ""}`;
  const described = mapAll(schema, (part, keyword) => {
    if (ELSEWHERE.has(keyword)) return part;
    return describe(part, SAME_VALUE.has(keyword) ? text : "");
  });
  const words = wordsFor(schema, text);
  return words === "" ? described : { ...described, description: addSentence(schema.description, words) };
}

/** In characters. A longer pattern or default costs more than it helps. */
const MAX_PATTERN = 80;
const MAX_DEFAULT = 40;

/** Other words for a format in a description. */
const FORMATS: ReadonlyMap<string, RegExp> = new Map([
  ["date-time", /date|time|ISO 8601|RFC 3339/i],
  ["date", /date|ISO 8601|RFC 3339/i],
  ["time", /time|ISO 8601|RFC 3339/i],
  ["duration", /duration|ISO 8601/i],
  ["email", /e-?mail/i],
  ["uri", /\bUR[IL]/i],
  ["uuid", /\b[UG]UID/i],
  ["ipv4", /\bIP(v4)?\b/i],
  ["ipv6", /\bIP(v6)?\b/i],
  ["hostname", /\bhost/i],
]);

const CONSTRAINTS: ReadonlySet<string> = new Set([
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength"],
  ...["pattern", "format", "contentEncoding", "minItems", "maxItems", "uniqueItems", "default"],
]);

/** The constraints and the default of a schema in words, without those that its description already mentions. */
function wordsFor(schema: JsonSchemaObject, text: string): string {
  // Most schemas have none, and a client waits for the first list.
  if (!Object.keys(schema).some((keyword) => CONSTRAINTS.has(keyword))) return "";
  const { multipleOf = 1, uniqueItems } = schema;
  return list(
    range(numbersOf(schema), text),
    range({ low: schema.minLength || undefined, high: schema.maxLength, unit: "character" }, text),
    range({ low: schema.minItems || undefined, high: schema.maxItems, unit: "item" }, text),
    multipleOf !== 1 && !mentions(text, multipleOf) && `a multiple of ${multipleOf}`,
    uniqueItems && !/unique|distinct|duplicate|different/i.test(text) && "no duplicates",
    formWords(schema, text),
    defaultWords(schema, text),
  );
}

function list(...words: (string | false | undefined)[]): string {
  return words.filter(Boolean).join(", ");
}

interface Range {
  readonly low?: number | undefined;
  readonly high?: number | undefined;
  readonly unit?: string;
  /** Whether the limits themselves are excluded. */
  readonly above?: boolean;
  readonly below?: boolean;
}

/** Libraries state that integers are exact in JavaScript, which is no constraint of the author. */
function numbersOf(schema: JsonSchemaObject): Range {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const above = exclusiveMinimum !== undefined && exclusiveMinimum >= (minimum ?? Number.NEGATIVE_INFINITY);
  const below = exclusiveMaximum !== undefined && exclusiveMaximum <= (maximum ?? Number.POSITIVE_INFINITY);
  const low = above ? exclusiveMinimum : minimum;
  const high = below ? exclusiveMaximum : maximum;
  return {
    low: low === Number.MIN_SAFE_INTEGER ? undefined : low,
    high: high === Number.MAX_SAFE_INTEGER ? undefined : high,
    above,
    below,
  };
}

function range({ low, high, unit = "", above = false, below = false }: Range, text: string): string {
  const isSaid = (low === undefined || mentions(text, low)) && (high === undefined || mentions(text, high));
  if (isSaid) return "";
  const of = (count: number) => (unit === "" ? `${count}` : `${count} ${unit}${count === 1 ? "" : "s"}`);
  if (low !== undefined && low === high) return `exactly ${of(low)}`;
  if (low !== undefined && high !== undefined && !above && !below) return `${low} to ${of(high)}`;
  return list(
    low !== undefined && `${above ? "above" : "at least"} ${of(low)}`,
    high !== undefined && `${below ? "below" : "at most"} ${of(high)}`,
  );
}

/** A library writes a pattern beside a format that it implies; the format says it better. */
function formWords({ format, pattern, contentEncoding }: JsonSchemaObject, text: string): string {
  const says = (word: string) => text.toLowerCase().includes(word.toLowerCase());
  return list(
    format !== undefined && !says(format) && !FORMATS.get(format)?.test(text) && `format: ${format}`,
    format === undefined && pattern && pattern.length <= MAX_PATTERN && !text.includes(pattern) && `matches ${pattern}`,
    contentEncoding !== undefined && !says(contentEncoding) && `encoded as ${contentEncoding}`,
  );
}

function defaultWords(schema: JsonSchemaObject, text: string): string {
  const value = schema.default === undefined || /\bdefaults?\b/i.test(text) ? "" : JSON.stringify(schema.default);
  return value === "" || value.length > MAX_DEFAULT ? "" : `default: ${value}`;
}

/** Whether a text has a number, also with separators of thousands. */
function mentions(text: string, number: number): boolean {
  const digits = String(number).replaceAll(/[.+]/g, "\\$&");
  return new RegExp(`(?<![\\d.])${digits}(?!\\d|\\.\\d)`).test(text.replaceAll(/(?<=\d)[,_ ](?=\d{3}\b)/g, ""));
}

const ENDS = /[.!?:;)\]"”]$/;

/** Adds a remark to a description: after a comma, or as a sentence of its own if the description is one. */
export function addSentence(description: string | undefined, remark: string): string {
  const text = description?.trimEnd() ?? "";
  if (text === "") return remark;
  if (text.includes("\n")) return `${text}\n${capitalized(remark)}.`;
  return ENDS.test(text) ? `${text} ${capitalized(remark)}.` : `${text}, ${remark}`;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
