import type { Call } from "../../calls/call.ts";
import { hasResourceTools } from "../../calls/resource-tools.ts";
import type { ServerState } from "../../server/server.ts";
import { createResourceTools } from "./create.ts";
import type { MissingTool } from "./names.ts";
import { ResourceTools } from "./resource-tools.ts";

let adaptCall: typeof import("../../profiles/adapt.ts")["adaptCall"] | undefined;

/** @throws {UsageError} if a resource must be a tool and has no free name. */
export function checkResourceTools(server: ServerState): void {
  ResourceTools.of(server);
}

/** Finds the resources that a client which cannot read them would miss, because they are no tools either. */
export function findMissingTools(server: ServerState): MissingTool[] {
  const missing: MissingTool[] = [];
  createResourceTools(server, (each) => missing.push(each));
  return missing;
}

/** Prepares a request about tools whose answer depends on its client. A promise only while code is loaded. */
export function prepareCall(call: Call): Promise<void> | undefined {
  if (!call.server.options.adapt) addResourceTools(call);
  else if (adaptCall !== undefined) adapt(call, adaptCall);
  else return loadAdapt(call);
  return undefined;
}

function loadAdapt(call: Call): Promise<void> {
  return import("../../profiles/adapt.ts").then((loaded) => {
    adaptCall = loaded.adaptCall;
    adapt(call, adaptCall);
  });
}

/** A shortened name is replaced first: it may be that of a tool that reads a resource. */
function adapt(call: Call, convert: NonNullable<typeof adaptCall>): void {
  convert(call, hasResourceTools(call.server, call) ? ResourceTools.of(call.server).namesFor(call) : []);
  addResourceTools(call);
}

function addResourceTools(call: Call): void {
  const { server, method, params } = call;
  if (server.resources.size === 0 || !hasResourceTools(server, call)) return;
  if (method === "tools/list") call.resourceTools = { list: ResourceTools.of(server).listFor(call) };
  else if (server.tools.get(params.name as string) === undefined)
    call.resourceTools = { tool: ResourceTools.of(server).find(call) };
}
