import { unref } from "../../support/async.ts";
import { randomText } from "../../support/bytes.ts";
import { badOption, UsageError } from "../../support/usage-error.ts";
import type { Bus, BusListener, SharedStore } from "../ports.ts";
import { Topics } from "../topics.ts";
import {
  has,
  openSubscriber,
  type RedisClient,
  type Subscriber,
  type SubscriberEvents,
  subscriberOf,
} from "./client.ts";
import { type CommandLimits, Commands, reporter } from "./commands.ts";
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
 * the author connects and closes it. @throws {UsageError}
 */
export function redis(client: RedisClient, options: RedisOptions = {}): RedisCluster {
  const limits = checkOptions(options);
  const commands = new Commands(client, limits);
  const subscriber = subscriberOf(client, options.subscriber);
  const report = reporter(options.onError);
  const replicated = limits.durability === "replicated" ? openReplicated(client, limits) : undefined;
  const bus = new RedisBus(commands, limits.prefix, (events) => openSubscriber(subscriber, events), report);
  return {
    store: new RedisStore(commands, limits, replicated?.commands),
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
function openReplicated(client: RedisClient, limits: CommandLimits): { commands(): Commands; close(): void } {
  if (has(client, "call") && has(client, "nodes")) {
    throw new UsageError(
      'redis(client, options): durability "replicated" does not work with a cluster of ioredis, which sends WAIT to any server.',
    );
  }
  let own: RedisClient | undefined;
  let commands: Commands | undefined;
  return {
    commands() {
      // valkey-glide cannot be duplicated: its one connection is used.
      own ??= has(client, "duplicate") ? duplicate(client as unknown as Duplicable) : undefined;
      commands ??= new Commands(own ?? client, limits);
      return commands;
    },
    close() {
      if (has(own, "disconnect")) own.disconnect();
      else if (has(own, "destroy")) own.destroy();
    },
  };
}

function duplicate(client: Duplicable): RedisClient {
  const own = has(client, "call") ? client.duplicate(NOT_AGAIN) : client.duplicate();
  own.on("error", () => {});
  if (!has(own, "call") && has(own, "connect")) {
    (own as unknown as { connect(): Promise<unknown> }).connect().catch(() => {});
  }
  return own;
}

/** Options of `redis`. */
export interface RedisOptions {
  /** The beginning of all keys and channels, before the name of the server. Default: "proffer". */
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

const WHERE = "redis(client, options)";

/** @throws {UsageError} */
export function checkOptions(options: RedisOptions): Required<Omit<RedisOptions, "subscriber" | "onError">> {
  const { prefix = "proffer", commandTimeout = 1_000, maxInFlight = 10_000, durability = "local" } = options;
  if (typeof prefix !== "string" || prefix === "" || prefix.length > 200) {
    throw badOption(WHERE, "prefix", "a text of 1 to 200 characters", prefix);
  }
  for (const [name, value] of Object.entries({ commandTimeout, maxInFlight })) {
    // The longest time of a timer.
    if (Number.isInteger(value) && value > 0 && value < 2 ** 31) continue;
    throw badOption(WHERE, name, "a positive whole number", value);
  }
  if (durability !== "local" && durability !== "replicated") {
    throw badOption(WHERE, "durability", '"local" or "replicated"', durability);
  }
  return { prefix, commandTimeout, maxInFlight, durability };
}

/** Milliseconds before a subscription that failed is tried again. */
const RETRY = 500;

/** The topics of one command. */
const BATCH = 1_000;

/** Milliseconds between two messages of the bus to itself. */
const HEARTBEAT = 10_000;

/** A bus over PUBLISH and SUBSCRIBE. The connection for subscriptions is opened with the first one. */
export class RedisBus implements Bus, SubscriberEvents {
  readonly #commands: Commands;
  readonly #prefix: string;
  readonly #open: (events: SubscriberEvents) => Subscriber;
  readonly #topics: Topics;
  #subscriber: Subscriber | undefined;
  /** Counts connections: the confirmations of an earlier one mean nothing. */
  #connection = 0;
  /** The topics that the connection is subscribed to. */
  #active = new Set<string>();
  /** Topics to subscribe to or unsubscribe from. */
  #dirty = new Set<string>();
  /** The connection whose subscriptions are being changed. */
  #changing = 0;
  /** The messages to itself that were sent since one was heard. */
  #unheard = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(
    commands: Commands,
    prefix: string,
    open: (events: SubscriberEvents) => Subscriber,
    failed: (error: unknown) => void,
  ) {
    this.#commands = commands;
    this.#prefix = `${prefix}:b:`;
    this.#open = open;
    this.#topics = new Topics(failed);
  }

  async publish(topic: string, message: string): Promise<void> {
    await this.#commands.run(undefined, ["PUBLISH", this.#prefix + topic, message]);
  }

  subscribe(topic: string, listener: BusListener): () => void {
    const leave = this.#topics.add(topic, listener, () => this.#changed(topic));
    if (this.#subscriber === undefined) this.#start();
    this.#changed(topic);
    return leave;
  }

  /**
   * Opens the connection, and sends itself a message now and then: a connection that is only read from can be dead for
   * hours without an error, for example behind a router that has forgotten it.
   */
  #start(): void {
    const heartbeat = `heartbeat ${randomText(9)}`;
    this.#topics.add(heartbeat, {
      heard: () => {
        this.#unheard = 0;
      },
      missed: () => {},
    });
    this.#subscriber = this.#open(this);
    this.#timer = unref(setInterval(() => void this.#check(heartbeat), HEARTBEAT));
  }

  async #check(heartbeat: string): Promise<void> {
    if (this.#unheard >= 2) {
      this.#unheard = 0;
      this.#active = new Set();
      this.#subscriber?.close();
      this.#subscriber = this.#open(this);
    }
    this.#unheard++;
    try {
      await this.publish(heartbeat, "");
    } catch {
      // Redis is away, and the library connects again.
      this.#unheard = 0;
    }
  }

  /** Ends the connection for subscriptions. Listeners hear nothing more. */
  close(): void {
    this.#connection++;
    clearInterval(this.#timer);
    this.#subscriber?.close();
  }

  heard(channel: string, message: string): void {
    if (channel.startsWith(this.#prefix)) this.#topics.hear(channel.slice(this.#prefix.length), message);
  }

  ready(): void {
    this.#connection++;
    // A library that subscribes again itself also does so to topics that were left meanwhile.
    this.#active = new Set([...this.#active].filter((topic) => !this.#topics.has(topic)));
    this.#dirty = new Set([...this.#topics.names(), ...this.#active]);
    this.#change();
  }

  #changed(topic: string): void {
    if (this.#topics.has(topic) === this.#active.has(topic)) return;
    this.#dirty.add(topic);
    this.#change();
  }

  /**
   * Subscribes and unsubscribes after this turn, one command at a time: node-redis loses a subscription that is sent
   * before the reply to the end of an earlier one. Topics that change meanwhile are sent together.
   */
  #change(): void {
    // Before the first connection: `ready` will follow.
    if (this.#connection === 0 || this.#changing === this.#connection) return;
    const connection = this.#connection;
    this.#changing = connection;
    queueMicrotask(() => void this.#send(connection));
  }

  async #send(connection: number): Promise<void> {
    while (this.#connection === connection && this.#dirty.size > 0) {
      const topics = [...this.#dirty].slice(0, BATCH);
      for (const topic of topics) this.#dirty.delete(topic);
      const [left, joined] = [false, true].map((wanted) =>
        topics.filter((topic) => this.#topics.has(topic) === wanted && this.#active.has(topic) !== wanted),
      ) as [string[], string[]];
      try {
        if (left.length > 0) await this.#subscriber?.unsubscribe(left.map((topic) => this.#prefix + topic));
        if (joined.length > 0) await this.#subscriber?.subscribe(joined.map((topic) => this.#prefix + topic));
      } catch {
        await new Promise((resolve) => setTimeout(resolve, RETRY));
        if (this.#connection !== connection) return;
        for (const topic of topics) this.#dirty.add(topic);
        continue;
      }
      if (this.#connection !== connection) return;
      for (const topic of left) this.#active.delete(topic);
      for (const topic of joined) this.#active.add(topic);
      // A listener may have left or come while the commands were sent.
      for (const topic of topics) if (this.#topics.has(topic) !== this.#active.has(topic)) this.#dirty.add(topic);
      // Messages between the call of `subscribe`, or the loss of the connection, and now were not heard.
      this.#topics.miss(joined);
    }
    if (this.#changing === connection) this.#changing = 0;
  }
}
