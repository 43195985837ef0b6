import { UsageError } from "../usage-error.ts";
import { inPlaceKeywords, keywords, type Shape } from "./keywords.ts";
import { escapeToken } from "./report.ts";
import { typeRules } from "./type-rule.ts";
import type { JsonSchema, JsonSchemaObject } from "./types.ts";

const DIALECT = /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/;
const MAX_SCHEMAS = 10_000;
const MAX_DEPTH = 200;

/** Every subschema of a schema, found valid, by its pointer. */
export interface SchemaIndex {
  /** Copies without a prototype, so that reading a keyword never reads an inherited property. */
  readonly schemas: ReadonlyMap<string, JsonSchema>;
  /** Finds the pointer that a `$ref` at the given place leads to. */
  resolve(ref: string, from: string): string;
}

/**
 * Walks a schema once and refuses what is malformed, unsupported, too large or endless.
 * @throws {UsageError} `bad_schema` or `unsupported_keyword`
 */
export function indexSchema(root: JsonSchema): SchemaIndex {
  const schemas = new Map<string, JsonSchema>();
  const anchors = new Map<string, string>();
  /** Subschemas and references that judge the same value, by the pointer of the schema. */
  const inPlace = new Map<string, string[]>();

  function visit(schema: unknown, pointer: string, depth: number): void {
    if (depth > MAX_DEPTH)
      refuse(pointer, `is nested more than ${MAX_DEPTH} schemas deep; flatten it, or use "$ref" and "$defs"`);
    if (schemas.size >= MAX_SCHEMAS)
      refuse("", `has more than ${MAX_SCHEMAS} subschemas; share them with "$ref" and "$defs"`);
    if (typeof schema === "boolean") {
      schemas.set(pointer, schema);
      return;
    }
    if (!isPlainObject(schema)) refuse(pointer, `must be a schema: an object or a boolean, not ${show(schema)}`);
    const copy: JsonSchemaObject = Object.assign(Object.create(null), schema);
    schemas.set(pointer, copy);
    const here: string[] = [];
    inPlace.set(pointer, here);
    for (const [keyword, value] of Object.entries(schema)) {
      if (value === undefined || keyword.startsWith("x-")) continue;
      const shape = keywords.get(keyword);
      if (shape === undefined) refuseKeyword(keyword, pointer);
      const place = `${pointer}/${escapeToken(keyword)}`;
      checkShape(shape, value, place);
      for (const [path, child] of subschemas(shape, value, place)) {
        visit(child, path, depth + 1);
        if (inPlaceKeywords.has(keyword)) here.push(path);
      }
    }
    checkIdentity(copy, pointer);
    if (copy.$anchor !== undefined) {
      if (anchors.has(copy.$anchor))
        refuse(`${pointer}/$anchor`, `repeats the anchor "${copy.$anchor}"; anchors must differ`);
      anchors.set(copy.$anchor, pointer);
    }
  }

  function resolve(ref: string, from: string): string {
    const place = `${from}/$ref`;
    if (!ref.startsWith("#")) {
      const remedy = `copy what it points to into "$defs" and refer to it as "#/$defs/…"`;
      refuse(
        place,
        `is ${show(ref)}, which lies outside this schema and is never fetched; ${remedy}`,
        "unsupported_keyword",
      );
    }
    const fragment = decodeFragment(ref.slice(1));
    const target = fragment === "" || fragment?.startsWith("/") ? fragment : anchors.get(fragment ?? "");
    if (target === undefined || !schemas.has(target)) {
      refuse(place, `is ${show(ref)}, but there is no schema at that place; correct the pointer or add the definition`);
    }
    return target;
  }

  visit(root, "", 0);
  for (const [pointer, schema] of schemas) {
    if (typeof schema === "object" && schema.$ref !== undefined)
      inPlace.get(pointer)?.push(resolve(schema.$ref, pointer));
  }
  refuseEndless(inPlace);
  return { schemas, resolve };
}

