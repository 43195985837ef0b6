import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findProject } from "../modules/module-file.ts";
import type { Finding } from "./finding.ts";
import { findingAt, type Offer } from "./offer.ts";
import { costOf } from "./tool-cost.ts";

/** The most tokens that the author permits. */
export interface Budget {
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
  if (typeof given !== "object" || given === null || Array.isArray(given))
    return invalid(`proffer.budget in package.json must be an object, not ${JSON.stringify(given)}.`);
  for (const [name, value] of Object.entries(given)) {
    if (name !== "tokens" && name !== "tokensPerTool")
      return invalid(`proffer.budget in package.json has the unknown member ${JSON.stringify(name)}.`);
    if (!Number.isSafeInteger(value) || value < 1)
      return invalid(
        `proffer.budget.${name} in package.json must be a whole number above 0, not ${JSON.stringify(value)}.`,
      );
  }
  return given;
}

/** Reports what the tools cost, and fails if that is more than the budget. */
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
  const { item: _, ...place } = findingAt(offer, ["tool", first.name], "PF4004", "", "");
  const findings: Finding[] = [];
  if (limit !== undefined && total > limit)
    findings.push({
      ...place,
      level: "error",
      code: "PF4001",
      message: `${summary}. The budget is ${inWords(limit)}.`,
      remedy,
      cost,
    });
  else if (limit === undefined && total > MAX_TOKENS) findings.push({ ...place, message: `${summary}.`, remedy, cost });
  else
    findings.push({
      level: "good",
      message: `${summary}${limit === undefined ? "" : ` of a budget of ${inWords(limit)}`}.`,
      cost,
    });
  for (const { name, tokens, description, parameters, output } of costs) {
    if (tokensPerTool === undefined || tokens <= tokensPerTool) continue;
    const parts = `description ${inWords(description)}, parameters ${inWords(parameters)}, output ${inWords(output)}`;
    const message = `${name} costs about ${inWords(tokens)} tokens (${parts}). The budget for one tool is ${inWords(tokensPerTool)}.`;
    findings.push({
      ...findingAt(offer, ["tool", name], "PF4002", message, "Shorten its largest part, or split the tool."),
      level: "error",
    });
  }
  return findings;
}

function inWords(tokens: number): string {
  return tokens.toLocaleString("en-US");
}
