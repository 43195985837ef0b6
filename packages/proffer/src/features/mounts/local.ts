import type { Item } from "../../catalog/access.ts";
import { Client } from "../../client/client.ts";
import type { ConnectOptions } from "../../client/connect.ts";
import { toText } from "../../protocol/messages.ts";
import type { Context } from "../../questions/context.ts";
import { Connection } from "../../server/connection.ts";
import { type Lifespan, lifespanOf, type Release } from "../../server/lifespan.ts";
import type { MountOptions } from "../../server/options.ts";
import type { Server, ServerState } from "../../server/server.ts";
import { UsageError } from "../../support/usage-error.ts";
import type { Tool } from "../../tools/define.ts";
import { isOffered, toolName } from "./names.ts";
import { REMOTE, type RemoteServer } from "./options.ts";

const BRAND = Symbol.for("proffer.server");

/** Whether a value was created by `defineServer`. */
export function isServer(value: unknown): value is Server & { readonly [BRAND]: { readonly url: string } } {
  return typeof value === "object" && value !== null && BRAND in value;
}

/** The internals of a server that is mounted in another one. @throws {UsageError} */
export function innerOf(server: Server, outer: ServerState, where: string): ServerState {
  if (server === outer) throw new UsageError(`${where} is the server itself.`);
  if (isServer(server) && isServer(outer) && server[BRAND].url === outer[BRAND].url) return server as never;
  throw new UsageError(`${where} was created by another copy of proffer. Is the package installed twice?`, "wrong_use");
}

/**
 * Whether the items of a server can be served by another one. Otherwise its own path has to run, with its middleware and
 * its rules about callers: then it is called as a server elsewhere is.
 */
export function isPlain({ middleware, observers, options }: ServerState): boolean {
  const { shows, lists = "all", errors = "masked", toolsets, servers } = options;
  const hasRules = shows !== undefined || lists !== "all" || errors !== "masked" || toolsets !== undefined;
  return middleware.length === 0 && observers === undefined && !hasRules && servers === undefined;
}

/** A server in this process that is called by messages, as the same caller. */
export function asRemote(inner: ServerState, options: MountOptions): RemoteServer {
  const lifespan = lifespanOf(inner);
  const connect = async (_: unknown, { principal, ...given }: ConnectOptions = {}): Promise<Client> => {
    const release = lifespan?.open();
    await lifespan?.start();
    const link: ConstructorParameters<typeof Client>[0]["link"] = (receive) => {
      const connection = new Connection(inner, {
        transport: "memory",
        principal,
        send: (wire) => queueMicrotask(() => receive(toText(wire))),
      });
      return {
        send: (text) => queueMicrotask(() => connection.receive(text)),
        async close() {
          connection.close();
          await release?.();
        },
      };
    };
    const revision = inner.revisions.stateless.at(-1) ?? "";
    const client = new Client({ link, name: inner.info.name, revision, handshake: false }, given);
    await client.open();
    return client;
  };
  return { kind: "remote", [REMOTE]: true, connect, target: inner, options };
}

/** The items of a server in this process, as items of the server around it: a call costs nothing more. */
export class LocalItems {
  readonly #outer: ServerState;
  readonly #inner: ServerState;
  readonly #name: string;
  readonly #options: MountOptions;
  readonly #lifespan: Lifespan | undefined;
  /** The items here, by the items of the other server. */
  #items = new Map<Item, Item>();
  #release: Release | undefined;

  /** @throws {UsageError} if two servers have an item with the same name or URI. */
  constructor(outer: ServerState, name: string, inner: ServerState, options: MountOptions) {
    this.#outer = outer;
    this.#inner = inner;
    this.#name = name;
    this.#options = options;
    this.#lifespan = lifespanOf(inner);
    this.#update();
    // Its author adds items to it, and notifies of changes, without knowing where it is mounted.
    const { notify, listChanged } = inner;
    inner.notify = (changed) => {
      notify.call(inner, changed);
      outer.notify(changed);
    };
    inner.listChanged = (kind) => {
      listChanged.call(inner, kind);
      this.#update();
    };
  }

  open(): void {
    this.#release = this.#lifespan?.open();
    this.#lifespan?.begin();
  }

  async close(): Promise<void> {
    await this.#release?.();
  }

  #update(): void {
    const { tools, prompts, resources } = this.#inner;
    const now = new Set<Item>(
      [...tools, ...prompts, ...resources].filter(({ name }) => isOffered(this.#options, name)),
    );
    for (const [item, own] of this.#items) {
      if (now.has(item)) continue;
      this.#items.delete(item);
      if (own.kind === "resource") this.#outer.resources.remove(own.uri);
      else this.#outer[own.kind === "tool" ? "tools" : "prompts"].remove(own.name);
    }
    for (const item of now) if (!this.#items.has(item)) this.#items.set(item, this.#add(item));
  }

  #add(item: Item): Item {
    const { prefix = `${this.#name}_`, toolset = item.toolset } = this.#options;
    const { tools, prompts, resources } = this.#outer;
    if (item.kind === "resource") {
      const { read, list, exists } = item;
      const own = {
        ...item,
        toolset,
        read: this.#started(read.bind(item)),
        list: list && this.#started(list),
        exists: exists && this.#started(exists),
      };
      resources.add(own);
      return own;
    }
    if (item.kind === "prompt") {
      const name = prefix + item.name;
      const own = {
        ...item,
        name,
        toolset,
        was: undefined,
        description: { ...item.description, name },
        get: this.#started(item.get.bind(item)),
      };
      prompts.add(own);
      return own;
    }
    const name = toolName(prefix, item.name);
    const own: Tool = {
      ...item,
      ...this.#defaults(item),
      name,
      toolset,
      was: undefined,
      description: { ...item.description, name },
      handle: this.#started(item.handle.bind(item)),
    };
    tools.add(own);
    return own;
  }

  /** The options of its own server for tools. */
  #defaults({ coerce, closed, output, maxResult }: Tool): Pick<Tool, "coerce" | "closed" | "maxResult"> {
    const { options } = this.#inner;
    return {
      coerce: coerce ?? options.coerce,
      closed: closed ?? (output === undefined ? undefined : options.closedResults),
      maxResult: maxResult ?? this.#options.maxResult ?? options.maxResult,
    };
  }

  /** A function that waits until its own server has started. */
  #started<Given, Value>(work: (given: Given, ctx: Context) => Value): (given: Given, ctx: Context) => never {
    const lifespan = this.#lifespan;
    if (lifespan === undefined) return work as never;
    return ((given: Given, ctx: Context) =>
      lifespan.ready ? work(given, ctx) : lifespan.wait().then(() => work(given, ctx))) as never;
  }
}
