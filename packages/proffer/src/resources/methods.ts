import type { Call } from "../calls/call.ts";
import { limitHook } from "../calls/timeout.ts";
import { hintsFor, type List, page } from "../catalog/pages.ts";
import { InvalidParams, NOT_FOUND, NotFound, RpcError } from "../protocol/errors.ts";
import { isObject } from "../protocol/messages.ts";
import type { CacheHints, ResourceDescription, TemplateDescription } from "../protocol/model.ts";
import { convert } from "../protocol/revisions/revision.ts";
import { CallContext } from "../questions/context.ts";
import { type SerializedResult, serializeResult } from "../results/encode.ts";
import { isDeferred, toReadResult } from "../results/return-value.ts";
import { whenReady } from "../support/async.ts";
import { refusalError } from "./check-match.ts";
import type { Params } from "./check-params.ts";
import type { Resource } from "./define.ts";
import { lazyPage } from "./pages.ts";
import { findResource } from "./registry.ts";
import { DEFAULT_RULES } from "./rules.ts";

export const RESOURCES: List<Resource> = {
  name: "resources",
  entries: (call) => call.server.resources.entries().filter(({ item }) => item.template === undefined),
  describe: (item, call) => convert(call.revision, "resource", item.description as ResourceDescription),
};

const TEMPLATES: List<Resource> = {
  name: "resourceTemplates",
  entries: (call) => call.server.resources.entries().filter(({ item }) => item.template !== undefined),
  describe: (item, call) => convert(call.revision, "template", item.description as TemplateDescription),
};

export function listResources(call: Call): object | Promise<object> {
  const { resources, access } = call.server;
  const sources = access?.filters
    ? resources.sources.filter(({ item }) => access.lists(call, item))
    : resources.sources;
  return sources.length === 0 ? page(call, RESOURCES) : limitHook(call, lazyPage(call, RESOURCES, sources));
}

export function listTemplates(call: Call): SerializedResult | Promise<SerializedResult> {
  return page(call, TEMPLATES);
}

export function readResource(call: Call): object | Promise<object> {
  const { uri } = call.params;
  if (typeof uri !== "string") throw new InvalidParams("resources/read needs params.uri, the URI of a resource.");
  const { resource, params } = findResource(call, uri);
  if (resource.content !== undefined) return readFixed(call, resource);
  if (params instanceof Promise) return limitHook(call, params).then((checked) => read(call, resource, uri, checked));
  return read(call, resource, uri, params);
}

function read(call: Call, resource: Resource, uri: string, params: Params): object | Promise<object> {
  call.cacheHints = resource.cache === undefined ? hintsFor(call) : ownHints(call, resource);
  const ctx = new CallContext(call, uri);
  let value: unknown;
  try {
    value = resource.read(params, ctx);
  } catch (error) {
    throw withUri(error, resource, uri);
  }
  return isDeferred(value) ? finish(call, resource, uri, ctx, value) : deliver(call, resource, uri, ctx, value);
}

/** The resources whose explicit `public` was reported. */
const reported = /* @__PURE__ */ new WeakSet<Resource>();

/** Returns the hints of a resource with its own. If it computes public contents for known callers, it warns once. */
function ownHints(call: Call, resource: Resource): CacheHints {
  const hints = { ...hintsFor(call), ...resource.cache };
  if (hints.cacheScope === "public" && call.origin.principal !== undefined && !reported.has(resource)) {
    reported.add(resource);
    call.server.log({
      level: "warning",
      message:
        'The resource has cacheScope "public", but its callers are authenticated: a cache may return one caller\'s contents to another. Remove it unless the contents are the same for everyone.',
      uri: resource.uri,
    });
  }
  return hints;
}

function finish(call: Call, resource: Resource, uri: string, ctx: CallContext, pending: unknown): Promise<object> {
  return call.outcome(
    pending,
    (value) => deliver(call, resource, uri, ctx, value),
    (error) => {
      throw withUri(error, resource, uri);
    },
  );
}

/** Adds the URI to an error of the handler. In a group, only a `NotFound` without a message is changed. */
function withUri(error: unknown, { rules }: Resource, uri: string): unknown {
  if (error instanceof NotFound && error.message === NOT_FOUND) return refusalError(rules, "missing", uri);
  if (rules !== DEFAULT_RULES || !(error instanceof NotFound || error instanceof InvalidParams)) return error;
  if (error.data !== undefined && !isObject(error.data)) return error;
  return new RpcError(error.kind, error.message, { data: { uri, ...error.data } });
}

function deliver(
  call: Call,
  resource: Resource,
  uri: string,
  ctx: CallContext,
  value: unknown,
): object | Promise<object> {
  // A template that returns nothing means that the resource does not exist.
  if (value === undefined && resource.template !== undefined) throw refusalError(resource.rules, "missing", uri);
  const shape = { uri, mimeType: resource.mimeType };
  const result = toReadResult(value, shape, call.server.limits.streamBytes);
  ctx.flush();
  return whenReady(result, (whole) => convert(call.revision, "read", whole));
}

/** Returns the result for fixed content, serialized once per revision. */
function readFixed(call: Call, resource: Resource): SerializedResult | Promise<SerializedResult> {
  const { server, revision } = call;
  const cached = server.resources.serialized(resource, revision);
  if (cached !== undefined) return cached;
  const { uri, mimeType } = resource;
  const hints: CacheHints = {
    ...server.hints,
    ...resource.cache,
    // A shared cache would return it to callers without these scopes.
    ...(resource.scopes !== undefined && { cacheScope: "private" }),
  };
  return whenReady(toReadResult(resource.content, { uri, mimeType }), (result) => {
    const serialized = serializeResult(server.envelopes, revision, convert(revision, "read", result), hints);
    server.resources.cacheSerialized(resource, revision, serialized);
    return serialized;
  });
}
