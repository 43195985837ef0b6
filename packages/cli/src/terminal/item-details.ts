import type { Prompt, Resource, Server, Tool } from "proffer";
import type { ParamScopes } from "proffer/derived";
import type { Listing } from "./listing.ts";

/** The scopes that an item requires. The protocol does not list them, so they are known only of a server in this process. */
export interface ItemScopes {
  readonly scopes?: readonly string[];
  readonly paramScopes?: ParamScopes;
}

/** Returns the lists with the scopes of each item. */
export function withScopes(listing: Listing, server: Server): { readonly [list in keyof Listing]: readonly object[] } {
  const { tools, prompts, resources, resourceTemplates } = listing;
  return {
    tools: tools.map((tool) => ({ ...tool, ...scopesOf(server.tools.get(tool.name)) })),
    prompts: prompts.map((prompt) => ({ ...prompt, ...scopesOf(server.prompts.get(prompt.name)) })),
    resources: resources.map((resource) => ({ ...resource, ...scopesOf(server.resources.get(resource.uri)) })),
    resourceTemplates: resourceTemplates.map((template) => ({
      ...template,
      ...scopesOf(server.resources.get(template.uriTemplate)),
    })),
  };
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
