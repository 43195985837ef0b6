import type { JsonSchema, JsonSchemaObject } from "proffer";
import { bytesOf, definitionOf, partsOf, sizeOfTool } from "../derive/model/tool-size.ts";
import { stemOf, wordsOf } from "./examine-texts.ts";
import {
  type CheckCode,
  type Finding,
  findingAt,
  type ListedTool,
  type Offer,
  parametersOf,
  sourceOf,
} from "./finding.ts";

const MAX_DEPTH = 4;
const MAX_BYTES = 5000;
const MAX_ALTERNATIVES = 5;
/** Words in the name of a parameter that limits a list. */
const LIMITS = new Set(
  "limit max maximum count first last top size page cursor offset take number n depth head tail length range".split(
    " ",
  ),
);

/** Looks at the schemas of the tools. */
export function examineSchemas(offer: Offer): Finding[] {
  return offer.written.tools.flatMap((tool) => {
    const report = (code: CheckCode, message: string) => findingAt(offer, ["tool", tool.name], code, message);
    return [...examineInput(tool, report), ...examineSizes(tool, report), ...examineOutput(offer, tool, report)];
  });
}

type Report = (code: CheckCode, message: string) => Finding;

function examineInput(tool: ListedTool, report: Report): Finding[] {
  return parametersOf(tool)
    .filter(([, schema]) => acceptsAnyObject(schema))
    .map(([name]) => report("PF4043", `The parameter '${name}' of '${tool.name}' accepts any object.`));
}

function acceptsAnyObject(schema: JsonSchemaObject): boolean {
  const { type, properties = {}, additionalProperties = true, patternProperties } = schema;
  if (type !== "object" || patternProperties !== undefined || Object.keys(properties).length > 0) return false;
  return (
    additionalProperties === true ||
    (typeof additionalProperties === "object" && Object.keys(additionalProperties).length === 0)
  );
}

function examineSizes(tool: ListedTool, report: Report): Finding[] {
  const { name, inputSchema, outputSchema } = tool;
  const findings: Finding[] = [];
  const { depth } = sizeOfTool(tool);
  if (depth > MAX_DEPTH) findings.push(report("PF4040", `A schema of ${name} has ${depth} levels.`));
  for (const [side, schema] of Object.entries({ input: inputSchema, output: outputSchema })) {
    const bytes = schema === undefined ? 0 : bytesOf(schema);
    if (bytes > MAX_BYTES)
      findings.push(report("PF4041", `The ${side} schema of ${name} has ${bytes.toLocaleString("en-US")} bytes.`));
    const most = schema === undefined ? 0 : alternativesIn(schema as JsonSchemaObject);
    if (most > MAX_ALTERNATIVES)
      findings.push(report("PF4042", `The ${side} schema of ${name} has a union of ${most} alternatives.`));
  }
  return findings;
}

/** The most alternatives of a union anywhere in a schema. */
function alternativesIn(root: JsonSchemaObject): number {
  let most = 0;
  const waiting: JsonSchema[] = [root, ...Object.values(root.$defs ?? {})];
  for (let schema = waiting.pop(); schema !== undefined; schema = waiting.pop()) {
    if (typeof schema !== "object") continue;
    most = Math.max(most, schema.anyOf?.length ?? 0, schema.oneOf?.length ?? 0);
    for (const part of partsOf(schema)) waiting.push(part.schema);
  }
  return most;
}

function examineOutput(offer: Offer, tool: ListedTool, report: Report): Finding[] {
  const { name, outputSchema } = tool;
  if (outputSchema === undefined) {
    const isUntyped = sourceOf(offer, "tool", name)?.returnsUntyped ?? false;
    return isUntyped ? [report("PF4050", `${name} returns data without an output schema.`)] : [];
  }
  const schema = outputSchema as JsonSchemaObject;
  const findings: Finding[] = [];
  const list = unlimitedList(schema);
  // A tool that gets a list mostly returns an item for each of it.
  const isLimited = parametersOf(tool).some(
    ([key, { type }]) => type === "array" || wordsOf(key).some((word) => LIMITS.has(word)),
  );
  if (list !== undefined && !isLimited)
    findings.push(report("PF4051", `${name} returns ${list}, and nothing limits it.`));
  if (JSON.stringify(schema).includes('"contentEncoding":"base64"'))
    findings.push(report("PF4052", `The result of ${name} contains bytes as text.`));
  return findings;
}

