import type { Call } from "../../calls/call.ts";
import { RemoteError } from "../../client/errors.ts";
import { pause } from "../../client/link.ts";
import type { Subscription } from "../../client/listen.ts";
import type { Watch, WatchEvents } from "../../resources/watch.ts";
import { unref } from "../../support/async.ts";
import type { Lease } from "./connection.ts";
import { toFailure } from "./failures.ts";
import type { Upstream } from "./forward.ts";

/** A subscription at the mounted server, on the connection of the caller who wanted it. */
interface Following {
  readonly stop: AbortController;
  events: WatchEvents | undefined;
}

/** Milliseconds until a subscription that ended is opened again, at first and at most. */
const FIRST_DELAY = 500;
const LONGEST_DELAY = 60_000;
/** Milliseconds in which a client that may subscribe does so. */
const GRACE = 10_000;

/** The subscriptions to resources of one mounted server: open while a client here listens, one for each URI and caller. */
export class UriWatcher {
  readonly #upstream: Upstream;
  readonly #following = new Map<string, Map<string, Following>>();
  readonly #events = new Map<string, WatchEvents>();

  constructor(upstream: Upstream) {
    this.#upstream = upstream;
  }

  /** A caller wants to watch a URI of an item. False if there is no such resource. */
  async want(item: string, uri: string, call: Call): Promise<boolean> {
    const { connections, name } = this.#upstream;
    const lease = await Promise.resolve(connections.lease(call)).catch((error) => {
      throw toFailure(error, name, call.method);
    });
    const following = this.#following.get(item) ?? new Map<string, Following>();
    const key = `${lease.connection.key} ${uri}`;
    const { resources } = lease.connection.client.capabilities as { resources?: { subscribe?: boolean } };
    if (following.has(key) || resources?.subscribe !== true) {
      lease.release();
      return true;
    }
    const stop = new AbortController();
    const entry: Following = { stop, events: this.#events.get(item) };
    this.#following.set(item, following.set(key, entry));
    try {
      const subscription = await subscribe(lease, uri);
      void this.#follow(entry, call, lease, subscription, uri);
    } catch (error) {
      following.delete(key);
      lease.release();
      if (error instanceof RemoteError && (error.code === -32002 || error.code === -32602)) return false;
      throw toFailure(error, name, call.method);
    }
    // The client may still be refused here.
    unref(setTimeout(() => entry.events === undefined && this.#forget(item, key), GRACE));
    return true;
  }

  /** Runs while a client listens to an item. */
  watch(item: string): Watch {
    return (events) => {
      this.#events.set(item, events);
      for (const entry of this.#following.get(item)?.values() ?? []) entry.events = events;
      return () => {
        this.#events.delete(item);
        for (const key of [...(this.#following.get(item)?.keys() ?? [])]) this.#forget(item, key);
      };
    };
  }

  close(): void {
    for (const [item, following] of [...this.#following])
      for (const key of [...following.keys()]) this.#forget(item, key);
  }

  #forget(item: string, key: string): void {
    const following = this.#following.get(item);
    following?.get(key)?.stop.abort();
    following?.delete(key);
    if (following?.size === 0) this.#following.delete(item);
  }

  /** Passes updates on, and subscribes again when the connection was lost. */
  async #follow(entry: Following, call: Call, first: Lease, opened: Subscription, uri: string): Promise<void> {
    const { signal } = entry.stop;
    let [lease, subscription]: [Lease, Subscription | undefined] = [first, opened];
    for (let delay = FIRST_DELAY; ; delay = Math.min(2 * delay, LONGEST_DELAY)) {
      if (subscription !== undefined) {
        const end = () => void subscription?.close().catch(() => undefined);
        signal.addEventListener("abort", end, { once: true });
        if (signal.aborted) end();
        for await (const { params } of subscription) entry.events?.updated(String(params.uri));
        signal.removeEventListener("abort", end);
        lease.release();
        delay = FIRST_DELAY;
      }
      try {
        await pause(delay, signal);
        lease = await this.#upstream.connections.lease(call);
        subscription = await subscribe(lease, uri);
        // Something may have changed in between.
        entry.events?.updated(uri);
      } catch {
        if (signal.aborted) return;
        subscription = undefined;
      }
    }
  }
}

function subscribe({ connection }: Lease, uri: string): Promise<Subscription> {
  return connection.client.listen({ uris: [uri] });
}
