import type { Call } from "../calls/call.ts";
import { createMiddleware, type Middleware } from "../calls/middleware.ts";
import { Changes, type ListKind, type ResourceChange } from "../catalog/changes.ts";
import { checkName } from "../catalog/names.ts";
import { Registry } from "../catalog/registry.ts";
import type { Prompt } from "../prompts/define.ts";
import type { CacheHints, Icon, Implementation } from "../protocol/model.ts";
import { convert, type Revision } from "../protocol/revisions/revision.ts";
import { REVISIONS, type Revisions } from "../protocol/revisions/table.ts";
import type { Resource } from "../resources/define.ts";
import { ResourceRegistry } from "../resources/registry.ts";
import { Watchers } from "../resources/watch.ts";
import type { SerializedResult } from "../results/serialized.ts";
import { consoleLog, type LogSink, withoutThrowing } from "../support/log.ts";
import { checkKey, createSealer, parseKeys, randomKey, type Sealer } from "../support/seal.ts";
import { UsageError } from "../support/usage-error.ts";
import type { Tool } from "../tools/define.ts";
import { type ServerLimits, toServerLimits } from "./limits.ts";
import { MemoryStore, type Store } from "./store.ts";

export interface ServerOptions {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly description?: string;
  readonly websiteUrl?: string;
  readonly icons?: readonly Icon[];
  /** What a model should know about the server as a whole. */
  readonly instructions?: string;
  /** A list, even an empty one, says that the server has tools; more may be added while it runs. */
  readonly tools?: readonly Tool[];
  readonly prompts?: readonly Prompt[];
  readonly resources?: readonly (Resource | readonly Resource[])[];
  /** Sees everything that goes through: for audits, rate limits, caching. */
  readonly middleware?: Middleware;
  /** How long clients may keep lists and contents. Default: not at all, and for themselves only. */
  readonly cache?: Partial<CacheHints>;
  /** How many entries a page of a list has at most. Default: 1,000. */
  readonly pageSize?: number;
  /** Keys of 32 bytes that seal cursors and the states of questions: the first seals, all open. Default: PROFFER_KEYS, or one for this process. */
  readonly keys?: readonly (Uint8Array | string)[];
  /** Remembers what may happen only once. Default: the memory of this process. */
  readonly store?: Store;
  readonly limits?: ServerLimits;
  /** Where the server's own log goes. Default: one line of JSON each to stderr. */
  readonly log?: LogSink;
}

/** Something that can be changed while the server runs. Clients are told by themselves. */
export interface Collection<Item> extends Iterable<Item> {
  readonly size: number;
  get(key: string): Item | undefined;
  add(item: Item): void;
  remove(key: string): boolean;
}

/** A server: one definition for every revision, transport and client. */
export interface Server {
  readonly info: Implementation;
  readonly tools: Collection<Tool>;
  readonly prompts: Collection<Prompt>;
  readonly resources: Collection<Resource>;
  /**
   * Tells whoever subscribed to the resource, with a query or without, that it changed; or to any whose URI begins with
   * a prefix.
   */
  notify(changed: ResourceChange): void;
}

interface Envelope {
  readonly value: { readonly [key: string]: unknown };
  /** Its JSON without the closing brace. */
  readonly open: string;
  /** The same for a result that asks for something instead. */
  readonly asking: string;
}

const BRAND = Symbol.for("proffer.server");
const PAGE_SIZE = 1000;

