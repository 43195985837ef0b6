import type { Listing } from "../terminal/listing.ts";
import type { Finding } from "./finding.ts";

type Tool = Listing["tools"][number];

/** The APIs behind most clients accept only function names and parameter names of these forms. */
const FUNCTION_NAME = /^[A-Za-z0-9_-]{1,64}$/;
const PROPERTY_NAME = /^[A-Za-z0-9_.-]{1,64}$/;
/** Claude Code uses mcp__server__tool as the function name. */
const MAX_FULL_NAME = 64;
/** The longest function description that every API accepts. */
const MAX_DESCRIPTION = 1024;
/** With more tools, clients omit some, and models choose worse. */
const MAX_TOOLS = 40;
/** The part of the context that descriptions may use before users notice. */
const MAX_TOKENS = 10_000;
/** A common estimate for English text. */
const CHARACTERS_PER_TOKEN = 4;

/** Looks for names, schemas and descriptions that known clients reject, or that do not help a model. */
export function examineListing(server: string, { tools, prompts, resources, resourceTemplates }: Listing): Finding[] {
  const findings = [...tools.flatMap((tool) => examineTool(server, tool)), ...examineSize(tools)];
  for (const { name, description } of [...prompts, ...resources, ...resourceTemplates]) {
    if (!description) findings.push(undescribed(name));
  }
  if (findings.length > 0) return findings;
  return [{ level: "good", message: "Names, schemas and descriptions are accepted by all known clients." }];
}

function examineTool(server: string, tool: Tool): Finding[] {
  const { name, description, inputSchema } = tool;
  const findings: Finding[] = [];
  const warn = (message: string, remedy: string) => findings.push({ level: "warning", message, remedy });
  if (!FUNCTION_NAME.test(name)) {
    warn(
      `The tool name ${name} is rejected by clients that map tools to functions.`,
      "Use at most 64 letters, digits, _ and -.",
    );
  } else if (`mcp__${server}__${name}`.length > MAX_FULL_NAME) {
    warn(
      `The names ${server} and ${name} together are too long for Claude Code and Cursor.`,
      "Shorten the name of the server or the tool.",
    );
  }
  if (!description) findings.push(undescribed(name));
  else if (description.length > MAX_DESCRIPTION) {
    warn(
      `The description of ${name} has ${description.length} characters.`,
      `Some clients truncate it or drop the tool. Use at most ${MAX_DESCRIPTION}.`,
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
      `The input of ${tool} has ${combined} at its root, which Claude and OpenAI reject.`,
      "Move the alternatives into a property.",
    );
  }
  if (schema.$defs !== undefined) {
    warn(
      `The input of ${tool} has $defs, which Gemini CLI and some other clients do not resolve.`,
      "Avoid recursive types, and types that are used twice, in parameters.",
    );
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (!PROPERTY_NAME.test(name)) {
      warn(
        `The parameter ${name} of ${tool} has a name that Claude rejects.`,
        "Use at most 64 letters, digits, _, - and dots.",
      );
    }
    if (property?.description === undefined) {
      warn(`The parameter ${name} of ${tool} has no description.`, `Describe it: @param ${name} - …`);
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
      message: `There are ${tools.length} tools. Cursor accepts ${MAX_TOOLS}, and models choose worse among many.`,
      remedy: "Split the server, or turn tools that only read into resources.",
    });
  }
  if (tokens > MAX_TOKENS) {
    findings.push({
      level: "warning",
      message: `The tools use about ${tokens} tokens of every conversation.`,
      remedy: "Shorten descriptions and schemas, or split the server.",
    });
  }
  return findings;
}

function undescribed(name: string): Finding {
  return {
    level: "warning",
    message: `${name} has no description.`,
    remedy: "Write a comment above the function. The model has no other information about it.",
  };
}
