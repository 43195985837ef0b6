import type { Principal } from "../calls/client.ts";
import type { LogLevel } from "../protocol/model.ts";

/** The lists whose changes clients can be notified of. */
export type ListKind = "tools" | "prompts" | "resources";

/** Also the tools that features add for some clients: each listener finds out whether its client has them. */
export type ChangeKind = ListKind | "addedTools";

/** The resource that changed: its URI, or a prefix for all resources whose URI starts with it. */
export type ResourceChange = string | { readonly prefix: string };

export interface ChangeListener {
  /** The caller to whom it belongs, with the permission of the last request. */
  readonly principal?: Principal | undefined;
  listChanged(kind: ChangeKind): void;
  updated(uri: string): void;
  /** Sends a log message that belongs to no request. Absent if the revision of the client has none. */
  logged?(level: LogLevel, text: string): void;
}

/**
 * Notifies listeners of changes, once for all changes of an event-loop turn: ten thousand registrations in a loop are
 * one notification.
 */
export class Changes {
  readonly #listeners = new Set<ChangeListener>();
  readonly #watchers = new Map<string, Set<Pick<ChangeListener, "updated">>>();
  /** The watched URIs that have a query, by the part before the query. */
  readonly #queries = new Map<string, Set<string>>();
  readonly #lists = new Set<ChangeKind>();
  readonly #uris = new Set<string>();
  readonly #onListeners: (count: number) => void;
  #scheduled = false;

  /** Calls `onListeners` with the number of list listeners whenever it changes. */
  constructor(onListeners: (count: number) => void = () => undefined) {
    this.#onListeners = onListeners;
  }

  /** Notifies the listener of list changes until the returned function is called. */
  listen(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    this.#onListeners(this.#listeners.size);
    return () => {
      if (this.#listeners.delete(listener)) this.#onListeners(this.#listeners.size);
    };
  }

  /** Sends a notification to the listeners that want log messages of its level. */
  logged(level: LogLevel, text: string): void {
    for (const listener of [...this.#listeners]) listener.logged?.(level, text);
  }

  /** Notifies the listener of updates to one resource until the returned function is called. */
  watch(uri: string, listener: Pick<ChangeListener, "updated">): () => void {
    const watchers = this.#watchers.get(uri) ?? new Set();
    watchers.add(listener);
    this.#watchers.set(uri, watchers);
    this.#indexQuery(uri, true);
    return () => {
      watchers.delete(listener);
      // A later watch() of the same URI may have replaced the set.
      if (watchers.size > 0 || this.#watchers.get(uri) !== watchers) return;
      this.#watchers.delete(uri);
      this.#indexQuery(uri, false);
    };
  }

  #indexQuery(uri: string, isWatched: boolean): void {
    const mark = uri.indexOf("?");
    if (mark === -1) return;
    const plain = uri.slice(0, mark);
    const uris = this.#queries.get(plain) ?? new Set();
    if (isWatched) uris.add(uri);
    else uris.delete(uri);
    if (uris.size > 0) this.#queries.set(plain, uris);
    else this.#queries.delete(plain);
  }

  listChanged(kind: ChangeKind): void {
    if (this.#listeners.size === 0) return;
    this.#lists.add(kind);
    this.#schedule();
  }

  /** Reports that a resource changed, and with it the same URI with any query. */
  updated(uri: string): void {
    if (this.#watchers.has(uri)) this.#enqueue(uri);
    for (const queried of this.#queries.get(uri) ?? []) this.#enqueue(queried);
  }

  /** Reports that any resource whose URI starts with the prefix may have changed. */
  updatedUnder(prefix: string): void {
    for (const uri of this.#watchers.keys()) {
      if (uri.startsWith(prefix)) this.#enqueue(uri);
    }
  }

  #enqueue(uri: string): void {
    this.#uris.add(uri);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setTimeout(() => this.#flush(), 0);
  }

  #flush(): void {
    this.#scheduled = false;
    // Whoever learns of all tools needs no second notification.
    if (this.#lists.has("tools")) this.#lists.delete("addedTools");
    const lists = [...this.#lists];
    const uris = [...this.#uris];
    this.#lists.clear();
    this.#uris.clear();
    for (const kind of lists) for (const listener of [...this.#listeners]) listener.listChanged(kind);
    for (const uri of uris) for (const listener of [...(this.#watchers.get(uri) ?? [])]) listener.updated(uri);
  }
}
