import { type ClientProfile, profileOf } from "../profiles/known.ts";
import { type ClientCapabilities, type Implementation, isLoud, type LogLevel } from "../protocol/model.ts";
import type { Revision } from "../protocol/revisions/revision.ts";

/** The client of a call, as it described itself. Use it to adapt output, never to grant access. */
export interface Client {
  readonly info: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** The protocol revision of the request, such as "2025-06-18". */
  readonly revision: string;
  /** What is known about clients of this name; undefined for others. A client can have any name. */
  readonly profile: ClientProfile | undefined;
}

/** The profile is looked up when it is read, and is no part of the JSON form that `Access` remembers clients by. */
export class DescribedClient implements Client {
  readonly info: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  readonly revision: string;

  constructor(info: Implementation | undefined, capabilities: ClientCapabilities, { version }: Revision) {
    this.info = info;
    this.capabilities = capabilities;
    this.revision = version;
  }

  get profile(): ClientProfile | undefined {
    return profileOf(this.info);
  }
}

/** Data that a handler keeps between the calls of one client, on revisions with sessions. */
export interface Session {
  readonly id: string;
  get(key: string): unknown;
  set(key: string, value: unknown): void;
  delete(key: string): boolean;
}

/** The result of one client's handshake, its subscriptions and its log level. */
export class SessionState implements Session {
  readonly revision: Revision;
  readonly client: Client;
  logLevel: LogLevel | undefined;
  /** The client sent `notifications/initialized`. */
  ready = false;
  /** Called once when the session closes. */
  onClose: (() => void) | undefined;
  #data: Map<string, unknown> | undefined;
  #watched: Map<string, () => void> | undefined;

  #id: string | undefined;

  /** Without an id, one is created on first access: over stdio the id is not sent, and few handlers read it. */
  constructor(revision: Revision, client: Client, id?: string) {
    this.revision = revision;
    this.client = client;
    this.#id = id;
  }

  get id(): string {
    // Not at the start: the first random number makes Node load its cryptography.
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

  /** Whether the client wants log messages of this level. Without `logging/setLevel`, the server decides. */
  wants(level: LogLevel): boolean {
    return isLoud(level, this.logLevel ?? "info");
  }

  /** Starts to watch a resource, unless it is watched already. */
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
    this.onClose?.();
    this.onClose = undefined;
  }
}
