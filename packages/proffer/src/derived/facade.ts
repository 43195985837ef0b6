import type { Middleware } from "../calls/middleware.ts";
import type { Store } from "../calls/store.ts";
import type { ListKind } from "../catalog/changes.ts";
import type { Public, Registry } from "../catalog/registry.ts";
import type { Prompt } from "../prompts/define.ts";
import type { Resource } from "../resources/define.ts";
import { lifespanOf } from "../server/lifespan.ts";
import type { ServerOptions } from "../server/options.ts";
import { type Server, ServerState, stateOf } from "../server/server.ts";
import type { Tool } from "../tools/define.ts";

/** Functions that replace an item whenever a client uses it. Lists show the original. */
export interface Substitutes {
  tool(tool: Tool): Tool;
  prompt(prompt: Prompt): Prompt;
  resource(resource: Resource): Resource;
}

/** A server that presents the versions of another one, which can be exchanged while clients are connected. */
export interface Facade {
  readonly server: Server;
  /**
   * Presents `next` from now on: its options, and its catalog, including items that are added to it or removed from it
   * later. Clients are notified of the lists in `changed`.
   */
  present(next: Server, changed: readonly ListKind[]): void;
}

/** How a facade differs from the servers that it presents. */
export interface FacadeOptions {
  readonly substitutes: Substitutes;
  /** Called when the facade has stopped. The versions start and stop on their own. */
  readonly onStop: () => Promise<void>;
  /** Runs around the middleware of each version. */
  readonly observe?: Middleware | undefined;
}

/** Creates a facade for the successive versions of a server. */
export function createFacade(first: Server, options: FacadeOptions): Facade {
  const facade = new FacadeServer(stateOf(first), options);
  return {
    server: facade,
    present(next, changed) {
      facade.present(stateOf(next));
      for (const kind of changed) facade.listChanged(kind);
      if (changed.includes("resources")) facade.listChanged("addedTools");
    },
  };
}

/** Declared in every version, because clients learn the capabilities only when they connect, and an edit can add one. */
const LISTS = { tools: [], prompts: [], resources: [] };

/** The fields that are not set by options: they belong to the clients, who stay connected to the facade. */
const OWN = new Set<string>([
  "tools",
  "prompts",
  "resources",
  "facade",
  "changes",
  "watchers",
  "pages",
  "store",
  "lifespan",
  "overrides",
  "access",
  "runMiddleware",
  "onRandomKey",
] satisfies (keyof ServerState)[]);

class FacadeServer extends ServerState {
  readonly #chosen: FacadeOptions;
  /** Serves the versions without a store: single-use answers that an earlier version claimed stay claimed. */
  readonly #memory: Store;
  #presented: ServerState;
  #declared: ServerOptions;

  constructor(first: ServerState, chosen: FacadeOptions) {
    const { name, version } = first.info;
    super({ name, version }, first.revisions);
    this.#chosen = chosen;
    this.#memory = this.store;
    this.#presented = first;
    this.#declared = first.options;
  }

  present(next: ServerState): void {
    next.facade = this;
    this.#presented = next;
    const { substitutes, onStop, observe } = this.#chosen;
    const { onStart: _, ...options } = next.options;
    this.#declared = { ...LISTS, ...options, onStop };
    // Every other field, so that no option is forgotten. Features keep the state of a facade apart: an edit ends no task.
    const settings = Object.entries(next).filter(([field]) => !OWN.has(field));
    Object.assign(this, Object.fromEntries(settings), {
      store: options.cluster?.store ?? options.store ?? this.#memory,
      // It may show only some items.
      access: next.access,
      runMiddleware: undefined,
      ...(observe && { middleware: [observe, ...next.middleware] }),
    });
    this.tools = present(next.tools, substitutes.tool);
    this.prompts = present(next.prompts, substitutes.prompt);
    this.resources = present(next.resources, substitutes.resource);
    this.forgetPages();
  }

  override get options(): ServerOptions {
    // The constructor of the base class reads them first.
    return #declared in this ? this.#declared : super.options;
  }

  /** Each version joins its own cluster. */
  override get joinsCluster(): boolean {
    return false;
  }

  /** Versions without keys share one of the facade, so that an edit does not end the questions in flight. */
  override get keyOwner(): ServerState {
    return this.#presented.options.keys === undefined ? this : this.#presented;
  }
}

/** Presents the items of a version. A client that uses an item gets its substitute; lists show the original. */
function present<Item extends { readonly kind: string }, Source extends Public<Registry<Item>>>(
  source: Source,
  substitute: (item: Item) => Item,
): Source {
  const get = (key: string) => {
    const item = source.get(key);
    return item === undefined ? undefined : substitute(item);
  };
  return new Proxy(source, {
    get(_, name) {
      if (name === "get") return get;
      if (name === "serving") return substitute;
      // Its private fields belong to the source, not to the proxy.
      const member: unknown = Reflect.get(source, name);
      return typeof member === "function" ? member.bind(source) : member;
    },
  });
}

/** A server that runs behind another one, without a transport. */
export interface BackgroundServer {
  /** Loads its features and runs `onStart`. @throws {Error} with the reason if one fails. */
  start(): Promise<void>;
  /** Runs `onStop` if the server has started. Never rejects. */
  stop(): Promise<void>;
}

/** Counts as a transport of the server until `stop` is called. */
export function runInBackground(server: Server): BackgroundServer {
  const state = stateOf(server);
  const lifespan = lifespanOf(state);
  const release = lifespan?.open();
  return {
    async start() {
      await state.features.loading;
      await lifespan?.start();
    },
    async stop() {
      await release?.();
    },
  };
}
