import type { JsonSchemaObject, Server } from "proffer";
import type { MissingTool } from "proffer/process";
import type { Skill } from "proffer/skills";
import type { Diagnostic, ItemSource, Place } from "../derive/index.ts";
import { toShortPath } from "../terminal/diagnostic-report.ts";
import type { Listing } from "../terminal/listing.ts";
import type { Styles } from "../terminal/terminal.ts";
import { Text, text } from "../terminal/text.ts";
import type { ToolCost } from "./examine-cost.ts";

/** The item that a finding is about. */
interface FoundItem {
  readonly kind: "tool" | "prompt" | "resource" | "template";
  /** The name of a tool or prompt, the URI of a resource, the URI template of a template. */
  readonly key: string;
}

/** The result of one check. */
export interface Finding {
  readonly level: "good" | "warning" | "error";
  /** Describes the result. */
  readonly message: string;
  /** How to fix the problem. */
  readonly remedy?: string;
  /** One of `CHECKS`, or the code of a diagnostic. */
  readonly code?: CheckCode | (string & {});
  /** An absolute path, and a line that starts at 1. */
  readonly file?: string;
  readonly line?: number;
  /** Absent for findings about the whole server. */
  readonly item?: FoundItem;
  /** The cost of the tools, most expensive first. */
  readonly cost?: { readonly tokens: number; readonly tools: readonly ToolCost[] };
}

/** Formats a finding for the terminal. */
export function formatFinding(finding: Finding, { green, yellow, red, dim }: Styles): Text {
  const { level, message, remedy, code, file, line } = finding;
  const mark = { good: green("✓"), warning: yellow("!"), error: red("✗") }[level];
  const place = file === undefined ? text`` : text`${toShortPath(file)}:${line ?? 1} `;
  const name = code === undefined ? text`` : text`${dim(code)} `;
  const description = text`${mark} ${place}${name}${Text.block(message, "  ")}`;
  return remedy === undefined ? description : text`${description}\n  ${dim(remedy)}`;
}

/** Returns the finding of a diagnostic. */
export function toFinding({ severity, code, file, line, message }: Diagnostic): Finding {
  return { level: severity === "error" ? "error" : "warning", code, file, line, message };
}

export type ListedTool = Listing["tools"][number];

/** A server as a model sees it, and its code. */
export interface Offer {
  readonly listing: Listing;
  /** The same with the schemas of the author: constraints in words, which lists add, are no description. */
  readonly written: Listing;
  readonly sources: readonly ItemSource[];
  /** The resources without a free name for their tool; absent for a server of others. */
  readonly missingTools?: readonly MissingTool[];
  /** Its skills; absent for a server of others. */
  readonly skilled?: { readonly server: Server; readonly skills: readonly Skill[] };
  /** The place of items whose code was not found; absent for a server of others. */
  readonly module?: string;
}

/** Returns the code of an item. */
export function sourceOf({ sources }: Offer, kind: ItemSource["kind"], key: string): ItemSource | undefined {
  return sources.find((source) => source.kind === kind && source.key === key);
}

/** Creates the finding of a check at the code of an item. The remedy is that of the check, unless it is given. */
export function findingAt(
  offer: Offer,
  [kind, key]: readonly [ItemSource["kind"], string],
  code: CheckCode,
  message: string,
  remedy = REMEDIES[code],
): Finding {
  const { file = offer.module, line = 1 }: Partial<Place> = sourceOf(offer, kind, key) ?? {};
  const place = file === undefined ? {} : { file, line };
  // Code has resources only, and lists have templates too.
  const { resourceTemplates } = offer.listing;
  const isTemplate = kind === "resource" && resourceTemplates.some(({ uriTemplate }) => uriTemplate === key);
  const item: FoundItem = { kind: isTemplate ? "template" : kind, key };
  return { level: "warning", code, ...place, item, message, ...(remedy !== undefined && { remedy }) };
}

/** The parameters of a tool by name. */
export function parametersOf({ inputSchema }: ListedTool): [string, JsonSchemaObject][] {
  const { properties = {} } = inputSchema as JsonSchemaObject;
  return Object.entries(properties).map(([name, schema]) => [name, typeof schema === "object" ? schema : {}]);
}

