import type { Prompt, Resource, Server, TaskSettings, Tool } from "proffer";
import type { ParamScopes } from "proffer/derived";
import type { Listing } from "./listing.ts";

/** What the protocol does not list of an item: known only of a server in this process. */
export interface ItemDetails {
  readonly toolset?: string;
  readonly scopes?: readonly string[];
  readonly paramScopes?: ParamScopes;
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

/** Describes how a tool becomes a task, and the rest, as in `[task after 2s] [toolset: admin]`. */
export function describeTool(tool: Tool | undefined): string | undefined {
  const parts = [tool?.task && describeTask(tool.task), describeItem(tool)].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(" ");
}

function describeTask({ after, required }: TaskSettings): string {
  const begin = after === Number.POSITIVE_INFINITY ? " background" : after === 0 ? "" : ` after ${after / 1000}s`;
  return `[task${required ? " required" : ""}${begin}]`;
}

/** JSON has no `Infinity`. */
function shownTask({ after, ...task }: TaskSettings): object {
  return { after: after === Number.POSITIVE_INFINITY ? "background" : after, ...task };
}

/** Describes an item, as in `[toolset: admin] [scopes: orders:write; with force: orders:admin]`. */
export function describeItem(item: Tool | Prompt | Resource | undefined): string | undefined {
  const { toolset, scopes, paramScopes = {} } = detailsOf(item);
  const parts = [
    ...(scopes === undefined ? [] : [scopes.join(" ")]),
    ...Object.entries(paramScopes).map(([name, list]) => `with ${name}: ${list.join(" ")}`),
  ];
  const all = [
    ...(toolset === undefined ? [] : [`[toolset: ${toolset}]`]),
    ...(parts.length === 0 ? [] : [`[scopes: ${parts.join("; ")}]`]),
  ];
  return all.length === 0 ? undefined : all.join(" ");
}

function detailsOf(item: Tool | Prompt | Resource | undefined): ItemDetails {
  return {
    ...(item?.toolset && { toolset: item.toolset }),
    ...(item?.scopes && { scopes: item.scopes }),
    ...(item?.paramScopes && { paramScopes: Object.fromEntries(item.paramScopes) }),
  };
}
