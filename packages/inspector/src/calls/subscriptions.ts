import type { Connected } from "../connections/connected.ts";
import type { InspectorEvent } from "../protocol/api.ts";
import type { JsonObject } from "../protocol/data.ts";
import { ApiProblem } from "../support/api-problem.ts";
import { bytesOf } from "../support/values.ts";

type Live = Extract<InspectorEvent, { kind: "live" }>;

const MAX_SUBSCRIPTIONS = 100;
const MAX_BYTES = 1024 * 1024;
const UPDATED = "notifications/resources/updated";

/** A resource that is read again whenever the server says that it has changed. */
interface Subscription {
  readonly connected: Connected;
  readonly uri: string;
  stop: () => Promise<void>;
  updates: number;
  reading: boolean;
  stale: boolean;
  last: Live | undefined;
}

/** The subscriptions of the page. */
export class Subscriptions {
  readonly #send: (event: InspectorEvent) => void;
  readonly #all = new Map<string, Subscription>();

  constructor(send: (event: InspectorEvent) => void) {
    this.#send = send;
  }

  /** The last event of each, for a page that opens later. */
  *events(): Iterable<InspectorEvent> {
    for (const { last } of this.#all.values()) if (last !== undefined) yield last;
  }

  async subscribe(connected: Connected, uri: string): Promise<void> {
    const key = keyOf(connected.revision, uri);
    if (this.#all.has(key)) return;
    if (this.#all.size >= MAX_SUBSCRIPTIONS) {
      const message = `There are ${MAX_SUBSCRIPTIONS} subscriptions.`;
      throw new ApiProblem(429, "too_many_subscriptions", message, "Unsubscribe from some of them first.");
    }
    const state = { updates: 0, reading: false, stale: false, last: undefined };
    const subscription: Subscription = { connected, uri, stop: async () => {}, ...state };
    this.#all.set(key, subscription);
    try {
      const read = () => void this.#read(key, subscription);
      subscription.stop = await keepListening(connected, [uri], read);
    } catch (error) {
      this.#all.delete(key);
      throw new ApiProblem(502, "not_subscribed", (error as Error).message);
    }
    void this.#read(key, subscription);
  }

  async unsubscribe(revision: string, uri: string): Promise<void> {
    const key = keyOf(revision, uri);
    const subscription = this.#all.get(key);
    if (subscription === undefined) return;
    this.#all.delete(key);
    this.#send({ kind: "unsubscribed", uri, revision });
    // The page does not show it any more, whatever the server says.
    await subscription.stop().catch(() => {});
  }

  /** Looks at a notification of the server. */
  notified(connected: Connected, method: string, params: { readonly uri?: unknown }): void {
    if (method !== UPDATED || typeof params.uri !== "string") return;
    for (const [key, subscription] of this.#all) {
      if (subscription.connected !== connected || !isAbout(params.uri, subscription.uri)) continue;
      subscription.updates++;
      void this.#read(key, subscription);
    }
  }

  /** Forgets the subscriptions of clients that are gone. */
  clear(): void {
    for (const { uri, connected } of this.#all.values()) {
      this.#send({ kind: "unsubscribed", uri, revision: connected.revision });
    }
    this.#all.clear();
  }

  async #read(key: string, subscription: Subscription): Promise<void> {
    subscription.stale = true;
    if (subscription.reading) return;
    subscription.reading = true;
    while (subscription.stale && this.#all.get(key) === subscription) {
      subscription.stale = false;
      const { connected, uri } = subscription;
      const outcome = await readNow(connected, uri);
      if (this.#all.get(key) !== subscription) break;
      const { updates } = subscription;
      subscription.last = { kind: "live", uri, revision: connected.revision, at: Date.now(), updates, ...outcome };
      this.#send(subscription.last);
    }
    subscription.reading = false;
  }
}

async function readNow({ client }: Connected, uri: string): Promise<Pick<Live, "result" | "error">> {
  try {
    const result = (await client.request("resources/read", { uri })) as JsonObject;
    const bytes = bytesOf(result);
    return bytes > MAX_BYTES ? { error: `The contents have ${bytes} bytes, more than ${MAX_BYTES}.` } : { result };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

/** A server may notify of a part of the resource that was subscribed to. */
function isAbout(updated: string, subscribed: string): boolean {
  return updated === subscribed || updated.startsWith(subscribed.endsWith("/") ? subscribed : `${subscribed}/`);
}

function keyOf(revision: string, uri: string): string {
  return `${revision} ${uri}`;
}

/** Milliseconds before a subscription that has ended is made again. */
const RETRY = 1000;

/**
 * Subscribes to changes of resources, and again whenever the subscription ends: servers end it before they stop, and
 * proxies after a while. Resolves with a function that unsubscribes.
 * @param renewed - is called after the subscription was made again: changes in between are unknown.
 * @throws {RemoteError} if the server refuses the first subscription.
 */
async function keepListening(
  connected: Connected,
  uris: readonly string[],
  renewed: () => void,
): Promise<() => Promise<void>> {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  let stop = await listen();
  return async () => {
    isOver = true;
    clearTimeout(timer);
    await stop();
  };

  async function listen(): Promise<() => Promise<void>> {
    const subscription = await connected.client.listen({ uris, onEnd });
    return () => subscription.close();
  }

  function onEnd(): void {
    timer = setTimeout(() => void renew().catch(() => {}), RETRY);
    timer.unref();
  }

  async function renew(): Promise<void> {
    if (isOver || !connected.isOpen) return;
    stop = await listen();
    if (isOver) await stop();
    else renewed();
  }
}
