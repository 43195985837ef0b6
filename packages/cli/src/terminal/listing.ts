import type { Prompt, Resource, Server, TaskSettings, Tool } from "proffer";
import type { Client } from "proffer/client";
import { defined } from "./json.ts";
import { widthOf, wrap } from "./layout.ts";
import type { Styles } from "./terminal.ts";
import { Text, text } from "./text.ts";

type Listed<Method extends "listTools" | "listPrompts" | "listResources" | "listTemplates"> = Awaited<
  ReturnType<Client[Method]>
>;

/** The requests for the lists of a server. */
export type Lists = Pick<Client, "listTools" | "listPrompts" | "listResources" | "listTemplates">;

/** All lists of a server, in the format of the newest revision. */
export interface Listing {
  readonly tools: Listed<"listTools">;
  readonly prompts: Listed<"listPrompts">;
  readonly resources: Listed<"listResources">;
  readonly resourceTemplates: Listed<"listTemplates">;
}

/** Requests the lists that the server declares in its capabilities. */
export async function listAll(client: Lists, capabilities: { readonly [name: string]: unknown }): Promise<Listing> {
  return {
    tools: capabilities.tools ? await client.listTools().catch(emptyIfUnknown) : [],
    prompts: capabilities.prompts ? await client.listPrompts().catch(emptyIfUnknown) : [],
    resources: capabilities.resources ? await client.listResources().catch(emptyIfUnknown) : [],
    resourceTemplates: capabilities.resources ? await client.listTemplates().catch(emptyIfUnknown) : [],
  };
}

const METHOD_NOT_FOUND = -32601;

/** Many servers declare resources, and know no request for templates. */
function emptyIfUnknown(error: { readonly code?: unknown }): [] {
  if (error.code === METHOD_NOT_FOUND) return [];
  throw error;
}

/** Returns the lists with the toolset and the scopes of each item, and how tools become tasks: the protocol has none. */
export function withDetails(listing: Listing, server: Server): { readonly [list in keyof Listing]: readonly object[] } {
  const { tools, prompts, resources, resourceTemplates } = listing;
  return {
    tools: tools.map((tool) => {
      const own = server.tools.get(tool.name);
      return { ...tool, ...detailsOf(own), ...(own?.task && { task: shownTask(own.task) }) };
    }),
    prompts: prompts.map((prompt) => ({ ...prompt, ...detailsOf(server.prompts.get(prompt.name)) })),
    resources: resources.map((resource) => ({ ...resource, ...detailsOf(server.resources.get(resource.uri)) })),
    resourceTemplates: resourceTemplates.map((template) => ({
      ...template,
      ...detailsOf(server.resources.get(template.uriTemplate)),
    })),
  };
}

function describeTask({ after, required }: TaskSettings): string {
  const begin = after === Number.POSITIVE_INFINITY ? " background" : after === 0 ? "" : ` after ${after / 1000}s`;
  return `[task${required ? " required" : ""}${begin}]`;
}

/** JSON has no `Infinity`. */
function shownTask({ after, ...task }: TaskSettings): object {
  return { after: after === Number.POSITIVE_INFINITY ? "background" : after, ...task };
}

/** Describes an item, as in `[task after 2s] [toolset: admin] [scopes: orders:write; with force: orders:admin]`. */
function describeItem(item: Tool | Prompt | Resource | undefined): string {
  const { toolset, scopes, paramScopes = {} } = detailsOf(item);
  const parts = [
    ...(scopes === undefined ? [] : [scopes.join(" ")]),
    ...Object.entries(paramScopes).map(([name, list]) => `with ${name}: ${list.join(" ")}`),
  ];
  const all = [
    item !== undefined && "task" in item && item.task !== undefined && describeTask(item.task),
    toolset !== undefined && `[toolset: ${toolset}]`,
    parts.length > 0 && `[scopes: ${parts.join("; ")}]`,
  ];
  return all.filter((part) => part !== false).join(" ");
}

/** Returns the facts about an item that the protocol does not list: known only of a server in this process. */
function detailsOf({ toolset, scopes, paramScopes }: Partial<Tool | Prompt | Resource> = {}) {
  return defined({ toolset, scopes, paramScopes: paramScopes && Object.fromEntries(paramScopes) });
}

