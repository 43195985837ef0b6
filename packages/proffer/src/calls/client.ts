import { RpcError } from "../protocol/errors.ts";
import { isObject, type JsonObject } from "../protocol/messages.ts";
import { type ClientCapabilities, type Implementation, isLoud, LOG_LEVELS, type LogLevel } from "../protocol/model.ts";
import type { Revision } from "../protocol/revisions/revision.ts";
import type { Revisions } from "../protocol/revisions/table.ts";
import { ToolError } from "../results/content.ts";
import { type ClientProfile, profileOf } from "./client-profile.ts";

/** The client of a call, as it described itself. Use it to adapt output, never to grant access. */
export interface Client {
  readonly info: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** The protocol revision of the request, such as "2025-06-18". */
  readonly revision: string;
  /** The known facts about clients of this name; undefined for others. A client can have any name. */
  readonly profile: ClientProfile | undefined;
}

/** The profile is looked up when it is read, and is no part of the JSON form that `Access` remembers clients by. */
export class DescribedClient implements Client {
  readonly info: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  readonly revision: string;
  #profile: ClientProfile | undefined | null = null;

  constructor(info: Implementation | undefined, capabilities: ClientCapabilities, { version }: Revision) {
    this.info = info;
    this.capabilities = capabilities;
    this.revision = version;
  }

  get profile(): ClientProfile | undefined {
    if (this.#profile === null) this.#profile = profileOf(this.info);
    return this.#profile;
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

/** The `_meta` keys of the envelope: they describe the client in a request, and the subscription in a notification. */
export const META = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  logLevel: "io.modelcontextprotocol/logLevel",
  subscriptionId: "io.modelcontextprotocol/subscriptionId",
} as const;

/** Whether a request names its revision. Only the body decides, never the connection or a header. */
export function hasEnvelope(params: JsonObject | undefined): params is JsonObject {
  const meta = params?._meta;
  return isObject(meta) && Object.hasOwn(meta, META.protocolVersion);
}

/** The revision that a request names. @throws {RpcError} if the envelope is invalid or the version unsupported. */
export function envelopeRevision(params: JsonObject, revisions: Revisions): Revision {
  const meta = params._meta as JsonObject;
  const version = meta[META.protocolVersion];
  if (typeof version !== "string") throw incomplete(META.protocolVersion, "a version such as 2026-07-28");
  const revision = revisions.get(version);
  if (revision === undefined || revision.handshake) {
    const message = `Unsupported protocol version ${JSON.stringify(version.slice(0, 64))} in params._meta.`;
    const data = { supported: revisions.stateless, requested: version };
    throw new RpcError("unsupported_version", message, { data });
  }
  checkEnvelope(meta);
  return revision;
}

/** Checks the envelope of a request besides its version. @throws {RpcError} for a missing or invalid key. */
export function checkEnvelope(meta: JsonObject): void {
  if (!isObject(meta[META.clientCapabilities]))
    throw incomplete(META.clientCapabilities, "an object, which may be empty");
  const level = meta[META.logLevel];
  if (level !== undefined && !(LOG_LEVELS as readonly unknown[]).includes(level)) {
    throw incomplete(META.logLevel, `one of ${LOG_LEVELS.join(", ")}`);
  }
}

function incomplete(key: string, expected: string): RpcError {
  return new RpcError("invalid_params", `params._meta["${key}"] must be ${expected}.`);
}

/** Who is calling, as the transport's `authenticate` said. */
export interface Principal {
  /** Identifies the caller: sessions, cursors and states are bound to it. */
  readonly id: string;
  /**
   * Who counts for shares and limits, if one caller has several ids, such as one for each client. It never authorizes.
   * Default: the id.
   */
  readonly caller?: string;
  /** The permissions of the caller. Items with other scopes are refused. */
  readonly scopes?: readonly string[];
  /** When the permission ends, in milliseconds since 1970: streams of the caller end then. Default: never. */
  readonly expires?: number;
  readonly [detail: string]: unknown;
}

/** The required capabilities that the client did not declare; undefined if it declared all of them. */
export function missingCapabilities(
  required: ClientCapabilities,
  declared: ClientCapabilities,
): ClientCapabilities | undefined {
  const missing: Record<string, object> = {};
  for (const [name, modes] of Object.entries(required) as [keyof ClientCapabilities, object][]) {
    const offered = declared[name] as Record<string, unknown> | undefined;
    if (typeof offered !== "object" || offered === null) {
      missing[name] = modes;
      continue;
    }
    const absent = Object.keys(modes).filter((mode) => offered[mode] === undefined && !implied(name, mode, offered));
    if (absent.length > 0) missing[name] = Object.fromEntries(absent.map((mode) => [mode, {}]));
  }
  return Object.keys(missing).length === 0 ? undefined : missing;
}

/** `elicitation: {}` was the whole declaration before modes existed, and still means forms. */
function implied(name: string, mode: string, offered: Record<string, unknown>): boolean {
  return name === "elicitation" && mode === "form" && offered.url === undefined;
}

/** The error for a client that did not declare a required capability. */
export function missingCapability(
  revision: Revision,
  missing: ClientCapabilities,
  what: string,
  why = "this client did not declare it",
): Error {
  const names = Object.keys({ ...missing, ...missing.extensions }).filter((name) => name !== "extensions");
  const message = `${what} requires a client that supports ${names.join(" and ")}; ${why}.`;
  if (!revision.capabilityErrors) return new ToolError(message);
  return new RpcError("missing_capability", message, { data: { requiredCapabilities: missing } });
}
