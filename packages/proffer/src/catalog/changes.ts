/** The lists whose change clients may want to hear of. */
export type ListKind = "tools" | "prompts" | "resources";

/** What changed: the resource of a URI, or any whose URI begins with a prefix. */
export type ResourceChange = string | { readonly prefix: string };

export interface ChangeListener {
  listChanged(kind: ListKind): void;
  updated(uri: string): void;
}

/**
 * Spreads changes to whoever listens. Changes that happen in one turn of the event loop are told once: ten thousand
 * registrations in a loop are one notification.
 */
export class Changes {
  readonly #listeners = new Set<ChangeListener>();
  readonly #watchers = new Map<string, Set<ChangeListener>>();
  /** The watched URIs that have a query, by what stands before it. */
  readonly #queries = new Map<string, Set<string>>();
  readonly #lists = new Set<ListKind>();
  readonly #uris = new Set<string>();
  readonly #heard: (listeners: number) => void;
  #scheduled = false;

  /** `heard` is told how many listen to lists, whenever that changes. */
  constructor(heard: (listeners: number) => void = () => undefined) {
    this.#heard = heard;
  }

  /** Hears of list changes until the returned function is called. */
  listen(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    this.#heard(this.#listeners.size);
    return () => {
      if (this.#listeners.delete(listener)) this.#heard(this.#listeners.size);
    };
  }

  /** Hears of updates of one resource until the returned function is called. */
  watch(uri: string, listener: ChangeListener): () => void {
    const watchers = this.#watchers.get(uri) ?? new Set();
    watchers.add(listener);
    this.#watchers.set(uri, watchers);
    this.#noteQuery(uri, true);
    return () => {
      watchers.delete(listener);
      // Another set may have taken its place since.
      if (watchers.size > 0 || this.#watchers.get(uri) !== watchers) return;
      this.#watchers.delete(uri);
      this.#noteQuery(uri, false);
    };
  }

  #noteQuery(uri: string, isWatched: boolean): void {
    const mark = uri.indexOf("?");
    if (mark === -1) return;
    const plain = uri.slice(0, mark);
    const uris = this.#queries.get(plain) ?? new Set();
    if (isWatched) uris.add(uri);
    else uris.delete(uri);
    if (uris.size > 0) this.#queries.set(plain, uris);
    else this.#queries.delete(plain);
  }

  listChanged(kind: ListKind): void {
    if (this.#listeners.size === 0) return;
    this.#lists.add(kind);
    this.#schedule();
  }

  /** Says that a resource changed: then it did with every query. */
  updated(uri: string): void {
    if (this.#watchers.has(uri)) this.#tell(uri);
    for (const queried of this.#queries.get(uri) ?? []) this.#tell(queried);
  }

  /** Says that everything whose URI begins so may have changed. */
  updatedUnder(prefix: string): void {
    for (const uri of this.#watchers.keys()) {
      if (uri.startsWith(prefix)) this.#tell(uri);
    }
  }

  #tell(uri: string): void {
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
    const lists = [...this.#lists];
    const uris = [...this.#uris];
    this.#lists.clear();
    this.#uris.clear();
    for (const kind of lists) for (const listener of [...this.#listeners]) listener.listChanged(kind);
    for (const uri of uris) for (const listener of [...(this.#watchers.get(uri) ?? [])]) listener.updated(uri);
  }
}
