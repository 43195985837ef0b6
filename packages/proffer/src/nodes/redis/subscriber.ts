import { UsageError } from "../../support/usage-error.ts";
import { has } from "./client.ts";

/** Receives what happens to a connection for subscriptions. */
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
      "bad_option",
      "redis(client): with a cluster, pass a client of one of its servers as the option subscriber.",
    );
  }
  if (!has(source, "duplicate")) {
    throw new UsageError("bad_option", "redis(client, options): the client for subscriptions has no method duplicate.");
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
    const timer = setTimeout(() => void check(), GLIDE_CHECK);
    (timer as { unref?: () => void }).unref?.();
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
