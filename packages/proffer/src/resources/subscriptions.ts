import type { Call } from "../calls/call.ts";
import { META } from "../calls/envelope.ts";
import type { Principal } from "../calls/principal.ts";
import { limitHook } from "../calls/timeout.ts";
import type { Use } from "../calls/uses.ts";
import type { ChangeKind, ChangeListener, ListKind } from "../catalog/changes.ts";
import { InvalidParams } from "../protocol/errors.ts";
import { isObject, type JsonObject } from "../protocol/messages.ts";
import { CallContext } from "../questions/context.ts";
import { isDeferred } from "../results/return-value.ts";
import type { Listening } from "../server/feature.ts";
import { whenReady } from "../support/async.ts";
import type { Params } from "./check-params.ts";
import type { Resource } from "./define.ts";
import { findResource } from "./find.ts";
import { refusalError } from "./refuse.ts";

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
  const subscription = new Subscription(call, await limitHook(call, accept(call, notifications)));
  await subscription.askFeatures(notifications);
  return subscription.run();
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

class Subscription implements ChangeListener {
  readonly #call: Call;
  readonly #accepted: Accepted;
  readonly #meta: object;
  readonly #features: Listening[] = [];

  constructor(call: Call, accepted: Accepted) {
    this.#call = call;
    this.#accepted = accepted;
    this.#meta = { [META.subscriptionId]: call.id };
  }

  get principal(): Principal | undefined {
    return this.#call.origin.principal;
  }

  /** Lets each feature accept its part of the filter. */
  async askFeatures(filter: JsonObject): Promise<void> {
    for (const feature of this.#call.server.features.with("listen")) {
      const listening = await feature.listen(this.#call, filter, (method, params) => this.#notify(method, params));
      if (listening !== undefined) this.#features.push(listening);
    }
  }

  run(): Promise<object> {
    const { lists, watched } = this.#accepted;
    const { changes } = this.#call.server;
    this.#notify("notifications/subscriptions/acknowledged", {
      notifications: {
        ...Object.fromEntries([...lists].map((kind) => [`${kind}ListChanged`, true])),
        ...(watched.length === 0 ? {} : { resourceSubscriptions: watched.map(({ uri }) => uri) }),
        ...Object.assign({}, ...this.#features.map(({ acknowledged }) => acknowledged)),
      },
    });
    const stops = watched.map((each) => watch(this.#call, each, this));
    if (lists.size > 0) stops.push(changes.listen(this));
    for (const listening of this.#features) stops.push(listening.start());
    return new Promise((resolve) => {
      const stop = () => {
        for (const each of stops) each();
        resolve({ _meta: this.#meta });
      };
      this.#call.end = stop;
      const { signal } = this.#call;
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop, { once: true });
    });
  }

  listChanged(changed: ChangeKind): void {
    const kind = this.#call.server.features.changeFor(() => this.#call.client, changed);
    if (kind !== undefined && this.#accepted.lists.has(kind)) this.#notify(`notifications/${kind}/list_changed`, {});
  }

  updated(uri: string): void {
    this.#notify("notifications/resources/updated", { uri });
  }

  #notify(method: string, params: object): void {
    this.#call.notify(method, { ...params, _meta: this.#meta });
  }
}

/** Passes updates on while the caller may read the resource: a newer token may permit less. */
class PermittedListener implements ChangeListener {
  readonly #call: Call;
  readonly #use: Use;
  readonly #listener: ChangeListener;

  constructor(call: Call, use: Use, listener: ChangeListener) {
    this.#call = call;
    this.#use = use;
    this.#listener = listener;
  }

  listChanged(kind: ChangeKind): void {
    this.#listener.listChanged(kind);
  }

  updated(uri: string): void {
    const { access } = this.#call.server;
    if (access?.mayRead(this.#call, this.#use, this.#listener.principal) ?? true) this.#listener.updated(uri);
  }
}

/** Notifies the listener of updates, and keeps the resource's own watcher running meanwhile. */
function watch(call: Call, { uri, resource, given }: Watched, listener: ChangeListener): () => void {
  const { access, changes } = call.server;
  const use: Use = { item: resource, given };
  const stop = changes.watch(uri, access === undefined ? listener : new PermittedListener(call, use, listener));
  const release = resource.watch && call.server.watchers.hold(resource.watch);
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
