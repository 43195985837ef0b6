import type { Call, Method } from "../calls/call.ts";
import type { ErrorsOption } from "../calls/exposed-error.ts";
import { type Middleware, type RunMiddleware, toMiddlewareList } from "../calls/middleware.ts";
import { type Observers, toObservers } from "../calls/observe.ts";
import { MemoryStore, type Store } from "../calls/store.ts";
import { Access, type Item } from "../catalog/access.ts";
import { type ChangeKind, Changes, type ListKind, type ResourceChange } from "../catalog/changes.ts";
import { checkHints, DEFAULT_PAGE_SIZE } from "../catalog/pages.ts";
import { type Public, Registry } from "../catalog/registry.ts";
import { FEATURES, Features } from "../features/features.ts";
import type { Cluster } from "../nodes/ports.ts";
import type { CreatedByDefinePrompt, Prompt } from "../prompts/define.ts";
import { type CacheHints, type Implementation, type LogLevel, logMessage } from "../protocol/model.ts";
import { REVISIONS, type Revisions } from "../protocol/revisions/table.ts";
import type { CreatedByDefineResource, Resource } from "../resources/define.ts";
import { ResourceRegistry } from "../resources/registry.ts";
import { Watchers } from "../resources/watch.ts";
import { Envelopes, type SerializedResult } from "../results/encode.ts";
import { consoleLog, forClients, type LogSink, withoutThrowing } from "../support/log.ts";
import { defined } from "../support/objects.ts";
import { UsageError } from "../support/usage-error.ts";
import type { CreatedByDefineTool, Tool } from "../tools/define.ts";
import { findKeys } from "./keys.ts";
import type { Lifespan } from "./lifespan.ts";
import { type SetLimits, toServerLimits } from "./limits.ts";
import { METHODS } from "./methods.ts";
import { type MetricSource, readPart, type ServerMetrics } from "./metrics.ts";
import type { ServerOptions } from "./options.ts";
import { checkErrors, checkOptions, filtersLists } from "./options.ts";
import type { Overrides } from "./overrides.ts";
import type { Readiness } from "./readiness.ts";

/** Items that can be added and removed while the server runs. Clients are notified automatically. */
export interface Collection<Item> extends Iterable<Item> {
  readonly size: number;
  get(key: string): Item | undefined;
  add(item: Item): void;
  remove(key: string): boolean;
}

/** The types of the items in the options of a server. */
export interface Defined<Tools, Prompts, Resources> {
  readonly tools: Tools;
  readonly prompts: Prompts;
  readonly resources: Resources;
}

/** A server: one definition for every revision, transport and client. `Items` is `Defined`, for the types of clients. */
export interface Server<Items = unknown> {
  readonly info: Implementation;
  readonly tools: Collection<Tool>;
  readonly prompts: Collection<Prompt>;
  readonly resources: Collection<Resource>;
  /**
   * Notifies the subscribers of a resource, with or without a query, that it changed; or of every resource whose URI
   * starts with a prefix. With `cluster`, those on all nodes.
   */
  notify(changed: ResourceChange): void;
  /** Reads the counters of this server in this process, as plain numbers by part. */
  metrics(): ServerMetrics;
  /**
   * Sends a log message outside a call to each connected client that wants its level. Clients of 2026-07-28 receive log
   * messages only during their requests, by `ctx.log`. Never log secrets.
   */
  sendLog(level: LogLevel, data: unknown, logger?: string): void;
  /** Only for the type checker. */
  readonly types?: Items;
}

const BRAND = Symbol.for("proffer.server");