/** Throws the refusal of the schema at a pointer. */
export function refuse(
  pointer: string,
  problem: string,
  code: "bad_schema" | "unsupported_keyword" | "unsafe_pattern" = "bad_schema",
): never {
  throw new UsageError(code, `The schema at #${pointer} ${problem}.`);
}

/** The schemas that a keyword holds, each with its pointer. */
export function subschemas(shape: Shape, value: unknown, place: string): [string, unknown][] {
  if (shape === "schema") return [[place, value]];
  if (shape !== "schemaList" && shape !== "schemaMap") return [];
  return Object.entries(value as object).map(([name, child]) => [`${place}/${escapeToken(name)}`, child]);
}

function checkIdentity(schema: JsonSchemaObject, pointer: string): void {
  if (schema.$id !== undefined && pointer !== "") refuseKeyword("$id", pointer, "below the root ");
  if (schema.$schema === undefined || DIALECT.test(schema.$schema)) return;
  const problem = `is ${show(schema.$schema)}, but only JSON Schema 2020-12 is understood; convert the schema and write "https://json-schema.org/draft/2020-12/schema", or leave "$schema" out`;
  refuse(`${pointer}/$schema`, problem, "unsupported_keyword");
}

function refuseKeyword(keyword: string, pointer: string, where = ""): never {
  const remedy = `correct it, or wrap the schema with ajvSchema(…) from "proffer/ajv", which takes every keyword`;
  refuse(pointer, `has the keyword ${show(keyword)}, which ${where}is not supported; ${remedy}`, "unsupported_keyword");
}

/** Refuses references that lead back to themselves without a step into the value: no value could ever be judged. */
function refuseEndless(inPlace: ReadonlyMap<string, readonly string[]>): void {
  const finished = new Set<string>();
  const open = new Set<string>();
  function follow(pointer: string): void {
    if (finished.has(pointer)) return;
    if (open.has(pointer))
      refuse(pointer, `refers to itself without a step into the value; break the circle of "$ref"`);
    if (open.size > MAX_DEPTH)
      refuse(pointer, `lies behind more than ${MAX_DEPTH} references; shorten the chain of "$ref"`);
    open.add(pointer);
    for (const next of inPlace.get(pointer) ?? []) follow(next);
    open.delete(pointer);
    finished.add(pointer);
  }
  for (const pointer of inPlace.keys()) follow(pointer);
}

function checkShape(shape: Shape, value: unknown, place: string): void {
  const wanted = SHAPES[shape];
  if (wanted !== undefined && !wanted.test(value)) refuse(place, `must be ${wanted.name}, not ${show(value)}`);
}

const SHAPES: Readonly<Partial<Record<Shape, { name: string; test(value: unknown): boolean }>>> = {
  boolean: { name: "a boolean", test: (value) => typeof value === "boolean" },
  count: { name: "an integer of at least 0", test: (value) => Number.isInteger(value) && (value as number) >= 0 },
  list: { name: "an array", test: Array.isArray },
  names: { name: "an array of strings", test: isNames },
  nameLists: {
    name: "an object of arrays of strings",
    test: (value) => isPlainObject(value) && Object.values(value).every(isNames),
  },
  number: { name: "a finite number", test: Number.isFinite },
  positive: { name: "a number above 0", test: (value) => Number.isFinite(value) && (value as number) > 0 },
  string: { name: "a string", test: (value) => typeof value === "string" },
  types: { name: `one of ${[...typeRules.keys()].join(", ")}, or an array of them`, test: isTypes },
  schemaList: { name: "an array of schemas that is not empty", test: isFilledArray },
  schemaMap: { name: "an object of schemas", test: isPlainObject },
};

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

function isTypes(value: unknown): boolean {
  const types = Array.isArray(value) ? value : [value];
  return types.length > 0 && types.every((type) => typeRules.has(type));
}

function isFilledArray(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

function isPlainObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function decodeFragment(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

function show(value: unknown): string {
  const text = typeof value === "object" || typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
