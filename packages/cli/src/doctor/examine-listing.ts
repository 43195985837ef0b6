import type { Listing } from "../terminal/listing.ts";
import type { Finding } from "./finding.ts";

type Tool = Listing["tools"][number];

/** Claude accepts only parameter names of this form. */
const PROPERTY_NAME = /^[A-Za-z0-9_.-]{1,64}$/;
/** The part of the context that descriptions may use before users notice. */
const MAX_TOKENS = 10_000;
/** A common estimate for English text. */
const CHARACTERS_PER_TOKEN = 4;

/** Looks for names and descriptions that do not help a model. */
export function examineListing({ tools, prompts, resources, resourceTemplates }: Listing): Finding[] {
  const findings = [...tools.flatMap(examineTool), ...examineSize(tools)];
  for (const { name, description } of [...prompts, ...resources, ...resourceTemplates]) {
    if (!description) findings.push(undescribed(name));
  }
  return findings;
}

function examineTool({ name, description, inputSchema }: Tool): Finding[] {
  const described = description ? [] : [undescribed(name)];
  return [...described, ...examineInput(name, inputSchema as InputSchema)];
}

interface InputSchema {
  readonly properties?: { readonly [name: string]: { readonly description?: string } };
}

function examineInput(tool: string, schema: InputSchema): Finding[] {
  const findings: Finding[] = [];
  const warn = (message: string, remedy: string) => findings.push({ level: "warning", message, remedy });
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
  if (tokens <= MAX_TOKENS) return [];
  return [
    {
      level: "warning",
      message: `The tools use about ${tokens} tokens of every conversation.`,
      remedy: "Shorten descriptions and schemas, or split the server.",
    },
  ];
}

function undescribed(name: string): Finding {
  return {
    level: "warning",
    message: `${name} has no description.`,
    remedy: "Write a comment above the function. The model has no other information about it.",
  };
}
