import type { DiagnosticCode } from "../model/diagnostics.ts";
import { type Json, type JsonSchema, type JsonType, typesOf } from "../model/json-schema.ts";
import type { DocComment, DocTag } from "./doc-comment.ts";

/** Whoever takes complaints about the thing that is being documented. */
interface Reporter {
  readonly subject: string;
  report(code: DiagnosticCode, message: string): void;
}

type NumberKeyword =
  | "minimum"
  | "maximum"
  | "exclusiveMinimum"
  | "exclusiveMaximum"
  | "multipleOf"
  | "minLength"
  | "maxLength"
  | "minItems"
  | "maxItems";

const NUMBER_KEYWORDS: Record<NumberKeyword, readonly JsonType[]> = {
  minimum: ["number", "integer"],
  maximum: ["number", "integer"],
  exclusiveMinimum: ["number", "integer"],
  exclusiveMaximum: ["number", "integer"],
  multipleOf: ["number", "integer"],
  minLength: ["string"],
  maxLength: ["string"],
  minItems: ["array"],
  maxItems: ["array"],
};

/** Keywords that count something, so that only whole numbers from 0 make sense. */
const COUNTS = /Length$|Items$/;

/** A copy of a schema with what a documentation comment says of the value. */
export function applyDoc(reporter: Reporter, schema: JsonSchema, doc: DocComment | undefined): JsonSchema {
  if (doc === undefined) return schema;
  let documented = doc.text === "" ? schema : { ...schema, description: doc.text };
  for (const tag of doc.tags) documented = applyTag(reporter, documented, tag);
  return documented;
}

function applyTag(reporter: Reporter, schema: JsonSchema, tag: DocTag): JsonSchema {
  const { name, text } = tag;
  if (Object.hasOwn(NUMBER_KEYWORDS, name)) return applyNumber(reporter, schema, name as NumberKeyword, text);
  switch (name) {
    case "integer":
      return applyInteger(reporter, schema);
    case "asType":
    case "type":
      return text === "integer" ? applyInteger(reporter, schema) : schema;
    case "pattern":
      return applyPattern(reporter, schema, text);
    case "format":
      return applies(reporter, schema, tag, ["string"]) ? { ...schema, format: text } : schema;
    case "uniqueItems":
      return applies(reporter, schema, tag, ["array"]) ? { ...schema, uniqueItems: text !== "false" } : schema;
    case "default":
      return withValue(reporter, schema, tag, (value) => ({ default: value }));
    case "example":
      return withValue(reporter, schema, tag, (value) => ({ examples: [...(schema.examples ?? []), value] }));
    case "title":
      return { ...schema, title: text };
    case "deprecated":
      return { ...schema, deprecated: true, ...(text && { description: deprecation(schema.description, text) }) };
    default:
      return schema;
  }
}

/** A description that ends with why something should no longer be used. */
export function deprecation(description: string | undefined, reason: string): string {
  const sentence = reason === "" ? "Deprecated." : `Deprecated: ${reason}`;
  return description ? `${description}\n\n${sentence}` : sentence;
}

/** Reads what a tag gives as a value for a schema: JSON, or the bare text of a string. */
export function readValue(schema: JsonSchema, text: string): Json | undefined {
  const types = typesOf(schema);
  const parsed = parseJson(text);
  if (parsed !== undefined && (types === undefined || admits(types, parsed))) return parsed;
  if (types !== undefined && !types.has("string")) return undefined;
  return /^'.*'$/s.test(text) ? text.slice(1, -1) : text;
}

function applyNumber(reporter: Reporter, schema: JsonSchema, name: NumberKeyword, text: string): JsonSchema {
  if (!applies(reporter, schema, { name }, NUMBER_KEYWORDS[name])) return schema;
  const value = Number(text.replaceAll("_", ""));
  const isUsable = COUNTS.test(name) ? Number.isInteger(value) && value >= 0 : Number.isFinite(value);
  if (text === "" || !isUsable || (name === "multipleOf" && value <= 0)) {
    const wanted = COUNTS.test(name)
      ? "a whole number from 0"
      : name === "multipleOf"
        ? "a number above 0"
        : "a number";
    reporter.report("PF1201", `${reporter.subject}: @${name} needs ${wanted}, not "${text}".`);
    return schema;
  }
  return { ...schema, [name]: value };
}

function applyInteger(reporter: Reporter, schema: JsonSchema): JsonSchema {
  if (!applies(reporter, schema, { name: "integer" }, ["number", "integer"])) return schema;
  return { ...withInteger(schema), ...(schema.anyOf && { anyOf: schema.anyOf.map(withInteger) }) };
}

/** The same schema, for whole numbers. */
export function withInteger(schema: JsonSchema): JsonSchema {
  const { type } = schema;
  if (type === undefined) return schema;
  const toInteger = (each: JsonType): JsonType => (each === "number" ? "integer" : each);
  return { ...schema, type: Array.isArray(type) ? type.map(toInteger) : toInteger(type) };
}

function applyPattern(reporter: Reporter, schema: JsonSchema, text: string): JsonSchema {
  if (!applies(reporter, schema, { name: "pattern" }, ["string"])) return schema;
  const pattern = /^`.*`$/s.test(text) ? text.slice(1, -1) : text;
  try {
    new RegExp(pattern, "u");
  } catch (error) {
    reporter.report("PF1201", `${reporter.subject}: @pattern needs a regular expression: ${(error as Error).message}.`);
    return schema;
  }
  return { ...schema, pattern };
}

function withValue(
  reporter: Reporter,
  schema: JsonSchema,
  { name, text }: DocTag,
  toKeywords: (value: Json) => JsonSchema,
): JsonSchema {
  const value = readValue(schema, text);
  if (value !== undefined) return { ...schema, ...toKeywords(value) };
  const types = [...(typesOf(schema) ?? [])].join(" or ");
  reporter.report("PF1201", `${reporter.subject}: @${name} needs JSON of the type ${types}, not "${text}".`);
  return schema;
}

/** Whether a keyword can be about values of this schema; a keyword that never applies is a mistake. */
function applies(reporter: Reporter, schema: JsonSchema, tag: { name: string }, to: readonly JsonType[]): boolean {
  const types = typesOf(schema);
  if (types === undefined || to.some((type) => types.has(type))) return true;
  const given = [...types].join(" or ");
  reporter.report("PF1202", `${reporter.subject}: @${tag.name} is for ${to[0]}s, but this is ${given} in JSON.`);
  return false;
}

function admits(types: Set<JsonType>, value: Json): boolean {
  if (value === null) return types.has("null");
  if (Array.isArray(value)) return types.has("array");
  if (typeof value === "number") return types.has("number") || (types.has("integer") && Number.isInteger(value));
  return types.has(typeof value as JsonType);
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