/** Names the list in a result that has no `maxItems`: the result itself, or a property of it. */
function unlimitedList(schema: JsonSchemaObject): string | undefined {
  const isOpen = (each: JsonSchema | undefined) =>
    typeof each === "object" &&
    each.type === "array" &&
    each.maxItems === undefined &&
    each.prefixItems === undefined &&
    holdsObjects(each);
  if (isOpen(schema)) return "a list";
  const found = Object.entries(schema.properties ?? {}).find(([, part]) => isOpen(part));
  return found && `the list ${found[0]}`;
}

/** A list of texts or numbers is mostly short. */
function holdsObjects({ items }: JsonSchemaObject): boolean {
  return typeof items === "object" && !["string", "number", "integer", "boolean"].includes(String(items.type));
}

const MAX_PARAMETERS = 8;
/** Names of flags that do something else than the tool does. */
const OTHER_TOOL = /^(?:delete|remove|create|update|replace|send|cancel|undo|publish|archive|restore)$/i;

const LISTS_VALUES = /\b(?:one of|either)\b[^.]*(?:,|\bor\b|\|)/i;

/** Looks at the parameters of the tools. */
export function examineParameters(offer: Offer): Finding[] {
  const returned = offer.listing.tools.map(toReturned);
  return offer.written.tools.flatMap((tool) => examineTool(offer, tool, returned));
}

function examineTool(offer: Offer, tool: ListedTool, returned: readonly Returned[]): Finding[] {
  const { name } = tool;
  const parameters = parametersOf(tool);
  const findings: Finding[] = [];
  const report = (code: CheckCode, message: string, remedy?: string) =>
    void findings.push(findingAt(offer, ["tool", name], code, message, remedy));
  if (parameters.length > MAX_PARAMETERS) report("PF4032", `${name} has ${parameters.length} parameters.`);
  for (const [key, schema] of parameters) {
    const subject = `The parameter '${key}' of '${name}'`;
    const { description, type } = { ...definitionOf(tool.inputSchema as JsonSchemaObject, schema), ...schema };
    if (!description) report("PF4030", `${subject} has no description.`, `Describe it: @param ${key} - …`);
    if (type === "string" && schema.enum === undefined && LISTS_VALUES.test(description ?? ""))
      report("PF4031", `${subject} lists its values only in words.`);
    if (type === "boolean" && OTHER_TOOL.test(key))
      report("PF4034", `${subject} is a flag that makes another tool of it.`);
    if (isUnknownId(offer, tool, key, returned))
      report("PF4033", `${subject} is an id, and no tool, prompt or resource of this server returns one.`);
  }
  return findings;
}

/** The known properties of a tool's results. It is found once: each id of each tool is looked up in all of them. */
interface Returned {
  readonly name: string;
  readonly isDescribed: boolean;
  /** Of all members, as stems. */
  readonly names: ReadonlySet<string>;
}

function toReturned(tool: ListedTool): Returned {
  const schema = tool.outputSchema as JsonSchemaObject | undefined;
  return { name: tool.name, isDescribed: schema !== undefined && isDescribed(schema), names: namesIn(schema) };
}

/** Whether a parameter is an id, all results of the server are known, and none of them has it. */
function isUnknownId({ listing }: Offer, tool: ListedTool, parameter: string, returned: readonly Returned[]): boolean {
  const words = wordsOf(parameter);
  if (words.at(-1) !== "id") return false;
  const { resources, resourceTemplates } = listing;
  const others = returned.filter((each) => each.name !== tool.name);
  if (resources.length + resourceTemplates.length > 0 || others.length === 0) return false;
  const id = words.join("");
  // Also the id of something else: the model can try it.
  const wanted = [id, stemOf(id), "id"];
  return others.every((each) => each.isDescribed && !wanted.some((name) => each.names.has(name)));
}

/** Whether a schema names the members of its objects. */
function isDescribed(schema: JsonSchemaObject): boolean {
  if (schema.$ref !== undefined || schema.$defs !== undefined) return true;
  if (!["type", "enum", "const", "anyOf", "oneOf"].some((keyword) => keyword in schema)) return false;
  if (schema.type === "object" && schema.properties === undefined) return false;
  return partsOf(schema).every((part) => isDescribed(part.schema));
}

/** The names of the members of a schema, and its keywords, as stems. */
function namesIn(schema: unknown): Set<string> {
  const names = new Set<string>();
  const waiting = [schema];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value !== "object" || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
      names.add(wordsOf(key).map(stemOf).join(""));
      waiting.push(inner);
    }
  }
  return names;
}
