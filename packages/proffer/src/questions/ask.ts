import type { Call } from "../calls/call.ts";
import { fingerprint, type Question } from "../calls/question.ts";
import type { Annotations, ClientCapabilities, MediaBlock, Meta, TextBlock } from "../protocol/model.ts";
import type { JsonSchemaObject } from "../schema/json-schema/types.ts";
import {
  type Infer,
  isStandardSchema,
  type SchemaLike,
  type StandardSchema,
  toSchema,
  validate,
} from "../schema/schema.ts";
import { whenReady } from "../support/async.ts";
import { Memo, memoized } from "../support/memo.ts";
import { UsageError } from "../support/usage-error.ts";
import { type Fields, type FieldValues, fieldsSchema, isField } from "./fields.ts";
import { questionsOf } from "./rounds.ts";

/** The user's answer to a question. */
export type Answer<Content> =
  | { readonly action: "accept"; readonly content: Content }
  | { readonly action: "decline" }
  | { readonly action: "cancel" };

/** The user's answer to a request to open a page. `accept` means that the user agreed, not that they are done. */
export type UrlAnswer = { readonly action: "accept" | "decline" | "cancel" };

export interface AskOptions<Content> {
  /** The answer to use for a client that does not support the question. Without it, the call ends with an error. */
  readonly fallback?: Answer<Content>;
  /** The name of the question on the wire, in revisions that name questions. */
  readonly key?: string;
}

/** The type of the content that a form's schema describes. */
export type FormContent<Schema> = Schema extends Fields
  ? { [Name in keyof FieldValues<Schema>]: FieldValues<Schema>[Name] }
  : Infer<Schema>;

const FORMS: ClientCapabilities = { elicitation: { form: {} } };

/** Asks the user to fill in a form. */
export function ask(
  call: Call,
  message: string,
  schema: SchemaLike | Fields | undefined,
  options: AskOptions<unknown> = {},
): Promise<Answer<unknown>> {
  const form = toForm(schema);
  const answer = questionsOf(call).ask({
    method: "elicitation/create",
    params: { mode: "form", message, requestedSchema: form.published },
    identity: `${form.mark} ${message}`,
    needs: FORMS,
    schema: form.schema,
    key: options.key,
    fallback: options.fallback,
  });
  const { parse } = form;
  if (parse === undefined) return Promise.resolve(answer) as Promise<Answer<unknown>>;
  return Promise.resolve(
    whenReady(answer, (given) => {
      if (given.action !== "accept" || given === options.fallback) return given as Answer<unknown>;
      return whenReady(parse(given.content), (content): Answer<unknown> => ({ action: "accept", content }));
    }),
  );
}

/** Asks the user to open a page, for data that must not pass through the client, such as a password. */
export function askUrl(
  call: Call,
  message: string,
  url: string | URL,
  options: AskOptions<never> = {},
): Promise<UrlAnswer> {
  if (!/^https?:\/\//i.test(String(url))) {
    throw new UsageError(`ctx.askUrl() needs an http or https URL, not ${JSON.stringify(String(url))}.`);
  }
  const answer = questionsOf(call).ask({
    method: "elicitation/create",
    params: { mode: "url", message, url: String(url) },
    identity: `${url} ${message}`,
    needs: { elicitation: { url: {} } },
    key: options.key,
    fallback: options.fallback,
  });
  return Promise.resolve(answer) as Promise<UrlAnswer>;
}

/** A request to the client's model. */
export interface SampleOptions {
  readonly messages: readonly {
    readonly role: "user" | "assistant";
    readonly content: TextBlock | MediaBlock | readonly object[];
  }[];
  readonly maxTokens: number;
  readonly systemPrompt?: string;
  readonly temperature?: number;
  readonly stopSequences?: readonly string[];
  readonly modelPreferences?: object;
  readonly metadata?: object;
  readonly tools?: readonly object[];
  readonly toolChoice?: object;
}

/** The response of the client's model. */
export interface Sampled {
  readonly role: "user" | "assistant";
  readonly content: TextBlock | MediaBlock | readonly object[];
  readonly model: string;
  readonly stopReason?: string;
}

/** A folder or file that the user works with. */
export interface Root {
  readonly uri: string;
  readonly name?: string;
  readonly annotations?: Annotations;
  readonly _meta?: Meta;
}

/** Asks the client's model to write something. */
export function sample(call: Call, options: SampleOptions, key?: string): Promise<Sampled> {
  const needs: ClientCapabilities = { sampling: options.tools === undefined ? {} : { tools: {} } };
  const identity = JSON.stringify(options);
  const question: Question = { method: "sampling/createMessage", params: { ...options }, identity, needs, key };
  return Promise.resolve(questionsOf(call).ask(question)) as Promise<unknown> as Promise<Sampled>;
}

/** Asks which folders the user works in. */
export async function roots(call: Call, key?: string): Promise<readonly Root[]> {
  const question: Question = { method: "roots/list", params: {}, identity: "", needs: { roots: {} }, key };
  const answer = await questionsOf(call).ask(question);
  return answer.roots as Root[];
}

/** The form of a question. */
interface Form {
  /** The schema that clients receive: a flat object of strings, numbers, booleans and choices. */
  readonly published: JsonSchemaObject;
  /** The JSON of the schema that validates the content; it may have keywords that clients do not support. */
  readonly schema: string;
  /** The fingerprint of the form. */
  readonly mark: string;
  /** A copy of the author's schema, because an author may change a list of choices afterwards. */
  readonly copy: JsonSchemaObject;
  /** Converts the content to the handler's type, for a Standard Schema. */
  readonly parse?: (content: unknown) => unknown;
}

/** Standard Schemas do not change, so the form of each is created once. */
const standardForm = /* @__PURE__ */ memoized((source: StandardSchema): Form => {
  const schema = toSchema(source, "input", "ctx.ask()");
  return { ...jsonForm(schema.json), parse: (content) => validate(schema, content) };
});
/** The forms of other schemas by their JSON: a handler that runs again asks with an equal schema in a new object. */
const formsByJson = /* @__PURE__ */ new Memo(makeForm);
/** The schemas that were used last. If the author's schema is a constant, it is found here without serializing it. */
const latest: { readonly source: object; readonly form: Form }[] = [];
const MAX_LATEST = 8;
let nextLatest = 0;

/** Converts a schema or fields to a form. @throws {UsageError} for a schema that a form cannot express. */
function toForm(source: SchemaLike | Fields | undefined): Form {
  if (source === undefined) {
    throw new UsageError(
      "ctx.ask() needs a schema as its second argument. ctx.ask<T>(message) works only in modules that Proffer derives.",
      "wrong_use",
    );
  }
  if (isStandardSchema(source)) return standardForm(source);
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
    `Unsupported form schema${where}: ${problem}. Forms are flat; ask several questions instead.`,
    "bad_schema",
  );
}

/** Keywords that clients do not support: they validate answers here, and clients never see them. */
const HIDDEN = new Set(["pattern", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "uniqueItems", "const"]);

function jsonForm(json: JsonSchemaObject): Form {
  for (const { source, form } of latest) if (source === json && isSame(json, form.copy)) return form;
  const form = formsByJson.get(JSON.stringify(json));
  latest[nextLatest] = { source: json, form };
  nextLatest = (nextLatest + 1) % MAX_LATEST;
  return form;
}

function makeForm(text: string): Form {
  const copy: JsonSchemaObject = JSON.parse(text);
  checkFlat(copy);
  return { ...splitSchema(copy), mark: fingerprint(text), copy };
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
