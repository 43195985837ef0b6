import { isObject } from "../../protocol/messages.ts";
import { escapeToken } from "../../support/json-pointer.ts";
import { UsageError } from "../../support/usage-error.ts";
import { inPlaceKeywords, keywords, type Shape, shapes } from "./keywords.ts";
import { compilePattern, type Pattern, trustedPattern } from "./pattern.ts";
import { MAX_WORK } from "./run.ts";
import type { JsonSchema, JsonSchemaObject } from "./types.ts";

const DIALECT = /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/;
/** The maximum number of subschemas of one schema. */
export const MAX_SCHEMAS = 10_000;
const MAX_DEPTH = 200;
/** The automatons of all patterns of a schema together; they take about 20 MB then. */
const MAX_PATTERN_COST = 50_000;

/** All subschemas of a schema, validated, by their pointers. */
export interface SchemaIndex {
  /** Copies without a prototype, so that reading a keyword never reads an inherited property. */
  readonly schemas: ReadonlyMap<string, JsonSchema>;
  /** Returns the schema at a pointer; undefined if it is a boolean, or does not exist. */
  objectAt(pointer: string): JsonSchemaObject | undefined;
  /** The regular expressions of `pattern` and `patternProperties`, by their pointers. */
  readonly patterns: ReadonlyMap<string, Pattern>;
  /** Returns the target pointer of a `$ref` in the schema at `from`. */
  resolve(ref: string, from: string): string;
}

/**
 * Walks a schema once and rejects schemas that are malformed, unsupported, too large or endlessly recursive, or have a
 * pattern that could take too long. @throws {UsageError} `bad_schema`, `unsupported_keyword` or `unsafe_pattern`
 */
export function indexSchema(root: JsonSchema): SchemaIndex {
  const schemas = new Map<string, JsonSchema>();
  const anchors = new Map<string, string>();
  /** The subschemas and references that apply to the same value, by the pointer of the schema. */
  const inPlace = new Map<string, string[]>();
  const patterns = new Map<string, Pattern>();
  let patternCost = 0;

  function visit(schema: unknown, pointer: string, depth: number): void {
    if (depth > MAX_DEPTH)
      rejectSchema(
        pointer,
        `is nested more than ${MAX_DEPTH} levels deep. Flatten the schema, or use "$ref" and "$defs"`,
      );
    if (schemas.size >= MAX_SCHEMAS)
      rejectSchema("", `has more than ${MAX_SCHEMAS} subschemas. Share some with "$ref"`);
    if (typeof schema === "boolean") {
      schemas.set(pointer, schema);
      return;
    }
    if (!isObject(schema))
      rejectSchema(pointer, `must be a schema (an object or a boolean), not ${describeValue(schema)}`);
    const copy: JsonSchemaObject = Object.assign(Object.create(null), schema);
    schemas.set(pointer, copy);
    const here: string[] = [];
    inPlace.set(pointer, here);
    for (const [keyword, value] of Object.entries(schema)) {
      if (value === undefined || keyword.startsWith("x-")) continue;
      const shape = keywords.get(keyword);
      if (shape === undefined) rejectKeyword(keyword, pointer);
      const place = `${pointer}/${keyword}`;
      const expected = shapes[shape];
      if (expected?.test(value) === false) rejectSchema(place, `must be ${expected.name}, not ${describeValue(value)}`);
      for (const [path, child] of subschemas(shape, value, place)) {
        visit(child, path, depth + 1);
        if (inPlaceKeywords.has(keyword)) here.push(path);
      }
    }
    checkIdentity(copy, pointer);
    addPatterns(copy, pointer);
    if (copy.$anchor !== undefined) addAnchor(copy.$anchor, pointer);
  }

  function addPatterns(schema: JsonSchemaObject, pointer: string): void {
    const { pattern, patternProperties, unsafePattern = false, properties, required = [] } = schema;
    let namesCost = 0;
    const add = (source: string, place: string) => {
      const compiled = toPattern(source, unsafePattern, place);
      patterns.set(place, compiled);
      patternCost += compiled.cost;
      namesCost += compiled.cost;
      if (patternCost > MAX_PATTERN_COST)
        rejectSchema(place, "is one of too many large patterns. Write them without bounds, or shorten them");
    };
    if (pattern !== undefined) add(pattern, `${pointer}/pattern`);
    for (const source of Object.keys(patternProperties ?? {}))
      add(source, `${pointer}/patternProperties/${escapeToken(source)}`);
    // Each name is matched with each pattern when the schema is compiled.
    const letters = [...Object.keys(properties ?? {}), ...required].reduce((sum, { length }) => sum + length, 0);
    if (letters * namesCost > MAX_WORK)
      rejectSchema(pointer, "has too many names for its patternProperties. Write fewer names or patterns");
  }

  function addAnchor(anchor: string, pointer: string): void {
    if (anchors.has(anchor))
      rejectSchema(`${pointer}/$anchor`, `repeats the anchor ${describeValue(anchor)}. Anchors must be unique`);
    anchors.set(anchor, pointer);
  }

  function resolve(ref: string, from: string): string {
    const place = `${from}/$ref`;
    const fragment = decodeFragment(ref);
    if (fragment === undefined) {
      const problem = `is ${describeValue(ref)}, which is outside this schema and is never fetched`;
      const remedy = `Copy the target to "$defs" and refer to it as "#/$defs/…"`;
      rejectSchema(place, `${problem}. ${remedy}`, "unsupported_keyword");
    }
    const target = fragment === "" || fragment.startsWith("/") ? fragment : anchors.get(fragment);
    if (target === undefined || !schemas.has(target)) {
      const problem = `is ${describeValue(ref)}, but the target does not exist`;
      rejectSchema(place, `${problem}. Correct the pointer, or add the definition`);
    }
    return target;
  }

  function objectAt(pointer: string): JsonSchemaObject | undefined {
    const schema = schemas.get(pointer);
    return typeof schema === "object" ? schema : undefined;
  }

  visit(root, "", 0);
  for (const [pointer, parts] of inPlace) {
    const ref = objectAt(pointer)?.$ref;
    if (ref !== undefined) parts.push(resolve(ref, pointer));
  }
  rejectCycles(inPlace);
  return { schemas, objectAt, patterns, resolve };
}

