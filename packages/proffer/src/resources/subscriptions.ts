import type { Call } from "../calls/call.ts";
import { META } from "../calls/client.ts";
import { limitHook } from "../calls/timeout.ts";
import type { ChangeListener, ListKind } from "../catalog/changes.ts";
import { InvalidParams } from "../protocol/errors.ts";
import { isObject, type JsonObject } from "../protocol/messages.ts";
import { CallContext } from "../questions/context.ts";
import { isDeferred } from "../results/return-value.ts";
import { whenReady } from "../support/async.ts";
import { refusalError } from "./check-match.ts";
import type { Params } from "./check-params.ts";
import type { Resource } from "./define.ts";
import { findResource } from "./registry.ts";

/** The part of a `subscriptions/listen` that a feature serves. */
export interface Listening {
  /** Added to the filter that the server acknowledges. */
  readonly acknowledged: object;
  /** Begins to notify; the returned function ends it. */
  start(): () => void;
}

export function subscribe(call: Call): object | Promise<object> {
  const { session, listener } = call.origin;
  const found = resolveResource(call, call.params.uri);
  return whenReady(found instanceof Promise ? limitHook(call, found) : found, (watched) => {
    if (session === undefined || listener === undefined) {
      throw new InvalidParams("Subscriptions need a session. Call initialize first.");
    }
    if (session.watchedCount >= call.server.limits.subscriptions) throw tooManySubscriptions(call);
    session.watch(watched.uri, () => watch(call, watched, listener));
    return {};
  });
}

export function unsubscribe(call: Call): object {
  const { uri } = call.params;
  if (typeof uri !== "string") throw new InvalidParams("resources/unsubscribe needs params.uri.");
  call.origin.session?.unwatch(uri);
  return {};
}

/** Stays open and sends the requested notifications until the client or the server ends it. */
export async function listen(call: Call): Promise<object> {
  const { notifications } = call.params;
  if (!isObject(notifications)) throw new InvalidParams("subscriptions/listen needs params.notifications, an object.");
  const accepted = await limitHook(call, accept(call, notifications));
  const _meta = { [META.subscriptionId]: call.id };
  const notify = (method: string, params: object) => call.notify(method, { ...params, _meta });
  const served: Listening[] = [];
  for (const feature of call.server.features.with("listen")) {
    const listening = await feature.listen(call, notifications, notify);
    if (listening !== undefined) served.push(listening);
  }
  const stops = start(call, accepted, served, notify);
  return new Promise((resolve) => {
    const stop = () => {
      for (const each of stops) each();
      resolve({ _meta });
    };
    call.end = stop;
    if (call.signal.aborted) stop();
    else call.signal.addEventListener("abort", stop, { once: true });
  });
}

/** Acknowledges a subscription, and begins to notify. Returns the functions that end it. */
function start(
  call: Call,
  { lists, watched }: Accepted,
  served: readonly Listening[],
  notify: (method: string, params: object) => void,
): (() => void)[] {
  const { changes, features } = call.server;
  const listener: ChangeListener = {
    get principal() {
      return call.origin.principal;
    },
    listChanged(changed) {
      const kind = features.changeFor(() => call.client, changed);
      if (kind !== undefined && lists.has(kind)) notify(`notifications/${kind}/list_changed`, {});
    },
    updated: (uri) => notify("notifications/resources/updated", { uri }),
  };
  notify("notifications/subscriptions/acknowledged", {
    notifications: {
      ...Object.fromEntries([...lists].map((kind) => [`${kind}ListChanged`, true])),
      ...(watched.length === 0 ? {} : { resourceSubscriptions: watched.map(({ uri }) => uri) }),
      ...Object.assign({}, ...served.map(({ acknowledged }) => acknowledged)),
    },
  });
  return [
    ...watched.map((each) => watch(call, each, listener)),
    ...(lists.size > 0 ? [changes.listen(listener)] : []),
    ...served.map((listening) => listening.start()),
  ];
}

const LISTS: readonly ListKind[] = ["tools", "prompts", "resources"];

/** A resource that a client subscribed to. */
interface Watched {
  readonly uri: string;
  readonly resource: Resource;
  /** The values in its URI, which may need scopes of their own. */
  readonly given: object;
}

interface Accepted {
  readonly lists: ReadonlySet<ListKind>;
  readonly watched: readonly Watched[];
}

/** Returns the part of the requested subscriptions that the server supports. */
async function accept(call: Call, requested: JsonObject): Promise<Accepted> {
  const lists = new Set(
    LISTS.filter((kind) => requested[`${kind}ListChanged`] === true && call.server.offersTo(call, kind)),
  );
  const uris = requested.resourceSubscriptions ?? [];
  if (!Array.isArray(uris))
    throw new InvalidParams("params.notifications.resourceSubscriptions must be an array of URIs.");
  if (uris.length > call.server.limits.subscriptions) throw tooManySubscriptions(call);
  if (!call.server.offers("resources")) return { lists, watched: [] };
  const watched: Watched[] = [];
  for (const uri of new Set(uris)) watched.push(await resolveResource(call, uri));
  return { lists, watched };
}

/**
 * Notifies the listener of updates while the caller may read the resource (a newer token may permit less), and keeps the
 * resource's own watcher running meanwhile.
 */
function watch(call: Call, { uri, resource, given }: Watched, listener: ChangeListener): () => void {
  const { server } = call;
  const stop = server.changes.watch(uri, {
    updated(changed) {
      const mayRead = server.access?.mayRead(call, { item: resource, given }, listener.principal) ?? true;
      if (mayRead) listener.updated(changed);
    },
  });
  const release = resource.watch && server.watchers.hold(resource.watch);
  return () => {
    stop();
    release?.();
  };
}

/** Finds the resource of a URI. A mistyped URI fails now; otherwise the client would wait forever. */
function resolveResource(call: Call, uri: unknown): Watched | Promise<Watched> {
  if (typeof uri !== "string") throw new InvalidParams("A subscription needs the URI of a resource, a string.");
  const { resource, given, params } = findResource(call, uri);
  return whenReady(params, (checked) =>
    whenReady(exists(call, resource, checked, uri), (isThere) => {
      if (!isThere) throw refusalError(resource.rules, "missing", uri);
      return { uri, resource, given };
    }),
  );
}

function exists(call: Call, resource: Resource, params: Params, uri: string): boolean | Promise<boolean> {
  if (resource.exists === undefined) return true;
  const given = resource.exists(params, new CallContext(call, uri));
  // A promise need not be an instance of Promise, as those of query builders; it would count as true.
  return isDeferred(given) ? Promise.resolve(given) : given;
}

function tooManySubscriptions(call: Call): InvalidParams {
  return new InvalidParams(
    `Too many subscriptions: the limit is ${call.server.limits.subscriptions} resources per client.`,
  );
}
