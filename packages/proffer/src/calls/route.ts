import { InvalidParams } from "../protocol/errors.ts";
import type { Resource } from "../resources/define.ts";
import type { ServerState } from "../server/server.ts";
import type { RouteMatch } from "../uri/routes.ts";
import type { Call } from "./call.ts";

/** The route of a URI among the resources that the caller sees. */
export function routeFor(call: Call, uri: string): RouteMatch<Resource> | undefined {
  const { access } = call.server;
  return access === undefined ? routeOf(call.server, uri) : access.route(call, uri);
}

/** The route of a URI, among the resources that `allows` accepts. @throws {InvalidParams} for a URI that is too long. */
export function routeOf(
  { resources, limits }: Pick<ServerState, "resources" | "limits">,
  uri: string,
  allows?: (resource: Resource) => boolean,
): RouteMatch<Resource> | undefined {
  if (uri.length <= limits.uriLength) return resources.routes.find(uri, allows);
  throw new InvalidParams(`The URI has ${uri.length} characters; the limit is ${limits.uriLength}.`);
}
