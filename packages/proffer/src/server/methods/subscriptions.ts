import { InvalidParams, NotFound } from "../../protocol/errors.ts";
import { isObject, type JsonObject } from "../../protocol/messages.ts";
import type { Call } from "../call.ts";
import type { ChangeListener, ListKind } from "../changes.ts";
import { META } from "../classify.ts";

/** More resources than this are not watched for one client. */
const MAX_WATCHED = 10_000;

export function subscribe(call: Call): object {
  const uri = existing(call, call.params.uri);
  const { session, listener } = call.origin;
  if (session === undefined || listener === undefined) {
    throw new InvalidParams("Without a session there is no way to tell you of updates; call initialize first.");
  }
  if (session.watchedCount >= MAX_WATCHED) throw tooMany();
  session.watch(uri, () => call.server.changes.watch(uri, listener));
  return {};
}

export function unsubscribe(call: Call): object {
  const { uri } = call.params;
  if (typeof uri !== "string") throw new InvalidParams("resources/unsubscribe needs params.uri.");
  call.origin.session?.unwatch(uri);
  return {};
}

/** Stays open, and tells of what the client asked to hear, until the client or the server ends it. */
export function listen(call: Call): Promise<object> {
  const { notifications } = call.params;
  if (!isObject(notifications)) throw new InvalidParams("subscriptions/listen needs params.notifications, an object.");
  const subscription = new Subscription(call, accept(call, notifications));
  return subscription.run();
}

const LISTS: readonly ListKind[] = ["tools", "prompts", "resources"];

interface Accepted {
  readonly lists: ReadonlySet<ListKind>;
  readonly uris: readonly string[];
}

/** The part of what was asked for that the server can honour. */
function accept(call: Call, asked: JsonObject): Accepted {
  const lists = LISTS.filter((kind) => asked[`${kind}ListChanged`] === true && call.server.offers(kind));
  const uris = asked.resourceSubscriptions ?? [];
  if (!Array.isArray(uris))
    throw new InvalidParams("params.notifications.resourceSubscriptions must be a list of URIs.");
  if (uris.length > MAX_WATCHED) throw tooMany();
  const watched = call.server.offers("resources") ? [...new Set(uris.map((uri) => existing(call, uri)))] : [];
  return { lists: new Set(lists), uris: watched };
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
    const { lists, uris } = this.#accepted;
    const { changes } = this.#call.server;
    this.#tell("notifications/subscriptions/acknowledged", {
      notifications: {
        ...Object.fromEntries([...lists].map((kind) => [`${kind}ListChanged`, true])),
        ...(uris.length === 0 ? {} : { resourceSubscriptions: uris }),
      },
    });
    const stops = [changes.listen(this), ...uris.map((uri) => changes.watch(uri, this))];
    return new Promise((resolve) => {
      const stop = () => {
        for (const each of stops) each();
        resolve({ _meta: this.#meta });
      };
      this.#call.end = stop;
      this.#call.signal.addEventListener("abort", stop, { once: true });
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

/** The URI, if it names something that can be read: whoever mistypes one should hear of it now, not wait for ever. */
function existing(call: Call, uri: unknown): string {
  if (typeof uri !== "string") throw new InvalidParams("A subscription needs the URI of a resource.");
  if (call.server.resources.find(uri) === undefined) {
    throw new NotFound(`There is no resource ${JSON.stringify(uri.slice(0, 512))} to subscribe to.`, { uri });
  }
  return uri;
}

function tooMany(): InvalidParams {
  return new InvalidParams(`No more than ${MAX_WATCHED} resources can be watched by one client.`);
}
