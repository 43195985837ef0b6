import type { Call } from "../calls/call.ts";
import type { ResourceMatch } from "./registry.ts";

/** Finds the resource of a URI, if it exists for the caller, and checks its values. @throws {RpcError} */
export function findResource(call: Call, uri: string): ResourceMatch {
  const { resources, access } = call.server;
  return resources.resolve(uri, access === undefined ? resources.route(uri) : access.route(call, uri));
}
