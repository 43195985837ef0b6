import type { Call } from "../calls/call.ts";
import { InvalidParams } from "../protocol/errors.ts";
import { isObject } from "../protocol/messages.ts";
import type { Resource } from "../resources/define.ts";
import type { Tool } from "../tools/define.ts";
import { MAX_URI_LENGTH } from "../uri/parse.ts";
import type { RouteMatch } from "../uri/routes.ts";
import type { Item } from "./access.ts";

/** An item that a request names, with the arguments that the request gives it. */
export interface NamedItem {
  readonly item: Item;
  readonly given: object;
}

/** The resource that a URI names, once access to it was checked. */
export interface Routed {
  readonly uri: string;
  readonly route: RouteMatch<Resource> | undefined;
}

const NOTHING: readonly NamedItem[] = [];

/** The items that a request names. The handler refuses one that does not exist, or not for the caller. */
export function namedItems(call: Call): readonly NamedItem[] {
  call.named ??= findNamed(call);
  return call.named;
}

function findNamed(call: Call): readonly NamedItem[] {
  const { prompts, limits } = call.server;
  const { params } = call;
  switch (call.method) {
    case "tools/call":
      return named(findTool(call, params.name), params.arguments);
    case "prompts/get":
      return named(findItem(call, prompts, params.name), params.arguments);
    case "resources/read":
    case "resources/subscribe":
      return namedByUri(call, params.uri);
    case "subscriptions/listen": {
      const uris = isObject(params.notifications) ? params.notifications.resourceSubscriptions : undefined;
      if (!Array.isArray(uris) || uris.length > limits.subscriptions) return NOTHING;
      return uris.flatMap((uri) => namedByUri(call, uri));
    }
    case "completion/complete":
      return namedByReference(call);
    default:
      return NOTHING;
  }
}

/** The tool with a name, if it exists for the caller: one of the author, or one that a feature adds. */
export function findTool(call: Call, name: unknown): Tool | undefined {
  const tool = findItem(call, call.server.tools, name);
  if (tool !== undefined || typeof name !== "string") return tool;
  for (const feature of call.server.features.with("findTool")) {
    const added = feature.findTool(call, name);
    if (added !== undefined) return added;
  }
  return undefined;
}

/** The item with a key, if it exists for the caller. */
export function findItem<Found extends Item>(
  call: Call,
  registry: { get(key: string): Found | undefined },
  key: unknown,
): Found | undefined {
  const item = typeof key === "string" ? registry.get(key) : undefined;
  if (item === undefined || call.server.access === undefined || call.server.access.sees(call, item)) return item;
  return undefined;
}

/**
 * Replaces an earlier name in a request by the present one, so that middleware, observers, states and policies know only
 * that. The name of a hidden item stays: an error would reveal the present one.
 */
export function replaceAlias(call: Call): void {
  const { tools, prompts } = call.server;
  const registry = call.method === "tools/call" ? tools : call.method === "prompts/get" ? prompts : undefined;
  if (!registry?.isAliased) return;
  const { name } = call.params;
  const item = findItem<Item>(call, registry, name);
  if (item === undefined || item.name === name) return;
  call.alias = name as string;
  call.params = { ...call.params, name: item.name };
}

/** The keys of the items that exist for the caller: others must not be suggested. */
export function visibleKeys(
  call: Call,
  registry: { get(key: string): Item | undefined; keys(): Iterable<string> },
): Iterable<string> {
  if (!call.server.access?.filters) return registry.keys();
  return [...registry.keys()].filter((key) => findItem(call, registry, key) !== undefined);
}

function named(item: Item | undefined, given: unknown): readonly NamedItem[] {
  return item === undefined ? NOTHING : [{ item, given: isObject(given) ? given : {} }];
}

function namedByUri(call: Call, uri: unknown): readonly NamedItem[] {
  // The handler refuses a URI that is too long.
  if (typeof uri !== "string" || uri.length > MAX_URI_LENGTH) return NOTHING;
  const route = routeFor(call, uri);
  return named(route?.value, route?.match.values);
}

function namedByReference(call: Call): readonly NamedItem[] {
  const { ref, argument } = call.params;
  if (!isObject(ref)) return NOTHING;
  const given = isObject(argument) ? { [String(argument.name)]: argument.value } : {};
  if (ref.type === "ref/prompt") return named(findItem(call, call.server.prompts, ref.name), given);
  return named(findItem(call, templatesOf(call), ref.uri), given);
}

/** The templates of a server by the text that clients see. */
export function templatesOf({ server }: Call): { get(text: string): Resource | undefined } {
  return { get: (text) => server.resources.template(text) };
}

/** The route of a URI among the resources that the caller sees. */
export function routeFor(call: Call, uri: string): RouteMatch<Resource> | undefined {
  const { access } = call.server;
  return access === undefined ? routeOf(call.server, uri) : access.route(call, uri);
}

/** The route of a URI, among the resources that `allows` accepts. @throws {InvalidParams} for a URI that is too long. */
export function routeOf(
  { resources }: Pick<Call["server"], "resources">,
  uri: string,
  allows?: (resource: Resource) => boolean,
): RouteMatch<Resource> | undefined {
  if (uri.length <= MAX_URI_LENGTH) return resources.routes.find(uri, allows);
  throw new InvalidParams(`The URI has ${uri.length} characters; the limit is ${MAX_URI_LENGTH}.`);
}
