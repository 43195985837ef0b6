import { isObject } from "../../protocol/messages.ts";
import { UsageError } from "../../support/usage-error.ts";
import { inPlaceKeywords, keywords, type Shape, shapes } from "./keywords.ts";
import { escapeToken } from "./report.ts";
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
      rejectSchema(pointer, `lies deeper than ${MAX_DEPTH} schemas; flatten it, or use "$ref" and "$defs"`);
    if (schemas.size >= MAX_SCHEMAS)
      rejectSchema("", `has more than ${MAX_SCHEMAS} subschemas; share some with "$ref"`);
    if (typeof schema === "boolean") {
      schemas.set(pointer, schema);
      return;
    }
    if (!isObject(schema)) rejectSchema(pointer, `must be a schema: an object or a boolean, not ${show(schema)}`);
    const copy: JsonSchemaObject = Object.assign(Object.create(null), schema);
    schemas.set(pointer, copy);
    const here: string[] = [];
    inPlace.set(pointer, here);
    for (const [keyword, value] of Object.entries(schema)) {
      if (value === undefined || keyword.startsWith("x-")) continue;
      const shape = keywords.get(keyword);
      if (shape === undefined) refuseKeyword(keyword, pointer);
      const place = `${pointer}/${keyword}`;
      const wanted = shapes.get(shape);
      if (wanted?.test(value) === false) rejectSchema(place, `must be ${wanted.name}, not ${show(value)}`);
      for (const [path, child] of subschemas(shape, value, place)) {
        visit(child, path, depth + 1);
        if (inPlaceKeywords.has(keyword)) here.push(path);
      }
    }
    checkIdentity(copy, pointer);
    if (copy.$anchor !== undefined) addAnchor(copy.$anchor, pointer);
  }

  function addAnchor(anchor: string, pointer: string): void {
    if (anchors.has(anchor))
      rejectSchema(`${pointer}/$anchor`, `repeats the anchor ${show(anchor)}; anchors must differ`);
    anchors.set(anchor, pointer);
  }

  function resolve(ref: string, from: string): string {
    const place = `${from}/$ref`;
    const fragment = decodeFragment(ref);
    if (fragment === undefined) {
      const remedy = `copy what it points to into "$defs" and refer to it as "#/$defs/…"`;
      const reason = `is ${show(ref)}, which lies outside this schema and is never fetched; ${remedy}`;
      rejectSchema(place, reason, "unsupported_keyword");
    }
    const target = fragment === "" || fragment.startsWith("/") ? fragment : anchors.get(fragment);
    if (target === undefined || !schemas.has(target)) {
      rejectSchema(place, `is ${show(ref)}, but no schema stands there; correct the pointer or add the definition`);
    }
    return target;
  }

  visit(root, "", 0);
  for (const [pointer, schema] of schemas) {
    if (typeof schema === "boolean" || schema.$ref === undefined) continue;
    inPlace.get(pointer)?.push(resolve(schema.$ref, pointer));
  }
  refuseEndless(inPlace);
  return { schemas, resolve };
}

/** Throws the refusal of the schema at a pointer. */
export function rejectSchema(
  pointer: string,
  problem: string,
  code: "bad_schema" | "unsupported_keyword" | "unsafe_pattern" = "bad_schema",
): never {
  throw new UsageError(code, `In the schema, #${pointer} ${problem}.`);
}

/** The schemas that a keyword holds, each with its pointer. */
function subschemas(shape: Shape, value: unknown, place: string): [string, unknown][] {
  if (shape === "schema") return [[place, value]];
  if (shape !== "schemaList" && shape !== "schemaMap") return [];
  return Object.entries(value as object).map(([name, child]) => [`${place}/${escapeToken(name)}`, child]);
}

function checkIdentity(schema: JsonSchemaObject, pointer: string): void {
  if (schema.$id !== undefined && pointer !== "") refuseKeyword("$id", pointer, "below the root ");
  if (schema.$schema === undefined || DIALECT.test(schema.$schema)) return;
  const problem = `is ${show(schema.$schema)}, but only JSON Schema 2020-12 is understood`;
  rejectSchema(`${pointer}/$schema`, `${problem}; convert the schema, then leave "$schema" out`, "unsupported_keyword");
}

function refuseKeyword(keyword: string, pointer: string, where = ""): never {
  const remedy = `correct it, or wrap the schema with ajvSchema(…) from "proffer/ajv", which takes every keyword`;
  rejectSchema(
    pointer,
    `has the keyword ${show(keyword)}, which ${where}is not supported; ${remedy}`,
    "unsupported_keyword",
  );
}

/** Refuses references that lead back to themselves without a step into the value: no value could ever be judged. */
function refuseEndless(inPlace: ReadonlyMap<string, readonly string[]>): void {
  const finished = new Set<string>();
  const open = new Set<string>();
  function follow(pointer: string): void {
    if (finished.has(pointer)) return;
    if (open.has(pointer))
      rejectSchema(pointer, `refers to itself without a step into the value; break the circle of "$ref"`);
    if (open.size > MAX_DEPTH)
      rejectSchema(pointer, `lies behind more than ${MAX_DEPTH} references; shorten the chain`);
    open.add(pointer);
    for (const next of inPlace.get(pointer) ?? []) follow(next);
    open.delete(pointer);
    finished.add(pointer);
  }
  for (const pointer of inPlace.keys()) follow(pointer);
}

/** Decodes a reference into the same document; undefined if it leads elsewhere. */
function decodeFragment(ref: string): string | undefined {
  if (!ref.startsWith("#")) return undefined;
  try {
    return decodeURIComponent(ref.slice(1));
  } catch {
    return ref;
  }
}

function show(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "an empty array" : "an array of something else";
  if (typeof value === "string") return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
  return isObject(value) ? "an object" : String(value);
}
