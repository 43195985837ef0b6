import type {
  Binding,
  ManifestArgument,
  ManifestPrompt,
  ManifestResource,
  ManifestTool,
  ManifestVariable,
} from "proffer/derived";
import { parseTemplate, TemplateError, type Variable } from "proffer/uri";
import type { FunctionDoc } from "../comments/function-comment.ts";
import { parseJson } from "../comments/grammars.ts";
import type { DocTag } from "../comments/parse-comment.ts";
import { type Entry, withDeprecation } from "../comments/tag.ts";
import type { DerivedSchema, Json } from "../model/json-schema.ts";
import type { Analysis } from "./analysis.ts";
import type { Candidate } from "./exports.ts";
import { deriveInput, type Input } from "./input.ts";
import { deriveOutput, isPromptResult, type Output } from "./result.ts";

/** Describes a function as a tool; undefined if there were errors. */
export function deriveTool(analysis: Analysis, candidate: Candidate, entry: Entry): ManifestTool | undefined {
  const input = deriveInput(analysis, candidate);
  const { output: mode, ...rest } = entry;
  const output = deriveOutput(analysis, candidate, { wholeResults: true, closed: entry.closed === true });
  if (input.isBroken || output.isBroken) return undefined;
  if (mode === "none" && entry.closed) {
    const message = `'${candidate.name}' has the tags @closed and @output none, but only the output schema names the properties to keep. Remove one of them.`;
    analysis.report("PF1140", candidate.node, message);
    return undefined;
  }
  const { shown, examples } = readExamples(candidate.doc);
  const isAsked = mode !== undefined || entry.closed === true;
  const isListed = output.schema !== undefined && mode !== "none" && (isAsked || !isPlainText(output));
  return {
    name: candidate.name,
    ...describe(candidate.doc, rest, shown),
    inputSchema: examples.length > 0 ? { ...input.schema, examples } : input.schema,
    ...(isListed && { outputSchema: output.schema }),
    ...(isListed && mode === "strict" && { mismatch: "error" as const }),
    ...(input.paramScopes && { paramScopes: input.paramScopes }),
    binding: bind(candidate, input, output),
  };
}

/**
 * Whether a result is text that its type says nothing else about. Its schema would say no more than the text, and models
 * that get structured content would read it in an object.
 */
function isPlainText({ schema = {}, bound }: Output): boolean {
  const { type, description: _, ...more } = schema;
  return type === "string" && bound.encode === undefined && Object.keys(more).length === 0;
}

/** Returns how the run-time calls a function. */
function bind({ path }: Candidate, input: Input, output: Output): Binding {
  return {
    path,
    parameters: input.parameters,
    ...(input.codec && { decode: input.codec }),
    result: output.bound,
  };
}

/** Returns the members of a manifest entry that come from the comment. `more` are further paragraphs. */
function describe(
  doc: FunctionDoc,
  { title, ...entry }: Entry,
  more: string[] = [],
): Entry & { description?: string; deprecated?: string | true } {
  const remarks = doc.tags.filter(({ name }) => name === "remarks").map(({ text }) => text);
  const deprecated = tagText(doc.tags, "deprecated");
  const text = [doc.text, ...remarks, ...more].filter(Boolean).join("\n\n");
  const description = deprecated === undefined ? text : withDeprecation(text, deprecated);
  return {
    ...(title && { title }),
    ...(description && { description }),
    ...entry,
    ...(deprecated !== undefined && { deprecated: deprecated || (true as const) }),
  };
}

/** Returns the text of the first tag with this name; empty if it has no text, undefined if there is no such tag. */
export function tagText(tags: readonly DocTag[], name: string): string | undefined {
  return tags.find((tag) => tag.name === name)?.text;
}

