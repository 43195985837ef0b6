import type { JsonSchema, JsonSchemaObject } from "proffer";
import { bytesOf, partsOf, sizeOfTool } from "../derive/model/tool-size.ts";
import type { CheckCode, Finding } from "./finding.ts";
import { findingAt, type ListedTool, type Offer, parametersOf, sourceOf } from "./offer.ts";
import { wordsOf } from "./words.ts";

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
    const report = (code: CheckCode, message: string, remedy: string) =>
      findingAt(offer, ["tool", tool.name], code, message, remedy);
    return [...examineInput(tool, report), ...examineSizes(tool, report), ...examineOutput(offer, tool, report)];
  });
}

type Report = (code: CheckCode, message: string, remedy: string) => Finding;

function examineInput(tool: ListedTool, report: Report): Finding[] {
  return parametersOf(tool)
    .filter(([, schema]) => acceptsAnyObject(schema))
    .map(([name]) =>
      report(
        "PF4043",
        `The parameter ${name} of ${tool.name} accepts any object.`,
        "Name its properties: a model guesses them otherwise.",
      ),
    );
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
  if (depth > MAX_DEPTH)
    findings.push(
      report(
        "PF4040",
        `A schema of ${name} has ${depth} levels.`,
        "Models lose their place in deep values. Flatten it, or split the tool.",
      ),
    );
  for (const [side, schema] of [
    ["input", inputSchema],
    ["output", outputSchema],
  ] as const) {
    const bytes = schema === undefined ? 0 : bytesOf(schema);
    if (bytes > MAX_BYTES)
      findings.push(
        report(
          "PF4041",
          `The ${side} schema of ${name} has ${bytes.toLocaleString("en-US")} bytes.`,
          "Accept or return only the needed properties. Codex drops descriptions beyond 5,000 bytes.",
        ),
      );
    const most = schema === undefined ? 0 : alternativesIn(schema as JsonSchemaObject);
    if (most > MAX_ALTERNATIVES)
      findings.push(
        report(
          "PF4042",
          `The ${side} schema of ${name} has a union of ${most} alternatives.`,
          "Split the tool, or use one object with optional properties.",
        ),
      );
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
    waiting.push(...partsOf(schema).map((part) => part.schema));
  }
  return most;
}

function examineOutput(offer: Offer, tool: ListedTool, report: Report): Finding[] {
  const { name, outputSchema } = tool;
  if (outputSchema === undefined) {
    const isUntyped = sourceOf(offer, "tool", name)?.returnsUntyped ?? false;
    const remedy = "Add output, with the schema of the return value. Clients make types of it, and validate with it.";
    return isUntyped ? [report("PF4050", `${name} returns data without an output schema.`, remedy)] : [];
  }
  const schema = outputSchema as JsonSchemaObject;
  const findings: Finding[] = [];
  const list = unlimitedList(schema);
  // A tool that gets a list mostly returns an item for each of it.
  const isLimited = parametersOf(tool).some(
    ([key, { type }]) => type === "array" || wordsOf(key).some((word) => LIMITS.has(word)),
  );
  if (list !== undefined && !isLimited)
    findings.push(
      report(
        "PF4051",
        `${name} returns ${list}, and nothing limits it.`,
        "Add a parameter such as limit, with a default, or @maxItems.",
      ),
    );
  if (JSON.stringify(schema).includes('"contentEncoding":"base64"'))
    findings.push(
      report(
        "PF4052",
        `The result of ${name} contains bytes as text.`,
        "Return link(uri) to a resource, or image() or audio(): a model cannot read base64.",
      ),
    );
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
  return (
    typeof items === "object" &&
    items.type !== "string" &&
    items.type !== "number" &&
    items.type !== "integer" &&
    items.type !== "boolean"
  );
}
