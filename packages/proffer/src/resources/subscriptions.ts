import type { Call } from "../calls/call.ts";
import { META } from "../calls/envelope.ts";
import type { ChangeListener, ListKind } from "../catalog/changes.ts";
import { InvalidParams } from "../protocol/errors.ts";
import { isObject, type JsonObject } from "../protocol/messages.ts";
import { CallContext } from "../questions/context.ts";
import { whenReady } from "../support/when-ready.ts";
import type { Resource } from "./define.ts";
import { refusalError } from "./rules.ts";

export function subscribe(call: Call): object | Promise<object> {
  const { session, listener } = call.origin;
  return whenReady(existing(call, call.params.uri), ({ uri, resource }) => {
    if (session === undefined || listener === undefined) {
      throw new InvalidParams("Without a session there is no way to tell you of updates; call initialize first.");
    }
    if (session.watchedCount >= call.server.limits.subscriptions) throw tooMany(call);
    session.watch(uri, () => watch(call, { uri, resource }, listener));
    return {};
  });
}

export function unsubscribe(call: Call): object {
  const { uri } = call.params;
  if (typeof uri !== "string") throw new InvalidParams("resources/unsubscribe needs params.uri.");
  call.origin.session?.unwatch(uri);
  return {};
}

/** Stays open, and tells of what the client asked to hear, until the client or the server ends it. */
export async function listen(call: Call): Promise<object> {
  const { notifications } = call.params;
  if (!isObject(notifications)) throw new InvalidParams("subscriptions/listen needs params.notifications, an object.");
  const subscription = new Subscription(call, await accept(call, notifications));
  return subscription.run();
}

const LISTS: readonly ListKind[] = ["tools", "prompts", "resources"];

/** Something to watch. */
interface Watched {
  readonly uri: string;
  readonly resource: Resource;
}

interface Accepted {
  readonly lists: ReadonlySet<ListKind>;
  readonly watched: readonly Watched[];
}

/** The part of what was asked for that the server can honour. */
async function accept(call: Call, asked: JsonObject): Promise<Accepted> {
  const lists = new Set(LISTS.filter((kind) => asked[`${kind}ListChanged`] === true && call.server.offers(kind)));
  const uris = asked.resourceSubscriptions ?? [];
  if (!Array.isArray(uris))
    throw new InvalidParams("params.notifications.resourceSubscriptions must be a list of URIs.");
  if (uris.length > call.server.limits.subscriptions) throw tooMany(call);
  if (!call.server.offers("resources")) return { lists, watched: [] };
  const watched: Watched[] = [];
  for (const uri of new Set(uris)) watched.push(await existing(call, uri));
  return { lists, watched };
}

class Subscription implements ChangeListener {
  readonly #call: Call;
  readonly #accepted: Accepted;
  readonly #meta: object;

  constructor(call: Call, accepted: Accepted) {
    this.#call = call;
    this.#accepted = accepted;
    this.#meta = { [META.subscriptionId]: call.id };
  }

  run(): Promise<object> {
    const { lists, watched } = this.#accepted;
    const { changes } = this.#call.server;
    this.#tell("notifications/subscriptions/acknowledged", {
      notifications: {
        ...Object.fromEntries([...lists].map((kind) => [`${kind}ListChanged`, true])),
        ...(watched.length === 0 ? {} : { resourceSubscriptions: watched.map(({ uri }) => uri) }),
      },
    });
    const stops = watched.map((each) => watch(this.#call, each, this));
    if (lists.size > 0) stops.push(changes.listen(this));
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

  listChanged(kind: ListKind): void {
    if (this.#accepted.lists.has(kind)) this.#tell(`notifications/${kind}/list_changed`, {});
  }

  updated(uri: string): void {
    this.#tell("notifications/resources/updated", { uri });
  }

  #tell(method: string, params: object): void {
    this.#call.notify(method, { ...params, _meta: this.#meta });
  }
}

/** Tells the listener of updates, and keeps the resource's own watcher going meanwhile. */
function watch(call: Call, { uri, resource }: Watched, listener: ChangeListener): () => void {
  const stop = call.server.changes.watch(uri, listener);
  const release = resource.watch && call.server.watchers.hold(resource.watch);
  return () => {
    stop();
    release?.();
  };
}

/** What the URI names, if it can be read: whoever mistypes one should hear of it now, not wait for ever. */
function existing(call: Call, uri: unknown): Watched | Promise<Watched> {
  if (typeof uri !== "string") throw new InvalidParams("A subscription needs the URI of a resource.");
  const { resource, params } = call.server.resources.find(uri);
  return whenReady(params, (checked) =>
    whenReady(resource.exists?.(checked, new CallContext(call, uri)) ?? true, (exists) => {
      if (!exists) throw refusalError(resource.rules, "missing", uri);
      return { uri, resource };
    }),
  );
}

function tooMany(call: Call): InvalidParams {
  return new InvalidParams(`No more than ${call.server.limits.subscriptions} resources can be watched by one client.`);
}
