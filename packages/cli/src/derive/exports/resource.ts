import type { ManifestResource, ManifestVariable } from "proffer/derived";
import { parseTemplate, TemplateError, type Variable } from "proffer/uri";
import type { FunctionDoc } from "../comments/function-doc.ts";
import type { Entry } from "../comments/tag.ts";
import type { DerivedSchema } from "../model/json-schema.ts";
import type { Candidate } from "./exports.ts";
import { deriveInput, type Input } from "./input.ts";
import { completions } from "./prompt.ts";
import { deriveOutput, type Output } from "./result.ts";
import type { Session } from "./session.ts";
import { bind, describe, tagText } from "./tool.ts";

/** Describes a function as a resource, or as a template of resources; undefined if there were errors. */
export function deriveResource(
  session: Session,
  candidate: Candidate,
  doc: FunctionDoc,
  { closed = false, ...entry }: Entry,
): ManifestResource | undefined {
  const { name, node } = candidate;
  const [uri = ""] = (tagText(doc.tags, "resource") ?? "").split(/\s/);
  const parsed = parseVariables(uri);
  if (typeof parsed === "string") {
    session.report("PF1401", node, `The URI of the resource '${name}' is malformed. ${parsed}`);
    return undefined;
  }
  const input = deriveInput(session, candidate, doc, { isInline: true });
  const output = deriveOutput(session, candidate, doc, { rawBytes: true, closed });
  const variables = matchVariables(session, candidate, input, parsed, uri);
  if (input.isBroken || output.isBroken || variables === undefined) return undefined;
  return {
    uri,
    name,
    ...describe(doc, entry),
    variables,
    ...(input.paramScopes && { paramScopes: input.paramScopes }),
    binding: bind(candidate, input, closed ? withSchema(output) : output),
  };
}

/** A resource has no output schema, so the binding carries the schema of a closed result. */
function withSchema({ schema, bound, ...output }: Output): Output {
  return { ...output, bound: { ...bound, ...(schema && { closed: schema }) } };
}

/** Matches the variables of a template with the parameters; undefined if they do not match. */
function matchVariables(
  session: Session,
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
      session.report(
        "PF1402",
        node,
        `The variable {${name}} of ${uri} has no parameter. Add ${name}: string to '${candidate.name}'.`,
      );
    } else if (type === undefined) {
      const expected = isList ? "an array of strings" : "a string, number, boolean or union of literals";
      const remedy = schema.type === "array" && !isList ? ` For an array, write {${name}*}.` : "";
      session.report(
        "PF1404",
        node,
        `The parameter '${name}' must be ${expected}, because it comes from ${uri}.${remedy}`,
      );
    } else if (isOptional && required) {
      session.report(
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
    session.report(
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
  if (isList) return schema.type === "array" && schema.items?.type === "string" ? "list" : undefined;
  switch (schema.type) {
    case "string":
    case "number":
    case "integer":
    case "boolean":
      return schema.type;
    default:
      return undefined;
  }
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
    return `"${text}" does not start with a scheme. Write @resource scheme://path/{variable}.`;
  }
  try {
    return toVariables(parseTemplate(text, UNLIMITED).variables);
  } catch (error) {
    if (error instanceof TemplateError) return error.message;
    throw error;
  }
}

function toVariables(variables: readonly Variable[]): readonly TemplateVariable[] | string {
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