/** Splits the examples: a JSON object is an example of the arguments and goes to the schema, other text is shown. */
function readExamples(doc: FunctionDoc): { shown: string[]; examples: Json[] } {
  const shown: string[] = [];
  const examples: Json[] = [];
  for (const { name, text } of doc.tags) {
    if (name !== "example" || text === "") continue;
    const value = parseJson(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    if (isObject) examples.push(value);
    else shown.push(`Example:\n${text}`);
  }
  return { shown, examples };
}

/** Describes a function as a prompt; undefined if there were errors. The protocol allows only strings as arguments. */
export function derivePrompt(analysis: Analysis, candidate: Candidate, entry: Entry): ManifestPrompt | undefined {
  const input = deriveInput(analysis, candidate, { isInline: true });
  let isBroken = input.isBroken;
  const args: ManifestArgument[] = [];
  const coded = input.codec?.plan.kind === "object" ? (input.codec.plan.properties ?? {}) : {};
  for (const [name, schema] of Object.entries(input.schema.properties ?? {})) {
    if (schema.type !== "string" || Object.hasOwn(coded, name)) {
      const node = input.places.get(name) ?? candidate.node;
      analysis.report(
        "PF1301",
        node,
        `Argument '${name}' of the prompt '${candidate.name}' must be a string or a union of strings. Convert it inside the function.`,
      );
      isBroken = true;
      continue;
    }
    const complete = completions(schema);
    args.push({
      name,
      ...(schema.description && { description: schema.description }),
      required: input.schema.required?.includes(name) ?? false,
      schema,
      ...(complete && { complete }),
    });
  }
  if (!isPromptResult(analysis, candidate)) {
    analysis.report(
      "PF1302",
      candidate.node,
      `The prompt '${candidate.name}' must return a string, or messages created with user(…) and assistant(…).`,
    );
    isBroken = true;
  }
  if (isBroken) return undefined;
  return {
    name: candidate.name,
    ...describe(candidate.doc, entry),
    arguments: args,
    ...(input.paramScopes && { paramScopes: input.paramScopes }),
    binding: bind(candidate, input, { bound: { kind: "content" }, isBroken }),
  };
}

/** Returns all values of a string or number with a closed set of them, as completions for a client. */
function completions(schema: DerivedSchema): string[] | undefined {
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  const usable = values?.filter((value) => typeof value === "string" || typeof value === "number");
  return usable && usable.length > 0 ? usable.map(String) : undefined;
}

/** Describes a function as a resource, or as a template of resources; undefined if there were errors. */
export function deriveResource(analysis: Analysis, candidate: Candidate, given: Entry): ManifestResource | undefined {
  const { name, node, doc } = candidate;
  const { closed = false, ...entry } = given;
  const [uri = ""] = (tagText(doc.tags, "resource") ?? "").split(/\s/);
  const parsed = parseVariables(uri);
  if (typeof parsed === "string") {
    analysis.report("PF1401", node, `The URI of the resource '${name}' is malformed. ${parsed}`);
    return undefined;
  }
  const input = deriveInput(analysis, candidate, { isInline: true });
  const output = deriveOutput(analysis, candidate, { rawBytes: true, closed });
  const variables = matchVariables(analysis, candidate, input, parsed, uri);
  if (input.isBroken || output.isBroken || variables === undefined) return undefined;
  // Undefined means "not found", and must not become null. A resource has no output schema, so the binding carries the
  // schema of a closed result.
  const { nullable: _, ...result } = output.bound;
  const bound = { ...result, ...(closed && output.schema && { closed: output.schema }) };
  return {
    uri,
    name,
    ...describe(doc, entry),
    variables,
    ...(input.paramScopes && { paramScopes: input.paramScopes }),
    binding: bind(candidate, input, { ...output, bound }),
  };
}

/** Matches the variables of a template with the parameters; undefined if they do not match. */
function matchVariables(
  analysis: Analysis,
  candidate: Candidate,
  input: Input,
  parsed: readonly TemplateVariable[],
  uri: string,
): ManifestVariable[] | undefined {
  const properties = input.schema.properties ?? {};
  const names = parsed.map(({ name }) => name);
  const variables: ManifestVariable[] = [];
  let isBroken = false;
  for (const { name, isOptional, isList } of parsed) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const node = input.places.get(name) ?? candidate.node;
    const required = input.schema.required?.includes(name) ?? false;
    const type = schema && typeOf(schema, isList);
    if (schema === undefined) {
      analysis.report(
        "PF1402",
        node,
        `The variable {${name}} of ${uri} has no parameter. Add ${name}: string to '${candidate.name}'.`,
      );
    } else if (type === undefined) {
      const expected = isList ? "an array of strings" : "a string, number, boolean or union of literals";
      const remedy = schema.type === "array" && !isList ? ` For an array, write {${name}*}.` : "";
      analysis.report(
        "PF1404",
        node,
        `The parameter '${name}' must be ${expected}, because it comes from ${uri}.${remedy}`,
      );
    } else if (isOptional && required) {
      analysis.report(
        "PF1405",
        node,
        `{?${name}} of ${uri} is optional. Make the parameter '${name}' optional, or add a default.`,
      );
    } else {
      const complete = completions(schema);
      variables.push({ name, required: !isOptional && required, type, schema, ...(complete && { complete }) });
      continue;
    }
    isBroken = true;
  }
  for (const name of Object.keys(properties)) {
    if (names.includes(name)) continue;
    const node = input.places.get(name) ?? candidate.node;
    analysis.report(
      "PF1403",
      node,
      `The parameter '${name}' does not appear in ${uri}. Add {?${name}} to the URI, or remove the parameter.`,
    );
    isBroken = true;
  }
  return isBroken ? undefined : variables;
}

/** Returns the type that the text of a URI is converted to for the schema; undefined if that is impossible. */
function typeOf(schema: DerivedSchema, isList: boolean): ManifestVariable["type"] | undefined {
  const { type } = schema;
  if (isList) return type === "array" && schema.items?.type === "string" ? "list" : undefined;
  return type === "string" || type === "number" || type === "integer" || type === "boolean" ? type : undefined;
}

/** A variable of a URI template. */
interface TemplateVariable {
  readonly name: string;
  /** A query or matrix parameter, which a URI may omit. */
  readonly isOptional: boolean;
  /** Exploded: it has any number of values. */
  readonly isList: boolean;
}

/** The length is limited by the server that the resource is added to. */
const UNLIMITED = { maxLength: Number.POSITIVE_INFINITY };

/**
 * Reads the variables of a URI template, or returns a sentence with the problem. An ambiguous template is not a problem
 * here: the run-time rejects it when the server is created.
 */
function parseVariables(text: string): readonly TemplateVariable[] | string {
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:/.test(text)) {
    const example = /^[\w{}?,*/.-]+$/.test(text) ? `app://${text.replace(/^\/+/, "")}` : "app://path/{variable}";
    return `"${text}" does not start with a scheme, which @resource needs. Write, for example, @resource ${example}; only defineResource() accepts a URI without a scheme.`;
  }
  let variables: readonly Variable[];
  try {
    ({ variables } = parseTemplate(text, UNLIMITED));
  } catch (error) {
    if (error instanceof TemplateError) return error.message;
    throw error;
  }
  const names = variables.map(({ name }) => name);
  const unusable = names.find((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  if (unusable !== undefined) return `{${unusable}} cannot be the name of a parameter. Rename the variable.`;
  const repeated = names.find((name, index) => names.indexOf(name) < index);
  if (repeated !== undefined) return `{${repeated}} occurs twice. Rename one of the variables.`;
  return variables.map(({ name, operator, explode }) => ({
    name,
    isOptional: operator === ";" || operator === "?" || operator === "&",
    isList: explode,
  }));
}
