import type { Call } from "../../calls/call.ts";
import { pause } from "../../client/link.ts";
import type { Subscription } from "../../client/listen.ts";
import { RpcError } from "../../protocol/errors.ts";
import type { ServerState } from "../../server/server.ts";
import { coalesce, unref } from "../../support/async.ts";
import { UsageError } from "../../support/usage-error.ts";
import type { Connection } from "./connection.ts";
import { Connections } from "./connections.ts";
import { LoopError } from "./failures.ts";
import type { Upstream } from "./forward.ts";
import { type Source, toResource } from "./items.ts";
import { CONTAINS, idOf } from "./loops.ts";
import { type Offer, readOffer } from "./offer.ts";
import type { RemoteServer } from "./options.ts";
import { onlyPinned } from "./pins.ts";
import { Placed } from "./placed.ts";
import { UriWatcher } from "./watching.ts";

/** Milliseconds until a server that is down is tried again, at first and at most. */
const FIRST_DELAY = 1000;
const LONGEST_DELAY = 60_000;
/** Lists are read at most this often, however many changes a server announces. */
const PAUSE = 250;
/** Milliseconds after which the lists of a server that announces no changes are read again. */
const STALE = 30_000;

/** A server elsewhere inside this one: its items here, and whether it can be reached. */
export class Mount implements Upstream {
  readonly name: string;
  readonly connections: Connections;
  readonly watcher: UriWatcher;
  readonly items: Placed;
  /** Why it cannot be used; undefined if it can, or was not tried yet. */
  problem: unknown;
  /** Whether its lists were read, or could not be. */
  isSettled = false;
  /** The servers whose items it may have. */
  contains: readonly string[] = [];
  instructions: string | undefined;
  /** Whether it reads resources that are in no list: not if only some of its items are offered. */
  readsAny = false;
  readonly #server: ServerState;
  readonly #remote: RemoteServer;
  readonly #source: Source;
  readonly #changed: () => void;
  #completes = false;
  #first: Promise<Offer | undefined> | undefined;
  #subscription: Subscription | undefined;
  #announces = false;
  #readAt = 0;
  #delay = FIRST_DELAY;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #stop = new AbortController();
  readonly #refresh = coalesce(async () => {
    const { signal } = this.#stop;
    await this.#read(undefined).then((offer) => offer && !signal.aborted && this.apply(offer));
    await pause(PAUSE, signal).catch(() => undefined);
  });

  /** @param changed - is called when the mount is up or down, or its items have changed. */
  constructor(server: ServerState, name: string, remote: RemoteServer, changed: () => void) {
    this.name = name;
    this.#server = server;
    this.#remote = remote;
    this.#changed = changed;
    this.connections = new Connections(server, name, remote, {
      notified: (connection, notification) => {
        const { method } = notification;
        if (method === "notifications/message") connection.logged(notification);
        else if (/^notifications\/\w+\/list_changed$/.test(method) && !this.#isListening(connection)) this.refresh();
      },
      lost: (connection) => connection.key === "main" && this.#lost(),
    });
    this.watcher = new UriWatcher(this);
    const { options } = remote;
    this.#source = { upstream: this, prefix: options.prefix ?? `${name}_`, options, watcher: this.watcher };
    this.items = new Placed(server, this.#source, (text) => this.#warn(text));
  }

  get onDown(): "omit" | "fail" {
    return this.#remote.options.onDown ?? "omit";
  }

  /** Reads the lists for the first time, on behalf of the call that needs them. Undefined if that failed. */
  first(call: Call | undefined): Promise<Offer | undefined> {
    this.#first ??= this.#read(call);
    return this.#first;
  }

  /** Reads the lists again, soon. */
  refresh(): void {
    if (this.isSettled && !this.#stop.signal.aborted) void this.#refresh();
  }

  /** The lists were read long ago, and the server does not say when they change. */
  refreshIfStale(): void {
    if (!this.#announces && this.problem === undefined && Date.now() - this.#readAt > STALE) this.refresh();
  }

  /** Replaces the items by those of an offer. */
  apply(offer: Offer): void {
    this.isSettled = true;
    this.contains = offer.contains;
    this.items.replace(offer, this.#completes);
    this.#changed();
  }

  /** A resource that is in no list: links in results often lead to such. */
  unlisted(uri: string): ReturnType<typeof toResource> {
    return toResource(this.#source, { uri, name: uri.slice(0, 128) }, false);
  }

  /** Whether it recognizes each principal, so that nothing of it is for everybody. */
  get isPersonal(): boolean {
    return this.#remote.options.authorize !== undefined;
  }

  /** Lets the server be used. It may have been closed before. */
  open(): void {
    if (this.#stop.signal.aborted) this.#stop = new AbortController();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#retry);
    this.watcher.close();
    this.#subscription = undefined;
    this.#first = undefined;
    await this.connections.close();
    if (!this.isSettled) return;
    this.isSettled = false;
    this.problem = undefined;
  }

  /** Reads all lists. Undefined if the server is down: then it is tried again later. */
  async #read(call: Call | undefined): Promise<Offer | undefined> {
    const { signal } = this.#stop;
    try {
      const connection = await this.connections.main(call);
      const { client } = connection;
      await this.#listen(connection);
      const { only, except, pin } = this.#remote.options;
      const isWhole = only === undefined && except === undefined && pin === undefined;
      this.readsAny = isWhole && client.capabilities.resources !== undefined;
      this.#completes = client.capabilities.completions !== undefined;
      const read = await readOffer(client, CONTAINS, signal, (text) => this.#warn(text));
      // Later requests have not come from anywhere.
      connection.sender.via = [];
      if (read.contains.includes(idOf(this.#server))) {
        await this.connections.close();
        throw new LoopError(`The server "${this.name}" is mounted in itself, through other servers.`);
      }
      const { instructions } = this.#remote.options;
      const offer =
        pin === undefined
          ? read
          : await onlyPinned(read, pin, this.name, (text) => this.#warn(`Not offered: ${text}. Accept it in ${pin}.`));
      this.instructions = instructions ? client.instructions : undefined;
      this.#readAt = Date.now();
      this.#delay = FIRST_DELAY;
      if (this.problem !== undefined)
        this.#server.log({ level: "info", message: `The mounted server "${this.name}" is back` });
      this.problem = undefined;
      return offer;
    } catch (error) {
      if (!signal.aborted) this.#fail(error);
      return undefined;
    }
  }

  /** Hears of changes of its lists. */
  async #listen(connection: Connection): Promise<void> {
    const { client } = connection;
    const announced = (["tools", "prompts", "resources"] as const).filter((kind) => {
      const { listChanged } = (client.capabilities[kind] ?? {}) as { listChanged?: boolean };
      return listChanged === true;
    });
    this.#announces = announced.length > 0;
    if (client.hasHandshake || !this.#announces || this.#subscription !== undefined) return;
    const subscription = await client.listen({ lists: announced });
    this.#subscription = subscription;
    const follow = async () => {
      for await (const _ of subscription) this.refresh();
      if (this.#subscription === subscription) this.#subscription = undefined;
      this.#lost();
    };
    void follow();
  }

  /** Its subscription hears the same, once. */
  #isListening({ client }: Connection): boolean {
    return this.#subscription !== undefined && !client?.hasHandshake;
  }

  #lost(): void {
    if (this.#stop.signal.aborted || this.problem !== undefined) return;
    this.#subscription = undefined;
    this.#later();
  }

  #fail(error: unknown): void {
    const isNew = this.problem === undefined;
    this.problem = error;
    if (isNew) {
      this.#server.log({ level: "error", message: `The mounted server "${this.name}" cannot be used`, error });
      const offer = { tools: [], prompts: [], resources: [], contains: [] };
      if (this.isSettled) this.apply(offer);
    }
    this.isSettled = true;
    this.#changed();
    // A mistake of the configuration stays until somebody corrects it.
    if (!(error instanceof LoopError || error instanceof UsageError)) this.#later();
  }

  #later(): void {
    clearTimeout(this.#retry);
    this.#retry = unref(setTimeout(() => this.refresh(), this.#delay));
    this.#delay = Math.min(2 * this.#delay, LONGEST_DELAY);
  }

  #warn(text: string): void {
    this.#server.log({ level: "warning", message: `${text} (mounted server "${this.name}")` });
  }
}

/** The error of a list that must not leave out the items of a server that is down. */
export function downError({ name }: Mount): RpcError {
  return new RpcError("busy", `The server "${name}" behind this one cannot be reached now. Try again later.`);
}
