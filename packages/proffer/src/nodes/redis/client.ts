import { unref } from "../../support/async.ts";
import { UsageError } from "../../support/usage-error.ts";

/** A client of ioredis or iovalkey, or a cluster of it. */
export interface CallClient {
  call(command: string, ...args: string[]): Promise<unknown>;
}

/** A client of node-redis (the package `redis`). */
export interface SendCommandClient {
  sendCommand(args: string[]): Promise<unknown>;
}

/** A cluster of node-redis. */
export interface ClusterClient {
  readonly slots: unknown;
  sendCommand(firstKey: string | undefined, isReadonly: boolean | undefined, args: string[]): Promise<unknown>;
}

/** A client of valkey-glide, or a cluster of it. */
export interface CustomCommandClient {
  customCommand(args: string[]): Promise<unknown>;
}

/** A client of Redis or Valkey: ioredis, iovalkey, node-redis or valkey-glide. */
export type RedisClient = CallClient | SendCommandClient | ClusterClient | CustomCommandClient;

/** Sends a command whose first key is known: a cluster finds the server by it. */
export type Send = (key: string | undefined, args: string[]) => Promise<unknown>;

/** The decoder of valkey-glide that returns texts, whatever the client's default is. */
const TEXTS = { decoder: 1 };

/** Returns the function that sends commands through a client. The library is recognized by its methods. */
export function senderOf(client: RedisClient): Send {
  if (has(client, "customCommand")) {
    const glide = client as { customCommand(args: string[], options: object): Promise<unknown> };
    return (_, args) => glide.customCommand(args, TEXTS);
  }
  // Before `sendCommand`, which ioredis also has, with another meaning.
  if (has(client, "call")) return (_, args) => (client as CallClient).call(...(args as [string, ...string[]]));
  if (has(client, "sendCommand")) {
    if ("slots" in client) return (key, args) => (client as ClusterClient).sendCommand(key, false, args);
    return (_, args) => (client as SendCommandClient).sendCommand(args);
  }
  throw new UsageError(
    "redis(client): this is not a client of ioredis, iovalkey, node-redis or valkey-glide. It has none of the methods " +
      "call, sendCommand and customCommand.",
    "wrong_use",
  );
}

/** Returns whether a value has a method of this name. */
export function has<Name extends string>(
  value: unknown,
  name: Name,
): value is Record<Name, (...args: never[]) => unknown> {
  return typeof (value as Record<string, unknown> | null | undefined)?.[name] === "function";
}

/** Receives the events of a connection for subscriptions. */
export interface SubscriberEvents {
  heard(channel: string, message: string): void;
  /** The connection is ready, for the first time or again: subscriptions before it may have missed messages. */
  ready(): void;
}

/** A connection for subscriptions. */
export interface Subscriber {
  /** Resolves when messages of these channels arrive. Called only after `ready`. */
  subscribe(channels: readonly string[]): Promise<unknown>;
  unsubscribe(channels: readonly string[]): Promise<unknown>;
  close(): void;
}

/** Finds the client for subscriptions. At start: later, nobody would be there to read the error. @throws {UsageError} */
export function subscriberOf(client: unknown, given: unknown): unknown {
  const source = given ?? client;
  if (has(source, "customCommand")) return source;
  // A cluster has its own connections for subscriptions, whose gaps cannot be seen.
  if (given === undefined && (has(client, "nodes") || "slots" in (client as object))) {
    throw new UsageError(
      "redis(client): with a cluster, pass a client of one of its servers as the option subscriber.",
    );
  }
  if (!has(source, "duplicate")) {
    throw new UsageError("redis(client, options): the client for subscriptions has no method duplicate.");
  }
  return source;
}

/** Opens a connection for subscriptions with the settings of a client; valkey-glide uses its own. */
export function openSubscriber(source: unknown, events: SubscriberEvents): Subscriber {
  if (has(source, "customCommand")) return glideSubscriber(source as unknown as Glide, events);
  if (has(source, "call")) return ioredisSubscriber(source as unknown as Ioredis, events);
  return nodeRedisSubscriber(source as unknown as NodeRedis, events);
}

interface Ioredis {
  readonly status: string;
  duplicate(options: object): Ioredis;
  on(event: string, listener: (...args: never[]) => void): void;
  subscribe(...channels: string[]): Promise<unknown>;
  unsubscribe(...channels: string[]): Promise<unknown>;
  disconnect(): void;
}

function ioredisSubscriber(client: Ioredis, events: SubscriberEvents): Subscriber {
  const own = client.duplicate({
    // The bus subscribes again when the connection is ready: only then it knows when messages arrive again.
    autoResubscribe: false,
    lazyConnect: false,
    enableReadyCheck: true,
    maxRetriesPerRequest: null,
    retryStrategy: (attempts: number) => Math.min(attempts * 50, 2_000),
  });
  own.on("error", () => {});
  own.on("ready", () => events.ready());
  own.on("message", (channel: string, message: string) => events.heard(channel, message));
  return {
    subscribe: (channels) => own.subscribe(...channels),
    unsubscribe: (channels) => own.unsubscribe(...channels),
    close: () => own.disconnect(),
  };
}

interface NodeRedis {
  readonly isReady: boolean;
  duplicate(): NodeRedis;
  on(event: string, listener: (...args: never[]) => void): void;
  connect(): Promise<unknown>;
  subscribe(channels: readonly string[], listener: (message: string, channel: string) => void): Promise<unknown>;
  unsubscribe(channels: readonly string[]): Promise<unknown>;
  destroy(): void;
}

function nodeRedisSubscriber(client: NodeRedis, events: SubscriberEvents): Subscriber {
  const own = client.duplicate();
  const heard = (message: string, channel: string) => events.heard(channel, message);
  own.on("error", () => {});
  // The library subscribes again before it is ready.
  own.on("ready", () => events.ready());
  own.connect().catch(() => {});
  return {
    subscribe: (channels) => own.subscribe(channels, heard),
    unsubscribe: (channels) => own.unsubscribe(channels),
    close: () => own.destroy(),
  };
}

interface Glide {
  customCommand(args: string[]): Promise<unknown>;
  subscribe(channels: readonly string[], timeout: number): Promise<unknown>;
  unsubscribe(channels: readonly string[], timeout: number): Promise<unknown>;
  getPubSubMessage(): Promise<{ readonly channel: unknown; readonly message: unknown }>;
}

/** Milliseconds between two checks whether valkey-glide, which has no events, has connected anew. */
const GLIDE_CHECK = 500;

/** Milliseconds in which a subscription must be confirmed. */
const CONFIRMATION = 5_000;

/** valkey-glide receives messages and replies over one connection (RESP3), so it needs no other. */
function glideSubscriber(client: Glide, events: SubscriberEvents): Subscriber {
  let closed = false;
  let connection: unknown;
  const check = async () => {
    const current = await client.customCommand(["CLIENT", "ID"]).catch(() => undefined);
    if (closed) return;
    if (current !== undefined && current !== connection) {
      connection = current;
      events.ready();
    }
    unref(setTimeout(() => void check(), GLIDE_CHECK));
  };
  const listen = async () => {
    while (!closed) {
      const { channel, message } = await client.getPubSubMessage();
      events.heard(String(channel), String(message));
    }
  };
  void check();
  // Rejects when the client is closed.
  listen().catch(() => {
    closed = true;
  });
  return {
    subscribe: (channels) => client.subscribe(channels, CONFIRMATION),
    unsubscribe: (channels) => client.unsubscribe(channels, CONFIRMATION),
    close: () => {
      closed = true;
    },
  };
}