/** The server as the rest of Proffer sees it. */
export class ServerState implements Server {
  readonly [BRAND] = true;
  readonly info: Implementation;
  readonly instructions: string | undefined;
  readonly tools: Registry<Tool>;
  readonly prompts: Registry<Prompt>;
  readonly resources: ResourceRegistry;
  readonly changes = new Changes((listeners) => this.#listened(listeners));
  /** What providers run while somebody listens. */
  readonly watchers: Watchers;
  readonly limits: Required<ServerLimits>;
  readonly hints: CacheHints;
  readonly pageSize: number;
  readonly middleware: ReturnType<typeof createMiddleware> | undefined;
  readonly revisions: Revisions;
  readonly store: Store;
  /** Pages of lists, serialised; forgotten when their list changes. */
  readonly pages = new Map<string, SerializedResult>();
  readonly #declared: ReadonlySet<string>;
  readonly log: LogSink;
  readonly #keys: readonly Uint8Array[] | undefined;
  readonly #envelopes = new Map<string, Envelope>();
  #sealer: Sealer | undefined;
  #isListenedTo = false;

  constructor(options: ServerOptions, revisions: Revisions) {
    const { name, version, title, description, websiteUrl, icons } = options;
    checkName(name, "a server");
    if (typeof version !== "string" || version === "")
      throw new UsageError("bad_option", `Server "${name}" needs a version.`);
    this.info = defined({ name, version, title, description, websiteUrl, icons });
    this.instructions = options.instructions;
    this.revisions = revisions;
    this.#declared = new Set(
      (["tools", "prompts", "resources"] as const).filter((kind) => options[kind] !== undefined),
    );
    this.log = options.log === undefined ? consoleLog : withoutThrowing(options.log);
    this.#keys = findKeys(options.keys);
    this.store = options.store ?? new MemoryStore();
    this.hints = { ttlMs: 0, cacheScope: "private", ...options.cache };
    this.pageSize = options.pageSize ?? PAGE_SIZE;
    this.middleware = options.middleware === undefined ? undefined : createMiddleware(options.middleware);
    this.tools = new Registry<Tool>(
      "tool",
      (tool) => tool.name,
      () => this.#changed("tools"),
    );
    this.prompts = new Registry<Prompt>(
      "prompt",
      (prompt) => prompt.name,
      () => this.#changed("prompts"),
    );
    this.watchers = new Watchers({
      updated: (changed) => this.notify(changed),
      listChanged: () => this.#changed("resources"),
      failed: (error) => this.log({ level: "error", message: "A watcher of resources failed", error }),
    });
    this.limits = toServerLimits(options.limits, `Server "${name}"`);
    this.resources = new ResourceRegistry(() => this.#changed("resources"), this.limits);
    for (const tool of options.tools ?? []) this.tools.add(tool);
    for (const prompt of options.prompts ?? []) this.prompts.add(prompt);
    for (const resource of (options.resources ?? []).flat()) this.resources.add(resource as Resource);
    checkHints(this.hints, `Server "${name}"`);
    if (!Number.isInteger(this.pageSize) || this.pageSize < 1) {
      throw new UsageError(
        "bad_option",
        `Server "${name}": pageSize must be a whole number of at least 1, not ${this.pageSize}.`,
      );
    }
  }

  notify(changed: ResourceChange): void {
    if (typeof changed === "string") this.changes.updated(changed);
    else this.changes.updatedUnder(changed.prefix);
  }

  /** Whether the server has what a method needs. */
  offers(capability: "tools" | "prompts" | "resources" | "completions" | "logging"): boolean {
    switch (capability) {
      case "logging":
        return true;
      case "completions":
        return (
          this.resources.completes ||
          [...this.prompts].some((prompt) => [...prompt.arguments.values()].some((argument) => argument.complete))
        );
      default:
        return this.#declared.has(capability) || this[capability].size > 0;
    }
  }

  /** What every result of the revision carries, as a value and as the beginning of its JSON. */
  envelope(revision: Revision, hints: CacheHints | undefined): Envelope | undefined {
    if (revision.envelope === undefined) return undefined;
    const key = hints === undefined ? revision.version : `${revision.version} ${hints.ttlMs} ${hints.cacheScope}`;
    let envelope = this.#envelopes.get(key);
    if (envelope === undefined) {
      const value = revision.envelope(convert(revision, "implementation", this.info), hints);
      const asking = { ...value, resultType: "input_required" };
      envelope = { value, open: JSON.stringify(value).slice(0, -1), asking: JSON.stringify(asking).slice(0, -1) };
      this.#envelopes.set(key, envelope);
    }
    return envelope;
  }

  get sealer(): Sealer {
    this.#sealer ??= createSealer(this.#keys ?? this.#processKey());
    return this.#sealer;
  }

  logError(call: Call, message: string, error: unknown): void {
    const { name, uri } = call.params;
    this.log({ level: "error", message, method: call.method, ...defined({ name: name ?? uri }), error });
  }

  #processKey(): readonly Uint8Array[] {
    this.log({
      level: "info",
      message:
        "PROFFER_KEYS is not set: cursors and the states of questions are sealed with a key of this process and mean nothing to another one. Behind a load balancer, give all processes the same key.",
    });
    return [randomKey()];
  }

  #changed(kind: ListKind): void {
    this.pages.clear();
    this.changes.listChanged(kind);
    if (kind === "resources") this.#watchLists();
  }

  #listened(listeners: number): void {
    this.#isListenedTo = listeners > 0;
    this.#watchLists();
  }

  /** Runs the watchers of computed lists while somebody listens to lists. */
  #watchLists(): void {
    const wanted = this.#isListenedTo ? this.resources.sources.flatMap(({ item }) => item.watch ?? []) : [];
    this.watchers.holdForLists(new Set(wanted));
  }
}

/** Puts tools, prompts and resources together as a server. @throws {UsageError} for what could not be served. */
export function defineServer(options: ServerOptions): Server {
  return new ServerState(options, REVISIONS);
}

/** Whether a value is what `defineServer` returns, from this copy of Proffer or another. */
export function isServer(value: unknown): value is Server {
  return typeof value === "object" && value !== null && BRAND in value;
}

/** The inside of a server, for transports. */
export function stateOf(server: Server): ServerState {
  if (server instanceof ServerState) return server;
  throw new UsageError(
    "wrong_use",
    "This is not a server that defineServer() of this copy of proffer made; is the package installed twice?",
  );
}

/** Refuses hints that a client could not use. */
function checkHints(hints: Partial<CacheHints>, where: string): void {
  const { ttlMs = 0, cacheScope = "private" } = hints;
  if (!Number.isInteger(ttlMs) || ttlMs < 0)
    throw new UsageError(
      "bad_option",
      `${where}: cache.ttlMs must be a whole number of milliseconds from 0, not ${ttlMs}.`,
    );
  if (cacheScope !== "public" && cacheScope !== "private")
    throw new UsageError("bad_option", `${where}: cache.cacheScope must be "public" or "private".`);
}

/** The object without keys that are undefined. */
function defined<Value extends object>(value: Value): { [Key in keyof Value]: Exclude<Value[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as never;
}

/** The keys that were given, as options or in the environment. A bad one must be noticed at the start. */
function findKeys(given: ServerOptions["keys"]): readonly Uint8Array[] | undefined {
  if (given !== undefined) return given.flatMap((key) => (typeof key === "string" ? parseKeys(key) : [checkKey(key)]));
  const { process } = globalThis as { process?: { env?: { PROFFER_KEYS?: string } } };
  const text = process?.env?.PROFFER_KEYS;
  return text ? parseKeys(text) : undefined;
}