/** Returns the subschemas of a keyword, each with its pointer. */
function subschemas(shape: Shape, value: unknown, place: string): [string, unknown][] {
  if (shape === "schema") return [[place, value]];
  if (shape !== "schemaList" && shape !== "schemaMap") return [];
  return Object.entries(value as object).map(([name, child]) => [`${place}/${escapeToken(name)}`, child]);
}

function checkIdentity(schema: JsonSchemaObject, pointer: string): void {
  if (schema.$id !== undefined && pointer !== "") rejectKeyword("$id", pointer, "below the root ");
  if (schema.$schema === undefined || DIALECT.test(schema.$schema)) return;
  const problem = `is ${describeValue(schema.$schema)}, but only JSON Schema 2020-12 is supported`;
  rejectSchema(`${pointer}/$schema`, `${problem}. Convert the schema, then remove "$schema"`, "unsupported_keyword");
}

function rejectKeyword(keyword: string, pointer: string, where = ""): never {
  const problem = `has the keyword ${describeValue(keyword)}, which ${where}is not supported`;
  const remedy = `Correct it, or wrap the schema with ajvSchema(…) from "proffer/ajv", which supports every keyword`;
  rejectSchema(pointer, `${problem}. ${remedy}`, "unsupported_keyword");
}

/** Rejects reference cycles that apply to the same value: validation would never end. */
function rejectCycles(inPlace: ReadonlyMap<string, readonly string[]>): void {
  const finished = new Set<string>();
  const open = new Set<string>();
  function follow(pointer: string): void {
    if (finished.has(pointer)) return;
    if (open.has(pointer)) rejectSchema(pointer, `refers to itself for the same value. Break the cycle of "$ref"`);
    if (open.size > MAX_DEPTH)
      rejectSchema(pointer, `is at the end of more than ${MAX_DEPTH} references. Shorten the chain`);
    open.add(pointer);
    for (const next of inPlace.get(pointer) ?? []) follow(next);
    open.delete(pointer);
    finished.add(pointer);
  }
  for (const pointer of inPlace.keys()) follow(pointer);
}

/** Decodes a reference within the document; returns undefined for a reference to another document. */
function decodeFragment(ref: string): string | undefined {
  if (!ref.startsWith("#")) return undefined;
  try {
    return decodeURIComponent(ref.slice(1));
  } catch {
    return ref;
  }
}

function describeValue(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "an empty array" : "an array of other values";
  if (typeof value === "string") return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
  return isObject(value) ? "an object" : String(value);
}

/** Throws a `UsageError` for the schema at a pointer. */
function rejectSchema(
  pointer: string,
  problem: string,
  code: "bad_schema" | "unsupported_keyword" | "unsafe_pattern" = "bad_schema",
): never {
  throw new UsageError(`In the schema, #${pointer} ${problem}.`, code);
}

/** Compiles the regular expression of `pattern` or `patternProperties`. A trusted one may take any time. */
function toPattern(source: string, isTrusted: boolean, place: string): Pattern {
  try {
    const trusted = trustedPattern(source);
    return isTrusted ? trusted : compilePattern(source);
  } catch (error) {
    const { message } = error as Error;
    if (!(error instanceof RangeError))
      rejectSchema(place, `is not a valid regular expression with the flag u: ${message}`);
    const problem = `is the pattern ${source}, which ${message}, so it could take very long on a hostile text`;
    const remedy = `Rewrite it without that, or add "unsafePattern": true if you trust all texts`;
    rejectSchema(place, `${problem}. ${remedy}`, "unsafe_pattern");
  }
}
