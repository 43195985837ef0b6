import type { JsonSchemaObject } from "../schema/json-schema/types.ts";
import { isStandardSchema, type SchemaLike, toSchema } from "../schema/schema.ts";
import { validate } from "../schema/validate.ts";
import { Memo } from "../support/memo.ts";
import { UsageError } from "../support/usage-error.ts";
import { type Fields, fieldsSchema, isField } from "./fields.ts";
import { fingerprint } from "./fingerprint.ts";

/** The form of a question. */
export interface Form {
  /** The schema that clients receive: a flat object of strings, numbers, booleans and choices. */
  readonly published: JsonSchemaObject;
  /** The JSON of the schema that validates the content; it may have keywords that clients do not support. */
  readonly schema: string;
  /** The fingerprint of the form. */
  readonly mark: string;
  /** Converts the content to the handler's type, for a Standard Schema. */
  readonly parse?: (content: unknown) => unknown;
}

/** Standard Schemas do not change, so the form of each is created once. */
const standardForms = new WeakMap<object, Form>();
/** A form with a copy of its schema, because an author may change a list of choices afterwards. */
interface CachedForm {
  readonly form: Form;
  readonly copy: JsonSchemaObject;
}

/** The forms of other schemas by their JSON: a handler that runs again asks with an equal schema in a new object. */
const formsByJson = /* @__PURE__ */ new Memo(makeForm);
/** The schemas that were used last. If the author's schema is a constant, it is found here without serializing it. */
const latest: { readonly source: object; readonly cached: CachedForm }[] = [];
const MAX_LATEST = 8;
let nextLatest = 0;

/** Converts a schema or fields to a form. @throws {UsageError} for a schema that a form cannot express. */
export function toForm(source: SchemaLike | Fields | undefined): Form {
  if (source === undefined) {
    throw new UsageError(
      "wrong_use",
      "ctx.ask() needs a schema as its second argument. ctx.ask<T>(message) works only in modules that Proffer derives.",
    );
  }
  if (isStandardSchema(source)) {
    let form = standardForms.get(source);
    if (form === undefined) {
      const schema = toSchema(source, "input", "ctx.ask()");
      form = { ...jsonForm(schema.json), parse: (content) => validate(schema, content) };
      standardForms.set(source, form);
    }
    return form;
  }
  const values = Object.values(source);
  const json =
    values.length > 0 && values.every(isField) ? fieldsSchema(source as Fields) : (source as JsonSchemaObject);
  return jsonForm(json);
}

const TOP = new Set(["$schema", "type", "properties", "required", "title", "description", "additionalProperties"]);
const COMMON = ["type", "title", "description", "default"];
const PROPERTY: { readonly [type: string]: ReadonlySet<string> } = {
  string: new Set([...COMMON, "minLength", "maxLength", "pattern", "format", "enum", "enumNames", "oneOf", "const"]),
  number: new Set([...COMMON, "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]),
  integer: new Set([...COMMON, "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]),
  boolean: new Set(COMMON),
  array: new Set([...COMMON, "items", "minItems", "maxItems", "uniqueItems"]),
};
const FORMATS = new Set(["email", "uri", "date", "date-time"]);

/** Rejects a schema that is not a flat form. */
function checkFlat(json: JsonSchemaObject): void {
  if (json.type !== "object" || typeof json.properties !== "object") {
    throw notFlat("", 'the schema must be an object with properties (type: "object")');
  }
  for (const key of Object.keys(json)) if (!TOP.has(key)) throw notFlat("", `"${key}" is not supported`);
  for (const [name, property] of Object.entries(json.properties)) checkProperty(name, property as JsonSchemaObject);
}

function checkProperty(name: string, property: JsonSchemaObject): void {
  const known = typeof property.type === "string" ? PROPERTY[property.type] : undefined;
  if (known === undefined) throw notFlat(name, "only string, number, integer, boolean and choices are supported");
  for (const key of Object.keys(property)) if (!known.has(key)) throw notFlat(name, `"${key}" is not supported`);
  if (property.format !== undefined && !FORMATS.has(property.format)) {
    throw notFlat(name, `the format must be one of ${[...FORMATS].join(", ")}, not ${property.format}`);
  }
  if (property.type !== "array") return;
  const { items } = property;
  const choices = typeof items === "object" ? (items.enum ?? items.anyOf) : undefined;
  if (!Array.isArray(choices)) throw notFlat(name, "a list must be a choice of strings (items.enum or items.anyOf)");
}

function notFlat(name: string, problem: string): UsageError {
  const where = name === "" ? "" : ` at "${name}"`;
  return new UsageError(
    "bad_schema",
    `Unsupported form schema${where}: ${problem}. Forms are flat; ask several questions instead.`,
  );
}

/** Keywords that clients do not support: they validate answers here, and clients never see them. */
const HIDDEN = new Set(["pattern", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "uniqueItems", "const"]);

function jsonForm(json: JsonSchemaObject): Form {
  for (const { source, cached } of latest) if (source === json && isSame(json, cached.copy)) return cached.form;
  const cached = formsByJson.get(JSON.stringify(json));
  latest[nextLatest] = { source: json, cached };
  nextLatest = (nextLatest + 1) % MAX_LATEST;
  return cached.form;
}

function makeForm(text: string): CachedForm {
  const copy: JsonSchemaObject = JSON.parse(text);
  checkFlat(copy);
  return { form: { ...splitSchema(copy), mark: fingerprint(text) }, copy };
}

/** Whether two schemas are equal. */
function isSame(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  const [one, other] = [left as JsonSchemaObject, right as JsonSchemaObject];
  let more = 0;
  for (const name in one) {
    if (!isSame(one[name], other[name])) return false;
    more++;
  }
  for (const _ in other) more--;
  return more === 0;
}

/** Splits a schema into the one for clients and the one for validation. */
function splitSchema(json: JsonSchemaObject): Pick<Form, "published" | "schema"> {
  const { additionalProperties: _, $schema: __, ...top } = json;
  const shown: Record<string, JsonSchemaObject> = {};
  const checked: Record<string, JsonSchemaObject> = {};
  for (const [name, property] of Object.entries(json.properties ?? {}) as [string, JsonSchemaObject][]) {
    const { enumNames: ___, ...rest } = property;
    checked[name] = rest;
    const known = Object.entries(property).filter(([key]) => !HIDDEN.has(key));
    shown[name] = { ...Object.fromEntries(known), ...("const" in property ? { enum: [property.const] } : {}) };
  }
  return { published: { ...top, properties: shown }, schema: JSON.stringify({ ...top, properties: checked }) };
}
