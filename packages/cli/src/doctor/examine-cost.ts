import { readFileSync } from "node:fs";
import { join } from "node:path";
import { tokensOf } from "proffer/derived";
import { bytesOf } from "../derive/model/tool-size.ts";
import { findProject } from "../modules/module-file.ts";
import { isObject, type Members } from "../terminal/json.ts";
import { type Finding, findingAt, type Offer } from "./finding.ts";

/** The most tokens that the author permits. */
interface Budget {
  readonly tokens?: number;
  readonly tokensPerTool?: number;
}

/** The part of the context that tools may use before users notice, if the author says nothing else. */
const MAX_TOKENS = 10_000;
/** The tools that are named in the finding. */
const MAX_NAMED = 5;

/** Reads `"proffer": { "budget": … }` of the nearest package.json. Returns a finding if it is not valid. */
export function readBudget(module: string): Budget | Finding {
  const file = join(findProject(module), "package.json");
  const invalid = (message: string): Finding => ({
    level: "error",
    code: "PF4003",
    file,
    line: 1,
    message,
    remedy: 'Write "proffer": { "budget": { "tokens": 5000, "tokensPerTool": 500 } }, with one or both limits.',
  });
  let given: unknown;
  try {
    given = JSON.parse(readFileSync(file, "utf8"))?.proffer?.budget;
  } catch {
    // Without a package.json there is no budget. A broken one has more noticeable effects.
    return {};
  }
  if (given === undefined) return {};
  if (!isObject(given))
    return invalid(`proffer.budget in package.json must be an object, not ${JSON.stringify(given)}.`);
  for (const [name, value] of Object.entries(given)) {
    if (name !== "tokens" && name !== "tokensPerTool")
      return invalid(`proffer.budget in package.json has the unknown member ${JSON.stringify(name)}.`);
    if (!Number.isSafeInteger(value) || Number(value) < 1)
      return invalid(
        `proffer.budget.${name} in package.json must be a whole number above 0, not ${JSON.stringify(value)}.`,
      );
  }
  return given;
}

/** Reports the cost of the tools, and fails if it is more than the budget. */
export function examineCost(offer: Offer, budget: Budget): Finding[] {
  const costs = offer.listing.tools.map(costOf).sort((a, b) => b.tokens - a.tokens);
  const [first] = costs;
  if (first === undefined) return [];
  const total = costs.reduce((sum, { tokens }) => sum + tokens, 0);
  const { tokens: limit, tokensPerTool } = budget;
  const named = costs.slice(0, MAX_NAMED).map(({ name, tokens }) => `${name} ${inWords(tokens)}`);
  const more = costs.length > MAX_NAMED ? ", …" : "";
  const remedy = `Shorten descriptions and schemas, beginning with ${first.name}, or split the server.`;
  const summary = `The tools cost about ${inWords(total)} tokens of every conversation (${named.join(", ")}${more})`;
  const cost = { tokens: total, tools: costs };
  // At the most expensive tool, but about all of them.
  const { item: _, ...place } = findingAt(offer, ["tool", first.name], "PF4004", "");
  const findings: Finding[] = [];
  if (limit !== undefined && total > limit) {
    const message = `${summary}. The budget is ${inWords(limit)}.`;
    findings.push({ ...place, level: "error", code: "PF4001", message, remedy, cost });
  } else if (limit === undefined && total > MAX_TOKENS) {
    findings.push({ ...place, message: `${summary}.`, remedy, cost });
  } else {
    const share = limit === undefined ? "" : ` of a budget of ${inWords(limit)}`;
    findings.push({ level: "good", message: `${summary}${share}.`, cost });
  }
  for (const { name, tokens, description, parameters, output } of costs) {
    if (tokensPerTool === undefined || tokens <= tokensPerTool) continue;
    const parts = `description ${inWords(description)}, parameters ${inWords(parameters)}, output ${inWords(output)}`;
    const message = `${name} costs about ${inWords(tokens)} tokens (${parts}). The budget for one tool is ${inWords(tokensPerTool)}.`;
    findings.push({ ...findingAt(offer, ["tool", name], "PF4002", message), level: "error" });
  }
  return findings;
}

