import type { Prompt, Resource, Server, TaskSettings, Tool } from "proffer";
import type { ParamScopes } from "proffer/derived";
import { connect, type TestClient } from "proffer/testing";

type Listed<Method extends "listTools" | "listPrompts" | "listResources" | "listTemplates"> = Awaited<
  ReturnType<TestClient[Method]>
>;

/** The requests for the lists of a server. */
export type Lists = Pick<TestClient, "listTools" | "listPrompts" | "listResources" | "listTemplates">;

/** All lists of a server, in the format of the newest revision. */
export interface Listing {
  readonly tools: Listed<"listTools">;
  readonly prompts: Listed<"listPrompts">;
  readonly resources: Listed<"listResources">;
  readonly resourceTemplates: Listed<"listTemplates">;
}

/** Requests the non-empty lists of a server in this process. */
export async function listServer(server: Server): Promise<Listing> {
  // Lists do not need a database that `onStart` would connect to.
  const client = await connect(server, { start: false });
  try {
    // Resources may be tools, too: the server knows whether they are.
    const { capabilities } = await client.request("server/discover");
    return await listAll(client, capabilities as { readonly [name: string]: unknown });
  } finally {
    await client.close();
  }
}

/** Requests the lists that the server declares in its capabilities. */
export async function listAll(client: Lists, capabilities: { readonly [name: string]: unknown }): Promise<Listing> {
  return {
    tools: capabilities.tools ? await client.listTools() : [],
    prompts: capabilities.prompts ? await client.listPrompts() : [],
    resources: capabilities.resources ? await client.listResources() : [],
    resourceTemplates: capabilities.resources ? await client.listTemplates() : [],
  };
}

/** The facts about an item that the protocol does not list: known only of a server in this process. */
interface ItemDetails {
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
