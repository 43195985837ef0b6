import type { ClientCapabilities, Implementation, LogLevel } from "../protocol/model.ts";
import type { Revision } from "../protocol/revisions/revision.ts";

/** The client of a call, as it described itself. Convenient for adapting output; no ground for trusting anyone. */
export interface Client {
  readonly info: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** The protocol revision spoken, such as "2025-06-18". */
  readonly revision: string;
}

/** What a handler may keep between the calls of one client, where the revision has sessions. */
export interface Session {
  readonly id: string;
  get(key: string): unknown;
  set(key: string, value: unknown): void;
  delete(key: string): boolean;
}

/** All that the handshake of one client agreed on, and what it asked for since. */
export class SessionState implements Session {
  readonly revision: Revision;
  readonly client: Client;
  logLevel: LogLevel | undefined;
  /** The client said that it is ready to hear from the server. */
  ready = false;
  #data: Map<string, unknown> | undefined;
  #watched: Map<string, () => void> | undefined;

  #id: string | undefined;

  /** Without an id, the session gets one when somebody asks: where none travels, hardly anybody does. */
  constructor(revision: Revision, client: Client, id?: string) {
    this.revision = revision;
    this.client = client;
    this.#id = id;
  }

  get id(): string {
    // Random numbers are the slowest part of a start: Node loads all of its cryptography for them.
    this.#id ??= crypto.randomUUID();
    return this.#id;
  }

  get(key: string): unknown {
    return this.#data?.get(key);
  }

  set(key: string, value: unknown): void {
    this.#data ??= new Map();
    this.#data.set(key, value);
  }

  delete(key: string): boolean {
    return this.#data?.delete(key) ?? false;
  }

  /** Remembers how to stop watching a resource; false if it is watched already. */
  watch(uri: string, start: () => () => void): void {
    this.#watched ??= new Map();
    if (!this.#watched.has(uri)) this.#watched.set(uri, start());
  }

  unwatch(uri: string): void {
    this.#watched?.get(uri)?.();
    this.#watched?.delete(uri);
  }

  get watchedCount(): number {
    return this.#watched?.size ?? 0;
  }

  close(): void {
    for (const stop of this.#watched?.values() ?? []) stop();
    this.#watched = undefined;
  }
}
