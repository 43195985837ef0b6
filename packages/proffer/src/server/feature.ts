import type { Call, Method } from "../calls/call.ts";
import type { Client } from "../calls/client.ts";
import type { Item } from "../catalog/access.ts";
import type { ResourceChange } from "../catalog/changes.ts";
import type { Entry } from "../catalog/registry.ts";
import type { JsonObject } from "../protocol/messages.ts";
import type { Revision } from "../protocol/revisions/revision.ts";
import type { Listening } from "../resources/subscriptions.ts";
import type { Tool } from "../tools/define.ts";
import type { RunOtherwise } from "../tools/methods.ts";
import type { ServerState } from "./server.ts";

/** Does the work of a call: returns its result or a promise of it, or throws. */
export type Work = (call: Call) => unknown;

/** Capabilities that a feature adds. Those of several features are united. */
export interface ServerCapabilities {
  readonly extensions?: { readonly [name: string]: object };
  readonly experimental?: { readonly [name: string]: object };
}

/** Entries of a list that only some clients get. */
export interface AddedEntries {
  /** The same for the same entries: pages are remembered by it. */
  readonly key: string;
  readonly entries: readonly Entry<Item>[];
}

/**
 * An optional feature or an extension of the protocol: the hooks by which it takes part in a server. It is one object for
 * all servers, keeps its state by server, and is loaded by the first server or call that needs it (`features.ts`).
 */
export interface Feature {
  /** Requests that exist only with the feature, by name. */
  readonly methods?: { readonly [method: string]: Method };
  /** Called once for a server, before its first request. @throws {UsageError} if the server cannot be served. */
  attach?(server: ServerState): void;
  /** Its part of the server's capabilities for the clients of a revision. */
  capabilities?(server: ServerState, revision: Revision): ServerCapabilities | undefined;
  /** Whether it may have tools for a client, beside those of the author. */
  addsTools?(server: ServerState, client: Client | undefined): boolean;
  /** The entries that it adds to a list, such as "tools", for the client of a call. */
  list?(call: Call, list: string): AddedEntries | undefined;
  /** The tool that it adds under that name for the client of a call. */
  findTool?(call: Call, name: string): Tool | undefined;
  /** Before the caller's access is checked: it may replace the parameters. */
  before?(call: Call): void;
  /** Around everything that is done for a call; the first feature of the table is outermost. */
  around?(call: Call, work: Work): unknown;
  /** Before the arguments of a tool are read: returns how it runs the tool, or undefined. */
  runTool?(call: Call, tool: Tool): RunOtherwise | undefined;
  /** `ctx.background()`: continues a call without its request, if its client permits. Returns false if the item does not. */
  background?(call: Call): Promise<boolean>;
  /** Serves its part of the filter of a subscription. */
  listen?(
    call: Call,
    filter: JsonObject,
    notify: (method: string, params: object) => void,
  ): Promise<Listening | undefined>;
  /** The lists or the visible items of a server have changed. */
  changed?(server: ServerState): void;
  /** The author says that a resource has changed. */
  notified?(server: ServerState, changed: ResourceChange): void;
  /** The server is served from now on: before `onStart`. A server that was closed may be opened again. */
  open?(server: ServerState): void;
  /**
   * Work beside calls begins to end: takes no more of it at once, and resolves when the rest has ended or was handed over
   * to other nodes, which must take less than that many milliseconds. Also called with 0, before `onStop`.
   */
  drain?(server: ServerState, milliseconds: number): Promise<void>;
  /** The last transport has closed, and `onStop` has run. */
  close?(server: ServerState): Promise<void>;
  /** Loads its part for HTTP endpoints, an `HttpFeature`: the server does not know its transports. */
  loadHttp?(): Promise<unknown>;
}

/** When a feature is needed, and how its code is loaded. */
export interface FeatureRow {
  /** Asked when a server is defined, and whenever an item is added to it. */
  isNeeded(server: ServerState, added?: Item): boolean;
  /** Whether a call needs it although its server does not. */
  isNeededBy?(call: Call): boolean;
  /** Whether its part of an answer depends on the client, loaded or not: a shared cache must not give it to others. */
  dependsOnClient?(call: Call): boolean;
  /** It does something when a server is opened or closed. */
  readonly hasLifespan?: true;
  /** Before the server is served. @throws {UsageError} for options that contradict each other. */
  check?(server: ServerState): void;
  load(): Promise<{ readonly feature: Feature }>;
}