/** A longer description would hide the other items. */
const MAX_DESCRIPTION = 2000;

/** Formats the lists of a server for the terminal, with the toolsets and scopes of its items and which tools become tasks if it runs in this process. */
export function formatListing(listing: Listing, styles: Styles, own?: Server): Text {
  const { tools, prompts, resources, resourceTemplates } = listing;
  const sections = [
    section("Tools", styles, tools, (tool) => [
      signature(tool.name, tool.inputSchema),
      tool.description,
      describeItem(own?.tools.get(tool.name)),
    ]),
    section("Prompts", styles, prompts, (prompt) => [
      withArguments(prompt),
      prompt.description,
      describeItem(own?.prompts.get(prompt.name)),
    ]),
    section("Resources", styles, resources, (resource) => [
      resource.uri,
      resource.description ?? resource.name,
      describeItem(own?.resources.get(resource.uri)),
    ]),
    section("Resource templates", styles, resourceTemplates, (template) => [
      template.uriTemplate,
      template.description ?? template.name,
      describeItem(own?.resources.get(template.uriTemplate)),
    ]),
  ].filter((each) => !each.isEmpty);
  return sections.length === 0 ? text`No tools, prompts or resources.` : Text.join(sections, "\n\n");
}

type Row = readonly [name: string, description: string | undefined, details: string];

function section<Item>(title: string, styles: Styles, items: readonly Item[], describe: (item: Item) => Row): Text {
  if (items.length === 0) return text``;
  const rows = items.map(describe);
  const { bold, columns } = styles;
  const lines = columns === undefined ? rows.map((row) => toLine(row, styles)) : toTable(rows, columns, styles);
  return Text.join([bold(title), ...lines], "\n");
}

/** A program that reads the output gets one line for each item. */
function toLine([name, description = "", details]: Row, { dim, cyan }: Styles): Text {
  const shown = `${description.split(/\r?\n/, 1)[0]} ${details}`.trim();
  return shown === "" ? text`  ${cyan(name)}` : text`  ${cyan(name)}  ${dim(shown)}`;
}

/** The first column has at most this share of the terminal. A longer name has a separate line. */
const NAME_SHARE = 0.4;
/** Narrower descriptions are hard to read, so they are shown below the names. */
const MIN_DESCRIPTION = 30;
const INDENT = 2;

/** Aligns the descriptions and wraps them at the width of the terminal. */
function toTable(rows: readonly Row[], columns: number, { dim, cyan }: Styles): Text[] {
  const names = rows.map(([name]) => String(text`${name}`));
  const limit = Math.floor(columns * NAME_SHARE);
  const widest = names.map(widthOf).reduce((most, width) => (width <= limit ? Math.max(most, width) : most), 0);
  const start = columns - 2 * INDENT - widest < MIN_DESCRIPTION || widest === 0 ? 2 * INDENT : 2 * INDENT + widest;
  return rows.map(([name, description = "", details], index) => {
    const shown = names[index] ?? "";
    const lines = wrap(String(text`${firstParagraph(description)} ${details}`), columns - start);
    const rest = lines.map((line) => text`${" ".repeat(start)}${dim(line)}`);
    const gap = start - INDENT - widthOf(shown);
    if (gap < INDENT || lines.length === 0) return Text.join([text`  ${cyan(name)}`, ...rest], "\n");
    const first = text`  ${cyan(name)}${" ".repeat(gap)}${dim(lines[0] ?? "")}`;
    return Text.join([first, ...rest.slice(1)], "\n");
  });
}

/** Returns the name of a tool with its parameters, as in `add(a, b?)`. */
export function signature(name: string, schema: { readonly required?: unknown; readonly properties?: object }): string {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const names = Object.keys(schema.properties ?? {});
  return `${name}(${names.map((each) => (required.has(each) ? each : `${each}?`)).join(", ")})`;
}

function withArguments(prompt: Listing["prompts"][number]): string {
  const names = (prompt.arguments ?? []).map(({ name, required }) => (required ? name : `${name}?`));
  return `${prompt.name}(${names.join(", ")})`;
}

function firstParagraph(value: string): string {
  const [paragraph = ""] = value.trim().split(/\r?\n\s*\r?\n/, 1);
  return paragraph.replace(/\s+/g, " ").slice(0, MAX_DESCRIPTION);
}
