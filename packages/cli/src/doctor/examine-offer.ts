import type { Offer } from "../terminal/offer.ts";
import type { Finding } from "./finding.ts";

type Tool = Offer["tools"][number];

/** The APIs behind most clients take function names and parameter names of these forms only. */
const FUNCTION_NAME = /^[A-Za-z0-9_-]{1,64}$/;
const PROPERTY_NAME = /^[A-Za-z0-9_.-]{1,64}$/;
/** Claude Code calls a tool mcp__server__tool, and that is a function name. */
const MAX_FULL_NAME = 64;
/** The longest description of a function that every API takes. */
const MAX_DESCRIPTION = 1024;
/** Beyond that clients leave tools out, and models choose badly. */
const MAX_TOOLS = 40;
/** The part of a context that descriptions may take before users notice; a token is about four characters. */
const MAX_TOKENS = 10_000;
const CHARACTERS_PER_TOKEN = 4;

/** Looks for names, schemas and descriptions that known clients reject, or that leave a model guessing. */
export function examineOffer(server: string, { tools, prompts, resources, resourceTemplates }: Offer): Finding[] {
  const findings = [...tools.flatMap((tool) => examineTool(server, tool)), ...examineSize(tools)];
  for (const { name, description } of [...prompts, ...resources, ...resourceTemplates]) {
    if (!description) findings.push(undescribed(name));
  }
  if (findings.length > 0) return findings;
  return [{ level: "good", message: "Names, schemas and descriptions suit every client that is known." }];
}

function examineTool(server: string, tool: Tool): Finding[] {
  const { name, description, inputSchema } = tool;
  const findings: Finding[] = [];
  const warn = (message: string, remedy: string) => findings.push({ level: "warning", message, remedy });
  if (!FUNCTION_NAME.test(name)) {
    warn(
      `The tool name ${name} is refused by clients whose models know functions only.`,
      "Use letters, digits, _ and -, 64 at most.",
    );
  } else if (`mcp__${server}__${name}`.length > MAX_FULL_NAME) {
    warn(
      `${server} and ${name} together are too long for Claude Code and Cursor.`,
      "Shorten the name of the server or of the tool.",
    );
  }
  if (!description) findings.push(undescribed(name));
  else if (description.length > MAX_DESCRIPTION) {
    warn(
      `The description of ${name} has ${description.length} characters.`,
      `Some clients cut it or drop the tool; stay below ${MAX_DESCRIPTION}.`,
    );
  }
  return [...findings, ...examineInput(name, inputSchema as InputSchema)];
}

interface InputSchema {
  readonly properties?: { readonly [name: string]: { readonly description?: string } };
  readonly $defs?: object;
}

function examineInput(tool: string, schema: InputSchema): Finding[] {
  const findings: Finding[] = [];
  const warn = (message: string, remedy: string) => findings.push({ level: "warning", message, remedy });
  const combined = ["anyOf", "oneOf", "allOf"].find((keyword) => Object.hasOwn(schema, keyword));
  if (combined !== undefined) {
    warn(
      `The input of ${tool} has ${combined} at its root, which Claude and OpenAI refuse.`,
      "Put the alternatives into a property.",
    );
  }
  if (schema.$defs !== undefined) {
    warn(
      `The input of ${tool} has $defs, which Gemini CLI and some others do not resolve.`,
      "Avoid types that contain themselves, and types that are used twice, in parameters.",
    );
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (!PROPERTY_NAME.test(name)) {
      warn(
        `The parameter ${name} of ${tool} has a name that Claude refuses.`,
        "Use letters, digits, _, - and a dot, 64 at most.",
      );
    }
    if (property?.description === undefined) {
      warn(`The parameter ${name} of ${tool} has no description.`, `Say what it is: @param ${name} - …`);
    }
  }
  return findings;
}

function examineSize(tools: readonly Tool[]): Finding[] {
  const tokens = Math.round(JSON.stringify(tools).length / CHARACTERS_PER_TOKEN);
  const findings: Finding[] = [];
  if (tools.length > MAX_TOOLS) {
    findings.push({
      level: "warning",
      message: `There are ${tools.length} tools; Cursor takes ${MAX_TOOLS}, and models choose worse among many.`,
      remedy: "Split the server, or make resources of what only reads.",
    });
  }
  if (tokens > MAX_TOKENS) {
    findings.push({
      level: "warning",
      message: `The tools take about ${tokens} tokens of every conversation.`,
      remedy: "Shorten descriptions and schemas, or split the server.",
    });
  }
  return findings;
}

function undescribed(name: string): Finding {
  return {
    level: "warning",
    message: `${name} has no description.`,
    remedy: "A model knows nothing else of it: write a comment above the function.",
  };
}
