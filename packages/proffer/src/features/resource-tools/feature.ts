import type { Feature } from "../../server/feature.ts";
import type { ServerState } from "../../server/server.ts";
import { createResourceTools } from "./create.ts";
import type { MissingTool } from "./names.ts";
import { ResourceTools } from "./resource-tools.ts";

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
