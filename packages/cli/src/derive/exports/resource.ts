import type { ManifestResource, ManifestVariable } from "proffer/derived";
import type { FunctionDoc } from "../comments/function-doc.ts";
import type { Entry } from "../comments/tag.ts";
import type { DerivedSchema } from "../model/json-schema.ts";
import type { Candidate } from "./exports.ts";
import { deriveInput, type Input } from "./input.ts";
import { completions } from "./prompt.ts";
import { deriveOutput, type Output } from "./result.ts";
import type { Session } from "./session.ts";
import { bind, describe, tagText } from "./tool.ts";
import { parseVariables, type TemplateVariable } from "./uri-variables.ts";

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
