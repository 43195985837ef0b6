import type { ChangeKind, ListKind } from "../catalog/changes.ts";
import type { ResourceTools } from "../features/resource-tools/resource-tools.ts";
import type { ServerState } from "../server/server.ts";
import type { Call, Method } from "./call.ts";
import type { Client } from "./session.ts";

/** What is known of the resources that are tools. */
export interface ResourceToolState {
  /** Whether some resource is a tool for every client. */
  readonly areForAll: boolean;
  /** The tools, once a client asked for them. */
  tools: ResourceTools | undefined;
}

/** Who would see the tools that read resources. */
export interface ResourceToolCaller {
  readonly client?: Client | undefined;
}

/**
 * Whether a client has tools for all resources. Its name decides, which any client can choose: the tools permit nothing
 * that `resources/read` refuses.
 */
export function hasAllResourceTools(
  { options: { resourceTools = "auto" } }: ServerState,
  caller: ResourceToolCaller,
): boolean {
  return resourceTools === "auto" ? caller.client?.profile?.readsResources === false : resourceTools === "always";
}

/** Whether a client has tools for some resources, if there are any. */
export function hasResourceTools(server: ServerState, caller: ResourceToolCaller): boolean {
  return resourceToolsOf(server).areForAll || hasAllResourceTools(server, caller);
}

/** The resources of a server that are tools, until its lists change. */
export function resourceToolsOf(server: ServerState): ResourceToolState {
  server.resourceTools ??= { areForAll: [...server.resources].some(({ tool }) => tool), tools: undefined };
  return server.resourceTools;
}

/** Whether a server has the capability that a method requires, for the client of a call. */
export function offersTo(call: Call, capability: NonNullable<Method["capability"]>): boolean {
  const { server } = call;
  if (server.offers(capability)) return true;
  return capability === "tools" && server.resources.size > 0 && hasResourceTools(server, call);
}

/** The list whose change a client is told; undefined if nothing changed for it. */
export function toListKind(server: ServerState, kind: ChangeKind, listener: ResourceToolCaller): ListKind | undefined {
  if (kind !== "resourceTools") return kind;
  return hasResourceTools(server, listener) ? "tools" : undefined;
}
