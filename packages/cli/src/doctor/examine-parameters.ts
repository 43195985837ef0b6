import type { JsonSchemaObject } from "proffer";
import { partsOf } from "../derive/model/tool-size.ts";
import type { CheckCode, Finding } from "./finding.ts";
import { findingAt, type ListedTool, type Offer, parametersOf } from "./offer.ts";
import { stemOf, wordsOf } from "./words.ts";

const MAX_PARAMETERS = 8;
/** Names of flags that do something else than the tool does. */
const OTHER_TOOL = /^(?:delete|remove|create|update|replace|send|cancel|undo|publish|archive|restore)$/i;

/** Looks at the parameters of the tools. */
export function examineParameters(offer: Offer): Finding[] {
  return offer.written.tools.flatMap((tool) => examineTool(offer, tool));
}

function examineTool(offer: Offer, tool: ListedTool): Finding[] {
  const { name } = tool;
  const parameters = parametersOf(tool);
  const findings: Finding[] = [];
  const report = (code: CheckCode, message: string, remedy: string) =>
    void findings.push(findingAt(offer, ["tool", name], code, message, remedy));
  if (parameters.length > MAX_PARAMETERS)
    report(
      "PF4032",
      `${name} has ${parameters.length} parameters.`,
      "Models fill in few of them well. Split the tool, or choose defaults.",
    );
  for (const [key, schema] of parameters) {
    const what = `The parameter ${key} of ${name}`;
    const { description, type } = resolve(tool.inputSchema as JsonSchemaObject, schema);
    if (!description) report("PF4030", `${what} has no description.`, `Describe it: @param ${key} - …`);
    if (type === "string" && schema.enum === undefined && listsValues(description ?? ""))
      report(
        "PF4031",
        `${what} lists its values only in words.`,
        'Use a union of strings, such as "open" | "paid", or an enum.',
      );
    if (type === "boolean" && OTHER_TOOL.test(key))
      report(
        "PF4034",
        `${what} is a flag that makes another tool of it.`,
        "Offer a tool for each, so that annotations and permissions can differ.",
      );
    if (isUnknownId(offer, tool, key))
      report(
        "PF4033",
        `${what} is an id, and no tool, prompt or resource of this server returns one.`,
        "Return it from a tool that finds or lists, or accept a name instead.",
      );
  }
  return findings;
}

/** The keywords of a parameter, with those of the definition that it refers to. */
function resolve(root: JsonSchemaObject, schema: JsonSchemaObject): JsonSchemaObject {
  const name = /^#\/\$defs\/(.+)$/.exec(schema.$ref ?? "")?.[1];
  const definition = name === undefined ? undefined : root.$defs?.[name];
  return typeof definition === "object" ? { ...definition, ...schema } : schema;
}

function listsValues(description: string): boolean {
  return /\b(?:one of|either)\b[^.]*(?:,|\bor\b|\|)/i.test(description);
}

/** Whether a parameter is an id, all results of the server are known, and none of them has it. */
function isUnknownId({ listing }: Offer, tool: ListedTool, parameter: string): boolean {
  const words = wordsOf(parameter);
  if (words.at(-1) !== "id") return false;
  const { tools, resources, resourceTemplates } = listing;
  const others = tools.filter((each) => each !== tool);
  if (others.length === 0 || resources.length + resourceTemplates.length > 0) return false;
  if (others.some(({ outputSchema }) => outputSchema === undefined || !isDescribed(outputSchema as JsonSchemaObject)))
    return false;
  return !others.some(({ outputSchema }) => hasName(outputSchema, words.join("")));
}

/** Whether a schema says what its objects contain. */
function isDescribed(schema: JsonSchemaObject): boolean {
  if (schema.$ref !== undefined || schema.$defs !== undefined) return true;
  if (
    schema.type === undefined &&
    schema.enum === undefined &&
    schema.anyOf === undefined &&
    schema.oneOf === undefined &&
    !("const" in schema)
  )
    return false;
  if (schema.type === "object" && schema.properties === undefined) return false;
  return partsOf(schema).every((part) => isDescribed(part.schema));
}

/** Whether a schema has a property that is an id, also of something else: the model can try it. */
function hasName(value: unknown, id: string): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, inner]) => {
    const name = wordsOf(key).map(stemOf).join("");
    return name === stemOf(id) || name === "id" || name === id || hasName(inner, id);
  });
}
