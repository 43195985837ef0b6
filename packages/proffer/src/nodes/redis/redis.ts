import { UsageError } from "../../support/usage-error.ts";
import type { Bus, SharedStore } from "../ports.ts";
import { RedisBus } from "./bus.ts";
import { has, openSubscriber, type RedisClient, senderOf, subscriberOf } from "./client.ts";
import { Commands } from "./commands.ts";
import { reporter } from "./failures.ts";
import type { GuardLimits } from "./limited-calls.ts";
import { RedisStore } from "./store.ts";

/** A store and a bus in Redis or Valkey, for the option `cluster` of a server. */
export interface RedisCluster {
  readonly store: SharedStore;
  readonly bus: Bus;
  /** Closes the connections that Proffer opened beside `client`, which stays open. */
  close(): void;
}

/**
 * Creates a store and a bus on Redis ≥ 7 or Valkey. The client is one of ioredis, iovalkey, node-redis or valkey-glide;
 * it stays the author's, who connects and closes it. @throws {UsageError}
 */
export function redis(client: RedisClient, options: RedisOptions = {}): RedisCluster {
  const limits = checkOptions(options);
  const commands = new Commands(senderOf(client), limits);
  const subscriber = subscriberOf(client, options.subscriber);
  const report = reporter(options.onError);
  const replicated = limits.durability === "replicated" ? new ReplicatedConnection(client, limits) : undefined;
  const bus = new RedisBus(commands, limits.prefix, (events) => openSubscriber(subscriber, events), report);
  return {
    store: new RedisStore(commands, limits, replicated && (() => replicated.commands)),
    bus,
    close: () => {
      bus.close();
      replicated?.close();
    },
  };
}

interface Duplicable {
  duplicate(options?: object): RedisClient & { on(event: string, listener: () => void): void };
}

/** ioredis would send a WAIT alone again after a failover: to a server that does not have the change before it. */
const NOT_AGAIN = { autoResendUnfulfilledCommands: false };

/** The connection for changes that a replica must confirm, opened with the first one: WAIT blocks a connection. */
class ReplicatedConnection {
  readonly #client: RedisClient;
  readonly #limits: GuardLimits;
  #own: RedisClient | undefined;
  #commands: Commands | undefined;

  constructor(client: RedisClient, limits: GuardLimits) {
    if (has(client, "call") && has(client, "nodes")) {
      throw new UsageError(
        "bad_option",
        'redis(client, options): durability "replicated" does not work with a cluster of ioredis, which sends WAIT to any server.',
      );
    }
    this.#client = client;
    this.#limits = limits;
  }

  get commands(): Commands {
    this.#commands ??= new Commands(senderOf(this.#open()), this.#limits);
    return this.#commands;
  }

  close(): void {
    if (has(this.#own, "disconnect")) this.#own.disconnect();
    else if (has(this.#own, "destroy")) this.#own.destroy();
  }

  /** valkey-glide cannot be duplicated: its one connection is used. */
  #open(): RedisClient {
    if (!has(this.#client, "duplicate")) return this.#client;
    const client = this.#client as unknown as Duplicable;
    this.#own = has(client, "call") ? client.duplicate(NOT_AGAIN) : client.duplicate();
    (this.#own as ReturnType<Duplicable["duplicate"]>).on("error", () => {});
    if (!has(this.#own, "call") && has(this.#own, "connect")) {
      (this.#own as unknown as { connect(): Promise<unknown> }).connect().catch(() => {});
    }
    return this.#own;
  }
}

/** Options of `redis`. */
export interface RedisOptions {
  /** The beginning of all keys and channels: servers that share a Redis need different ones. Default: "proffer". */
  readonly prefix?: string;
  /** Milliseconds in which each command must be answered. Default: 1,000. */
  readonly commandTimeout?: number;
  /** Commands that may wait for their replies at once; more are refused. Default: 10,000. */
  readonly maxInFlight?: number;
  /**
   * "replicated": changes that must not be lost, such as the creation of a task, are answered when a replica has them
   * too, and fail if none confirms within half a second. Default: "local".
   */
  readonly durability?: "local" | "replicated";
  /**
   * A client whose connection settings are used for subscriptions. Needed with a cluster; otherwise `client` is
   * duplicated. valkey-glide: a client without a callback for messages.
   */
  readonly subscriber?: RedisClient;
  /** Receives errors that a listener of the bus throws. Default: they are ignored. */
  readonly onError?: (error: unknown) => void;
}

/** @throws {UsageError} */
export function checkOptions(options: RedisOptions): Required<Omit<RedisOptions, "subscriber" | "onError">> {
  const { prefix = "proffer", commandTimeout = 1_000, maxInFlight = 10_000, durability = "local" } = options;
  if (typeof prefix !== "string" || prefix === "" || prefix.length > 200) {
    throw bad(`prefix must be a text of 1 to 200 characters, not ${JSON.stringify(prefix)}.`);
  }
  for (const [name, value] of Object.entries({ commandTimeout, maxInFlight })) {
    // The longest time of a timer.
    if (Number.isInteger(value) && value > 0 && value < 2 ** 31) continue;
    throw bad(`${name} must be a positive whole number, not ${JSON.stringify(value)}.`);
  }
  if (durability !== "local" && durability !== "replicated") {
    throw bad(`durability must be "local" or "replicated", not ${JSON.stringify(durability)}.`);
  }
  return { prefix, commandTimeout, maxInFlight, durability };
}

function bad(text: string): UsageError {
  return new UsageError("bad_option", `redis(client, options): ${text}`);
}
