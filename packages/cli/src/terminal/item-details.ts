import type { Prompt, Resource, Server, TaskSettings, Tool } from "proffer";
import type { ParamScopes } from "proffer/derived";
import type { Listing } from "./listing.ts";

/** The scopes that an item requires. The protocol does not list them, so they are known only of a server in this process. */
export interface ItemScopes {
  readonly scopes?: readonly string[];
  readonly paramScopes?: ParamScopes;
}

/** Returns the lists with the scopes of each item, and how tools become tasks: the protocol has neither. */
export function withDetails(listing: Listing, server: Server): { readonly [list in keyof Listing]: readonly object[] } {
  const { tools, prompts, resources, resourceTemplates } = listing;
  return {
    tools: tools.map((tool) => {
      const own = server.tools.get(tool.name);
      return { ...tool, ...scopesOf(own), ...(own?.task && { task: shownTask(own.task) }) };
    }),
    prompts: prompts.map((prompt) => ({ ...prompt, ...scopesOf(server.prompts.get(prompt.name)) })),
    resources: resources.map((resource) => ({ ...resource, ...scopesOf(server.resources.get(resource.uri)) })),
    resourceTemplates: resourceTemplates.map((template) => ({
      ...template,
      ...scopesOf(server.resources.get(template.uriTemplate)),
    })),
  };
}

/** Describes how a tool becomes a task, and its scopes, as in `[task after 2s] [scopes: orders:write]`. */
export function describeTool(tool: Tool | undefined): string | undefined {
  const parts = [tool?.task && describeTask(tool.task), describeScopes(tool)].filter((part) => part !== undefined);
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

/** Describes the scopes of an item, as in `[scopes: orders:write; with force: orders:admin]`. */
export function describeScopes(item: Tool | Prompt | Resource | undefined): string | undefined {
  const { scopes, paramScopes = {} } = scopesOf(item);
  const parts = [
    ...(scopes === undefined ? [] : [scopes.join(" ")]),
    ...Object.entries(paramScopes).map(([name, list]) => `with ${name}: ${list.join(" ")}`),
  ];
  return parts.length === 0 ? undefined : `[scopes: ${parts.join("; ")}]`;
}

function scopesOf(item: Tool | Prompt | Resource | undefined): ItemScopes {
  return {
    ...(item?.scopes && { scopes: item.scopes }),
    ...(item?.paramScopes && { paramScopes: Object.fromEntries(item.paramScopes) }),
  };
}