/** The server with its internals, for the rest of Proffer. */
export class ServerState implements Server {
  /** Where this copy of Proffer is: the command line serves the servers of another copy by that copy. */
  readonly [BRAND] = { url: import.meta.url };
  readonly info: Implementation;
  instructions: string | undefined;
  tools: Public<Registry<Tool>>;
  prompts: Public<Registry<Prompt>>;
  resources: Public<ResourceRegistry>;
  /** The server that presents this catalog to clients and so receives its changes. Set by `proffer dev`. */
  facade: ServerState | undefined;
  /** Called when a random key seals the first cursor or state. Set by transports whose clients may reach other nodes. */
  onRandomKey: (() => void) | undefined;
  readonly changes = new Changes((listeners) => this.#listened(listeners));
  /** The watchers of providers; they run while a client listens. */
  readonly watchers: Watchers;
  readonly limits: SetLimits;
  readonly hints: CacheHints;
  readonly pageSize: number;
  readonly middleware: readonly Middleware[];
  /** Set by `runMiddleware` with the first request. */
  runMiddleware: RunMiddleware | undefined;
  readonly observers: Observers | undefined;
  readonly errors: ErrorsOption;
  /** The optional features that it uses. */
  readonly features = new Features(this, FEATURES, METHODS);
  /** The options that the person who started the server chose. */
  overrides: Overrides = {};
  readonly revisions: Revisions;
  /** The state that its nodes share. Also set when a server starts, by the environment. */
  cluster: Cluster | undefined;
  store: Store;
  /** The parts of the metrics. Set by `addMetrics`. */
  metricSources: Map<string, Set<MetricSource>> | undefined;
  /** Serialized pages of lists; cleared when a list changes. */
  readonly pages = new Map<string, SerializedResult>();
  readonly envelopes: Envelopes;
  readonly log: LogSink;
  /** Whether some callers see or may use less than others. */
  isRestricted: boolean;
  /** Set by `lifespanOf` if something has to be done when the server starts or stops. */
  lifespan: Lifespan | undefined;
  /** Set with the first readiness check. */
  readiness: Readiness | undefined;
  /** Private, so that the keys do not appear if an author logs the server. */
  readonly #options: ServerOptions;
  readonly #keys: readonly Uint8Array[] | undefined;
  #isListenedTo = false;
  #access: Access | undefined;

  constructor(options: ServerOptions, revisions: Revisions) {
    const { name, version, title, description, websiteUrl, icons } = options;
    checkOptions(options);
    this.#options = options;
    this.info = defined({ name, version, title, description, websiteUrl, icons });
    this.envelopes = new Envelopes(this.info);
    this.instructions = options.instructions;
    this.revisions = revisions;
    const sink = options.log === undefined ? consoleLog : withoutThrowing(options.log);
    this.observers = toObservers(options.observe, `Server "${name}"`, sink);
    this.log = this.observers?.log ?? sink;
    this.#keys = findKeys(options.keys);
    this.cluster = options.cluster;
    this.store = options.cluster?.store ?? options.store ?? new MemoryStore();
    this.hints = { ttlMs: 0, cacheScope: "private", ...options.cache };
    this.pageSize = options.pageSize ?? DEFAULT_PAGE_SIZE;
    this.middleware = toMiddlewareList(options.middleware, this);
    this.errors = checkErrors(options.errors ?? "masked", name);
    this.isRestricted = filtersLists(options, this.hints);
    this.tools = new Registry<Tool>("tool", "name", (added) => this.#itemsChanged("tools", added));
    this.prompts = new Registry<Prompt>("prompt", "name", (added) => this.#itemsChanged("prompts", added));
    this.watchers = new Watchers({
      // Not to other nodes: each of them watches the same files or tables.
      updated: (changed) => this.#changed(changed),
      listChanged: () => this.listChanged("resources"),
      failed: (error) => this.log({ level: "error", message: "A resource watcher failed", error }),
    });
    this.limits = toServerLimits(options.limits, `Server "${name}"`);
    this.resources = new ResourceRegistry((added) => this.#itemsChanged("resources", added));
    this.features.need();
    for (const tool of options.tools ?? []) this.tools.add(tool as Tool);
    for (const prompt of options.prompts ?? []) this.prompts.add(prompt as Prompt);
    for (const resource of (options.resources ?? []).flat()) this.resources.add(resource as Resource);
    checkHints(this.hints, `Server "${name}"`);
  }

  notify(changed: ResourceChange): void {
    this.#changed(changed);
    this.features.notified(changed);
  }

  metrics(): ServerMetrics {
    const parts = [...(this.metricSources ?? [])];
    return Object.fromEntries(parts.map(([part, sources]) => [part, readPart(sources)]));
  }

  sendLog(level: LogLevel, data: unknown, logger?: string): void {
    let text: string;
    try {
      const params = logMessage(level, forClients(data), logger);
      text = JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params });
    } catch (error) {
      // Background work must not fail because of its log.
      this.log({ level: "error", message: "The data of sendLog cannot be serialized as JSON", error });
      return;
    }
    (this.facade ?? this).changes.logged(level, text);
  }

  /** The requests that clients may send. */
  get methods(): ReadonlyMap<string, Method> {
    return this.features.methods;
  }

  /** Whether the server has the capability that a method requires, for the client of a call. */
  offersTo(call: Call, capability: NonNullable<Method["capability"]>): boolean {
    return this.offers(capability) || (capability === "tools" && this.features.addTools(() => call.client));
  }

  /** Whether the server has the capability that a method requires, for every client. */
  offers(capability: NonNullable<Method["capability"]>): boolean {
    if (capability === "logging") return true;
    if (capability !== "completions") return this.options[capability] !== undefined || this[capability].size > 0;
    if (this.resources.completes) return true;
    return [...this.prompts].some((prompt) => [...prompt.arguments.values()].some((argument) => argument.complete));
  }

  get options(): ServerOptions {
    return this.#options;
  }

  /** Whether it becomes a node of its cluster when it is served. */
  get joinsCluster(): boolean {
    return this.cluster !== undefined;
  }

  get keys(): readonly Uint8Array[] | undefined {
    return this.#keys;
  }

  /** The server whose keys seal the texts that clients and the store keep for this one. */
  get keyOwner(): ServerState {
    return this;
  }

  logError(call: Call, message: string, error: unknown): void {
    const { name, uri } = call.params;
    const entry = { level: "error", message, method: call.method, ...defined({ name: name ?? uri }), error } as const;
    this.log(this.observers?.withDetails(entry, call) ?? entry);
  }

  /** Decides which items a caller sees and may use; undefined if all. */
  get access(): Access | undefined {
    if (this.isRestricted) this.#access ??= new Access(this.#options);
    return this.#access;
  }

  set access(access: Access) {
    this.#access = access;
  }

  listChanged(kind: ChangeKind): void {
    this.facade?.listChanged(kind);
    this.forgetPages();
    this.changes.listChanged(kind);
    if (kind === "resources") this.#watchLists();
  }

  /** Forgets the serialized pages of all lists. */
  forgetPages(): void {
    this.pages.clear();
    this.#access?.clear();
    for (const feature of this.features.with("changed")) feature.changed(this);
  }

  #changed(changed: ResourceChange): void {
    const { changes } = this.facade ?? this;
    if (typeof changed === "string") changes.updated(changed);
    else changes.updatedUnder(changed.prefix);
  }

  #itemsChanged(kind: ListKind, added: Item | undefined): void {
    if (added?.scopes !== undefined || added?.paramScopes !== undefined) {
      this.isRestricted = true;
      if (this.facade !== undefined) this.facade.isRestricted = true;
    }
    if (added !== undefined) this.features.need(added);
    this.listChanged(kind);
    // Entries that a list function adds are no tools, but resources may be.
    if (kind === "resources") this.listChanged("addedTools");
  }

