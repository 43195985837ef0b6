import type { SchemaLike } from "../schema/infer.ts";
import type { JsonSchemaObject } from "../schema/json-schema/types.ts";
import { toSchema } from "../schema/schema.ts";
import { isStandardSchema } from "../schema/standard-schema.ts";
import { Memo } from "../support/memo.ts";
import { UsageError } from "../support/usage-error.ts";
import { type Fields, fieldsSchema, isField } from "./fields.ts";
import { fingerprint } from "./fingerprint.ts";

/** What a question asks the user to fill in. */
export interface Form {
  /** What clients are shown: flat, an object of strings, numbers, booleans and choices. */
  readonly published: JsonSchemaObject;
  /** The JSON of the schema that the content must fit; it may say more than clients understand. */
  readonly schema: string;
  /** Tells it from other forms. */
  readonly mark: string;
  /** What the handler gets for what the user filled in, where that is something else. */
  readonly parse?: (content: unknown) => unknown;
}

/** Standard Schemas do not change, so that the form of each is made once. */
const standardForms = new WeakMap<object, Form>();
/** A form, and a copy of the schema that it was made of: an author may change a list of choices afterwards. */
interface Made {
  readonly form: Form;
  readonly copy: JsonSchemaObject;
}

/** The forms of other schemas by their JSON: a handler that runs again asks the same again, with an object of its own. */
const known = /* @__PURE__ */ new Memo(makeForm);
/** The schemas that were asked with last: one that is an author's constant is found without writing it as JSON. */
const latest: { readonly source: object; readonly made: Made }[] = [];
const MAX_LATEST = 8;
let nextLatest = 0;

/** Makes a form of whatever the author gave. @throws {UsageError} for what the protocol's forms cannot express. */
export function toForm(source: SchemaLike | Fields | undefined): Form {
  if (source === undefined) {
    throw new UsageError(
      "wrong_use",
      "ctx.ask() needs a schema as its second argument; ctx.ask<T>(message) alone works only in modules that proffer derives.",
    );
  }
  if (isStandardSchema(source)) {
    let form = standardForms.get(source);
    if (form === undefined) {
      const schema = toSchema(source, "input", "ctx.ask()");
      form = { ...jsonForm(schema.json), parse: (content) => schema.parse(content) };
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

/** Refuses a schema that is not a flat form, naming the place. */
function checkFlat(json: JsonSchemaObject): void {
  if (json.type !== "object" || typeof json.properties !== "object") {
    throw notFlat("", 'the schema must be an object with properties (type: "object")');
  }
  for (const key of Object.keys(json)) if (!TOP.has(key)) throw notFlat("", `"${key}" is not possible`);
  for (const [name, property] of Object.entries(json.properties)) checkProperty(name, property as JsonSchemaObject);
}

function checkProperty(name: string, property: JsonSchemaObject): void {
  const known = typeof property.type === "string" ? PROPERTY[property.type] : undefined;
  if (known === undefined) throw notFlat(name, "only string, number, integer, boolean and choices are possible");
  for (const key of Object.keys(property)) if (!known.has(key)) throw notFlat(name, `"${key}" is not possible`);
  if (property.format !== undefined && !FORMATS.has(property.format)) {
    throw notFlat(name, `the format must be one of ${[...FORMATS].join(", ")}, not ${property.format}`);
  }
  if (property.type !== "array") return;
  const { items } = property;
  const choices = typeof items === "object" ? (items.enum ?? items.anyOf) : undefined;
  if (!Array.isArray(choices))
    throw notFlat(name, "a list must be a choice among given strings (items.enum or items.anyOf)");
}

function notFlat(name: string, problem: string): UsageError {
  const where = name === "" ? "" : ` at "${name}"`;
  return new UsageError(
    "bad_schema",
    `A question cannot ask for this${where}: ${problem}. Forms are flat; ask several questions instead.`,
  );
}

/** Keywords that clients do not know: answers are checked against them, and only here. */
const OURS = new Set(["pattern", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "uniqueItems", "const"]);

function jsonForm(json: JsonSchemaObject): Form {
  for (const { source, made } of latest) if (source === json && isSame(json, made.copy)) return made.form;
  const made = known.get(JSON.stringify(json));
  latest[nextLatest] = { source: json, made };
  nextLatest = (nextLatest + 1) % MAX_LATEST;
  return made.form;
}

function makeForm(text: string): Made {
  const copy: JsonSchemaObject = JSON.parse(text);
  checkFlat(copy);
  return { form: { ...makeFaces(copy), mark: fingerprint(text) }, copy };
}

/** Whether two schemas say the same. */
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

/** The two faces of a form: what is shown, and what is checked. */
function makeFaces(json: JsonSchemaObject): Pick<Form, "published" | "schema"> {
  const { additionalProperties: _, $schema: __, ...top } = json;
  const shown: Record<string, JsonSchemaObject> = {};
  const checked: Record<string, JsonSchemaObject> = {};
  for (const [name, property] of Object.entries(json.properties ?? {}) as [string, JsonSchemaObject][]) {
    const { enumNames: ___, ...rest } = property;
    checked[name] = rest;
    const known = Object.entries(property).filter(([key]) => !OURS.has(key));
    shown[name] = { ...Object.fromEntries(known), ...("const" in property ? { enum: [property.const] } : {}) };
  }
  return { published: { ...top, properties: shown }, schema: JSON.stringify({ ...top, properties: checked }) };
}