function inWords(tokens: number): string {
  return tokens.toLocaleString("en-US");
}

/** The cost of a tool for every conversation, in estimated tokens. */
export interface ToolCost {
  readonly name: string;
  readonly tokens: number;
  readonly description: number;
  readonly parameters: number;
  readonly output: number;
}

/** A part of the text that a model reads of a tool, in estimated tokens. */
interface CostPart {
  readonly kind: "description" | "parameter" | "definition" | "rest";
  /** Of a parameter or a definition. */
  readonly name?: string;
  readonly tokens: number;
  /** Of these, the texts that describe it, and the values that it lists. */
  readonly descriptions: number;
  readonly enums: number;
}

/** The part of a listed tool that is measured. */
interface MeasuredTool {
  readonly name: string;
  readonly description?: unknown;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
}

/** Parts of a tool that are named; more of them are one part. A server may list thousands of parameters. */
const MAX_PARTS = 100;
/** Levels of a schema that are looked at. */
const MAX_DEPTH = 100;

export function costOf(tool: MeasuredTool): ToolCost {
  const { name, description, inputSchema, outputSchema } = tool;
  return {
    name,
    // No model sees `_meta`.
    tokens: tokensIn({ ...tool, _meta: undefined }),
    description: tokensIn(description),
    parameters: tokensIn(inputSchema),
    output: tokensIn(outputSchema),
  };
}

/** Returns the parts of a tool without its output schema, which few clients give to a model; the most expensive first. */
export function costParts(tool: MeasuredTool): CostPart[] {
  const { tokens, output, description } = costOf(tool);
  const { properties, $defs, definitions } = membersOf(tool.inputSchema);
  const named = [
    ...partsIn("parameter", properties),
    ...partsIn("definition", $defs),
    ...partsIn("definition", definitions),
  ];
  const parts = named.sort((a, b) => b.tokens - a.tokens).slice(0, MAX_PARTS);
  const known = parts.reduce((sum, part) => sum + part.tokens, description);
  // Parts are rounded, so that their sum may be a little more than the whole.
  const rest: CostPart = { kind: "rest", tokens: Math.max(0, tokens - output - known), descriptions: 0, enums: 0 };
  const own: CostPart = { kind: "description", tokens: description, descriptions: description, enums: 0 };
  return [...(description > 0 ? [own] : []), ...parts, rest];
}

function partsIn(kind: "parameter" | "definition", schemas: unknown): CostPart[] {
  return Object.entries(membersOf(schemas)).map(([name, schema]) => {
    const bytes = { descriptions: 0, enums: 0 };
    measure(schema, bytes, 0);
    return {
      kind,
      name,
      tokens: tokensIn({ [name]: schema }),
      descriptions: tokensOf(bytes.descriptions),
      enums: tokensOf(bytes.enums),
    };
  });
}

/** Adds the bytes of the descriptions and enums of a schema. A property may have the name of a keyword. */
function measure(schema: unknown, bytes: { descriptions: number; enums: number }, depth: number): void {
  if (depth > MAX_DEPTH) return;
  if (Array.isArray(schema)) for (const each of schema) measure(each, bytes, depth + 1);
  for (const [keyword, value] of Object.entries(membersOf(schema))) {
    if (keyword === "description" && typeof value === "string") bytes.descriptions += bytesOf(value);
    else if (keyword === "enum" && Array.isArray(value)) bytes.enums += bytesOf(value);
    else if (MAPS.has(keyword)) measure(Object.values(membersOf(value)), bytes, depth + 1);
    else if (!VALUES.has(keyword)) measure(value, bytes, depth + 1);
  }
}

/** Keywords whose members are named by the author. */
const MAPS: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs", "definitions"]);
/** Keywords whose values are no schemas. */
const VALUES: ReadonlySet<string> = new Set(["const", "default", "examples"]);

/** A server may list anything. */
function membersOf(value: unknown): Members {
  return isObject(value) ? value : {};
}

function tokensIn(part: unknown): number {
  return part === undefined ? 0 : tokensOf(bytesOf(part));
}
