import { isObject } from "../protocol/messages.ts";
import type { Resource } from "../resources/define.ts";
import type { Tool } from "../tools/define.ts";
import type { Item } from "./access.ts";
import type { Call } from "./call.ts";
import { routeFor } from "./route.ts";

/** An item that a request uses, with the arguments that the request gives it. */
export interface Use {
  readonly item: Item;
  readonly given: object;
}

const NOTHING: readonly Use[] = [];

/** The items that a request uses. What does not exist, or not for the caller, is left to the handler to refuse. */
export function usesOf(call: Call): readonly Use[] {
  call.uses ??= findUses(call);
  return call.uses;
}

function findUses(call: Call): readonly Use[] {
  const { prompts, limits } = call.server;
  const { params } = call;
  switch (call.method) {
    case "tools/call":
      return use(findTool(call, params.name), params.arguments);
    case "prompts/get":
      return use(findItem(call, prompts, params.name), params.arguments);
    case "resources/read":
    case "resources/subscribe":
      return useOfUri(call, params.uri);
    case "subscriptions/listen": {
      const uris = isObject(params.notifications) ? params.notifications.resourceSubscriptions : undefined;
      if (!Array.isArray(uris) || uris.length > limits.subscriptions) return NOTHING;
      return uris.flatMap((uri) => useOfUri(call, uri));
    }
    case "completion/complete":
      return useOfReference(call);
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

function use(item: Item | undefined, given: unknown): readonly Use[] {
  return item === undefined ? NOTHING : [{ item, given: isObject(given) ? given : {} }];
}

function useOfUri(call: Call, uri: unknown): readonly Use[] {
  // The handler refuses a URI that is too long.
  if (typeof uri !== "string" || uri.length > call.server.limits.uriLength) return NOTHING;
  const route = routeFor(call, uri);
  return use(route?.value, route?.match.values);
}

function useOfReference(call: Call): readonly Use[] {
  const { ref, argument } = call.params;
  if (!isObject(ref)) return NOTHING;
  const given = isObject(argument) ? { [String(argument.name)]: argument.value } : {};
  if (ref.type === "ref/prompt") return use(findItem(call, call.server.prompts, ref.name), given);
  return use(findItem(call, templatesOf(call), ref.uri), given);
}

/** The templates of a server by the text that clients see. */
export function templatesOf({ server }: Call): { get(text: string): Resource | undefined } {
  return { get: (text) => server.resources.template(text) };
}
