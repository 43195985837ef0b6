import type { Call } from "../calls/call.ts";
import { routeFor } from "../calls/route.ts";
import type { RpcError } from "../protocol/errors.ts";
import type { Public } from "../server/server.ts";
import { checkMatch } from "./check-match.ts";
import type { Params } from "./check-params.ts";
import type { Resource } from "./define.ts";
import { checkDotSegments, refusalError } from "./refuse.ts";
import type { ResourceRegistry } from "./registry.ts";
import { DEFAULT_RULES, type ResourceRules } from "./rules.ts";

type Resources = Public<ResourceRegistry>;

/** The resource that a URI names. */
export interface ResourceMatch {
  readonly resource: Resource;
  /** The values of the template variables, as they are in the URI. */
  readonly given: object;
  /** The same values, checked. */
  readonly params: Params | Promise<Params>;
}

/** Finds the resource of a URI, if it exists for the caller, and checks its values. @throws {RpcError} */
export function findResource(call: Call, uri: string): ResourceMatch {
  const { resources } = call.server;
  const route = routeFor(call, uri);
  const rules = route?.value.rules ?? groupOf(resources, uri);
  if (rules === undefined) throw foreignError(resources, uri);
  checkDotSegments(rules, uri);
  if (route === undefined) throw refusalError(rules, "unmatched", uri);
  const { value, match } = route;
  return {
    resource: resources.serving(value),
    given: match.values,
    params: checkMatch(rules, value.checks, match, uri),
  };
}

/** Finds the group with the longest prefix of the URI. */
function groupOf({ groups }: Resources, uri: string): ResourceRules | undefined {
  let group: ResourceRules | undefined;
  for (const rules of groups.keys()) {
    if (!uri.startsWith(rules.prefix)) continue;
    if (group === undefined || rules.prefix.length > group.prefix.length) group = rules;
  }
  return group;
}

/** Returns the error for a URI outside every group. A group may define it, for example to name its scheme. */
function foreignError({ groups }: Resources, uri: string): RpcError {
  for (const rules of groups.keys()) {
    const { messages } = rules;
    if ("foreign" in messages && messages.foreign !== undefined) return refusalError(rules, "foreign", uri);
  }
  checkDotSegments(DEFAULT_RULES, uri);
  return refusalError(DEFAULT_RULES, "unmatched", uri);
}