  #listened(listeners: number): void {
    this.#isListenedTo = listeners > 0;
    this.#watchLists();
  }

  /** Runs the watchers of computed lists while a client listens for list changes. */
  #watchLists(): void {
    const wanted = this.#isListenedTo ? this.resources.sources.flatMap(({ item }) => item.watch ?? []) : [];
    this.watchers.holdForLists(new Set(wanted));
  }
}

/**
 * Combines tools, prompts and resources to a server. @throws {UsageError} for invalid options.
 *
 * @example
 * const server = defineServer({
 *   name: "shop",
 *   version: "1.0.0",
 *   instructions: "Orders and customers of the shop.",
 *   tools: [cancelOrder],
 *   resources: [order, customer],
 * });
 * await serveStdio(server);
 */
export function defineServer<
  Tools extends CreatedByDefineTool = never,
  Prompts extends CreatedByDefinePrompt = never,
  Resources extends CreatedByDefineResource | readonly CreatedByDefineResource[] = never,
>(options: ServerOptions<Tools, Prompts, Resources>): Server<Defined<Tools, Prompts, Resources>> {
  return new ServerState(options, REVISIONS);
}

/** Whether a value was created by `defineServer`, of this copy of Proffer or another. */
export function isServer(value: unknown): value is Server {
  return typeof value === "object" && value !== null && BRAND in value;
}

/** The internals of a server, for transports. */
export function stateOf(server: Server): ServerState {
  if (server instanceof ServerState) return server;
  throw new UsageError(
    "This server was not created by defineServer() of this copy of proffer. Is the package installed twice?",
    "wrong_use",
  );
}
