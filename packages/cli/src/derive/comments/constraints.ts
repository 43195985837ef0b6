import type { DiagnosticCode } from "../model/diagnostics.ts";
import { type DerivedSchema, type Json, type JsonType, typesOf } from "../model/json-schema.ts";
import type { DocComment, DocTag } from "./doc-comment.ts";

/** Receives the problems of a documentation comment. */
interface Reporter {
  /** The name of the documented value in messages. */
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

/** Keywords that count something: their value must be a non-negative integer. */
const COUNT_KEYWORDS = /Length$|Items$/;

/** Returns a copy of the schema with the description and the keywords of a documentation comment. */
export function applyDoc(reporter: Reporter, schema: DerivedSchema, doc: DocComment | undefined): DerivedSchema {
  if (doc === undefined) return schema;
  let documented = doc.text === "" ? schema : { ...schema, description: doc.text };
  for (const tag of doc.tags) documented = applyTag(reporter, documented, tag);
  return documented;
}

function applyTag(reporter: Reporter, schema: DerivedSchema, tag: DocTag): DerivedSchema {
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
      return { ...schema, deprecated: true, ...(text && { description: withDeprecation(schema.description, text) }) };
    default:
      return schema;
  }
}

/** Appends a deprecation note to a description. */
export function withDeprecation(description: string | undefined, reason: string): string {
  const sentence = reason === "" ? "Deprecated." : `Deprecated: ${reason}`;
  return description ? `${description}\n\n${sentence}` : sentence;
}

/** Parses the text of a tag as a value for the schema: JSON, or a bare string. Undefined if the type does not fit. */
export function readValue(schema: DerivedSchema, text: string): Json | undefined {
  const types = typesOf(schema);
  const parsed = parseJson(text);
  if (parsed !== undefined && (types === undefined || admits(types, parsed))) return parsed;
  if (types !== undefined && !types.has("string")) return undefined;
  return /^'.*'$/s.test(text) ? text.slice(1, -1) : text;
}

function applyNumber(reporter: Reporter, schema: DerivedSchema, name: NumberKeyword, text: string): DerivedSchema {
  if (!applies(reporter, schema, { name }, NUMBER_KEYWORDS[name])) return schema;
  const value = Number(text.replaceAll("_", ""));
  const isUsable = COUNT_KEYWORDS.test(name) ? Number.isInteger(value) && value >= 0 : Number.isFinite(value);
  if (text === "" || !isUsable || (name === "multipleOf" && value <= 0)) {
    const expected = COUNT_KEYWORDS.test(name)
      ? "a non-negative integer"
      : name === "multipleOf"
        ? "a number greater than 0"
        : "a number";
    reporter.report("PF1201", `${reporter.subject}: @${name} must be ${expected}, not "${text}".`);
    return schema;
  }
  return { ...schema, [name]: value };
}

function applyInteger(reporter: Reporter, schema: DerivedSchema): DerivedSchema {
  if (!applies(reporter, schema, { name: "integer" }, ["number", "integer"])) return schema;
  return { ...withInteger(schema), ...(schema.anyOf && { anyOf: schema.anyOf.map(withInteger) }) };
}

/** Returns the schema with `integer` in place of `number`. */
export function withInteger(schema: DerivedSchema): DerivedSchema {
  const { type } = schema;
  if (type === undefined) return schema;
  const toInteger = (each: JsonType): JsonType => (each === "number" ? "integer" : each);
  return { ...schema, type: typeof type === "string" ? toInteger(type) : type.map(toInteger) };
}

function applyPattern(reporter: Reporter, schema: DerivedSchema, text: string): DerivedSchema {
  if (!applies(reporter, schema, { name: "pattern" }, ["string"])) return schema;
  const pattern = /^`.*`$/s.test(text) ? text.slice(1, -1) : text;
  try {
    new RegExp(pattern, "u");
  } catch (error) {
    reporter.report("PF1201", `${reporter.subject}: cannot compile @pattern: ${(error as Error).message}.`);
    return schema;
  }
  return { ...schema, pattern };
}

function withValue(
  reporter: Reporter,
  schema: DerivedSchema,
  { name, text }: DocTag,
  toKeywords: (value: Json) => DerivedSchema,
): DerivedSchema {
  const value = readValue(schema, text);
  if (value !== undefined) return { ...schema, ...toKeywords(value) };
  const types = [...(typesOf(schema) ?? [])].join(" or ");
  reporter.report("PF1201", `${reporter.subject}: @${name} must be JSON of type ${types}, not "${text}".`);
  return schema;
}

/** Whether a keyword applies to values of this schema. Reports PF1202 if it never does. */
function applies(reporter: Reporter, schema: DerivedSchema, tag: { name: string }, to: readonly JsonType[]): boolean {
  const types = typesOf(schema);
  if (types === undefined || to.some((type) => types.has(type))) return true;
  const actual = [...types].join(" or ");
  reporter.report("PF1202", `${reporter.subject}: @${tag.name} applies only to ${to[0]}s, but the type is ${actual}.`);
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