/** The checks of a server's texts, schemas and code. docs/doctor.md has an example of each. A code is never reused. */
export const CHECKS = {
  PF4001: "The tools cost more tokens than the budget",
  PF4002: "A tool costs more tokens than the budget",
  PF4003: "The budget in package.json is not valid",
  PF4004: "The tools cost more than 10,000 tokens, and there is no budget",
  PF4010: "There is no description",
  PF4011: "The first line is longer than 120 characters",
  PF4012: "The description says no more than the name",
  PF4013: "The first line does not begin with a verb",
  PF4014: "A description is longer than 2 kB",
  PF4020: "Two tools are hard to tell apart",
  PF4030: "A parameter has no description",
  PF4031: "A parameter describes its values in words",
  PF4032: "A tool has more than 8 parameters",
  PF4033: "A parameter is an id that nothing returns",
  PF4034: "A flag makes another tool of it",
  PF4040: "A schema has more than 4 levels",
  PF4041: "A schema is larger than 5,000 bytes",
  PF4042: "A union has more than 5 alternatives",
  PF4043: "A parameter accepts any object",
  PF4050: "A result has no output schema",
  PF4051: "A list of results has no limit",
  PF4052: "A result contains bytes",
  PF4060: "A function throws an error that no model will read",
  PF4070: "A name says that a tool changes something, and its annotation that it only reads",
  PF4071: "A name says that a tool changes something, and it has no annotation",
  PF4072: "A name says that a tool only reads, and its annotation that it destroys",
  PF4080: "Work before a question is repeated",
  PF4090: "A resource cannot be a tool, because other tools have its names",
  PF4100: "A skill names a tool or a resource that does not exist",
  PF4101: "A skill names a tool or a prompt that was renamed",
  PF4102: "A skill names a tool or a prompt that is hidden",
  PF4103: "A skill links to a file that it does not have",
  PF4104: "No text of a skill names one of its files",
  PF4105: "Hosts may refuse a skill, or read it otherwise",
  PF4106: "A file of a skill looks like a secret",
} as const;

export type CheckCode = keyof typeof CHECKS;

/** The remedies of the checks; where one depends on the item, the check gives it. */
const REMEDIES: { readonly [Code in CheckCode]?: string } = {
  PF4002: "Shorten its largest part, or split the tool.",
  PF4010: "Write a comment above it. The model has no other information about it.",
  PF4011: "Say what it does in at most 120, and put the rest in a second paragraph.",
  PF4012: "Say what it works on and what it returns.",
  PF4013: "Begin with what it does: “Finds orders by …”.",
  PF4014: "Models skim long texts, and clients cut them. Move details to the parameters, or to a resource.",
  PF4020: "Say in both when to use which, or make them one tool.",
  PF4031: 'Use a union of strings, such as "open" | "paid", or an enum.',
  PF4032: "Models fill in few of them well. Split the tool, or choose defaults.",
  PF4033: "Return it from a tool that finds or lists, or accept a name instead.",
  PF4034: "Offer a tool for each, so that annotations and permissions can differ.",
  PF4040: "Models lose their place in deep values. Flatten it, or split the tool.",
  PF4041: "Accept or return only the needed properties. Codex drops descriptions beyond 5,000 bytes.",
  PF4042: "Split the tool, or use one object with optional properties.",
  PF4043: "Name its properties: a model guesses them otherwise.",
  PF4050: "Add output, with the schema of the return value. Clients make types of it, and validate with it.",
  PF4051: "Add a parameter such as limit, with a default, or @maxItems.",
  PF4052: "Return link(uri) to a resource, or image() or audio(): a model cannot read base64.",
  PF4060: 'Throw a ToolError with a message that helps, return fail("…"), or set errors of the server.',
  PF4070: "Remove @readOnly, or rename the tool.",
  PF4071: "Add @destructive, or @destructive false if nothing is lost. Clients ask the user by it.",
  PF4072: "Write @readOnly instead, or rename the tool.",
  PF4080: "Put it in ctx.step(name, work) if it changes anything, or mark the tool @readOnly.",
  PF4090: "Rename the resource or one of the tools.",
  PF4100: "Correct the name: every model that loads the skill will call it.",
  PF4101: "Write the new name: lists do not have the earlier one.",
  PF4102: "Show it, or move the skill to the same toolset.",
  PF4103: "Correct the link, or add the file.",
  PF4104: "Link to it, or remove it: hosts load every file of a skill.",
  PF4105: "Put the value in quotes, or serve large files as resources.",
  PF4106: "Remove it: every client that sees the skill can read it.",
};
