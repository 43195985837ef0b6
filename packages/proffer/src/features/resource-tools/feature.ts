import type { Call } from "../../calls/call.ts";
import type { Client } from "../../calls/client.ts";
import type { Entry } from "../../catalog/registry.ts";
import type { Resource } from "../../resources/define.ts";
import type { AddedEntries, Feature } from "../../server/feature.ts";
import type { ServerState } from "../../server/server.ts";
import { UsageError } from "../../support/usage-error.ts";
import type { Tool } from "../../tools/define.ts";
import { createResourceTools, type MissingTool, type ResourceTool } from "./create.ts";

/** The tools of each server, until its lists change. */
const known = new WeakMap<ServerState, ResourceTools>();

function toolsOf(server: ServerState): ResourceTools {
  let tools = known.get(server);
  if (tools === undefined) {
    tools = new ResourceTools(server);
    known.set(server, tools);
  }
  return tools;
}

/** The option `resourceTools`, and resources with `tool`: tools that read resources, for models that cannot. */
export const feature: Feature = {
  /** @throws {UsageError} if a resource must be a tool and has no free name. */
  attach(server) {
    if (server.options.resourceTools === "always") toolsOf(server);
  },

  changed(server) {
    known.delete(server);
  },

  addsTools: (server, client) => toolsOf(server).areFor(client),

  list(call, list) {
    return list === "tools" && call.server.resources.size > 0 ? toolsOf(call.server).listFor(call) : undefined;
  },

  findTool(call, name) {
    return call.server.resources.size > 0 ? toolsOf(call.server).find(call, name) : undefined;
  },
};

/** Finds the resources that cannot be tools for clients that need it, and says why. */
export function findMissingTools(server: ServerState): readonly MissingTool[] {
  const missing: MissingTool[] = [];
  createResourceTools(server, (each) => missing.push(each));
  return missing;
}

/** The tools that read the resources of a server, until its tools or resources change. */
export class ResourceTools {
  readonly #server: ServerState;
  readonly #tools: readonly ResourceTool[];
  /** Those for every client. */
  readonly #forAll: readonly ResourceTool[];

  constructor(server: ServerState) {
    this.#server = server;
    this.#tools = createResourceTools(server, (missing) => report(server, missing));
    this.#forAll = this.#tools.filter(({ isForAll }) => isForAll);
  }

  /** Whether a client has tools for some resources, if there are any. */
  areFor(client: Client | undefined): boolean {
    return this.#hasAll(client) || this.#forAll.length > 0;
  }

  /** The tool that a request calls, if it exists for the caller. It needs the scopes of the resource that it reads. */
  find(call: Call, name: string): Tool | undefined {
    const { arguments: given } = call.params;
    const tool = this.#for(call.client).find((each) => each.name === name);
    const access = this.#server.access;
    const seen = tool?.resources.filter((resource) => access?.sees(call, resource) ?? true) ?? [];
    if (tool === undefined || seen.length === 0) return undefined;
    const { uri } = (given ?? {}) as { readonly uri?: unknown };
    const target = tool.resources.length === 1 ? seen[0] : seen.find((resource) => resource.uri === uri);
    const { scopes, paramScopes } = tool.isList || target === undefined ? NO_SCOPES : target;
    return {
      ...tool.describe(seen),
      scopes,
      paramScopes,
      handle: (input) => tool.run(call, input as Readonly<Record<string, unknown>>, seen),
    };
  }

  /** The tools as the caller sees them. */
  listFor(call: Call): AddedEntries {
    const access = this.#server.access;
    let key = "";
    const entries = this.#for(call.client).flatMap((tool): Entry<Tool>[] => {
      const listed = tool.resources.filter((resource) => {
        const isListed = access?.filters ? access.lists(call, resource) : true;
        key += isListed ? "1" : "0";
        return isListed;
      });
      return listed.length === 0 ? [] : [{ item: tool.describe(listed), position: tool.position }];
    });
    return { key, entries };
  }

  #for(client: Client | undefined): readonly ResourceTool[] {
    return this.#hasAll(client) ? this.#tools : this.#forAll;
  }

  /** The name of a client decides, which any client can choose: the tools permit nothing that `resources/read` refuses. */
  #hasAll(client: Client | undefined): boolean {
    const { resourceTools = "auto" } = this.#server.options;
    return resourceTools === "auto" ? client?.profile?.readsResources === false : resourceTools === "always";
  }
}

/** The resources whose missing tool was reported. */
const reported = new WeakSet<Resource>();

/** @throws {UsageError} if all resources must be tools. */
function report(server: ServerState, { resource, reason }: MissingTool): void {
  const message = `${reason} Rename the resource or one of the tools.`;
  if (server.options.resourceTools === "always")
    throw new UsageError(`Server "${server.info.name}": ${message}`, "duplicate");
  if (!reported.has(resource)) server.log({ level: "warning", message, uri: resource.uri });
  reported.add(resource);
}

const NO_SCOPES = { scopes: undefined, paramScopes: undefined };
