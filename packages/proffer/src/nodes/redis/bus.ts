import { toBase64Url } from "../../support/bytes.ts";
import type { Bus, BusListener } from "../ports.ts";
import { Topics } from "../topics.ts";
import type { Subscriber, SubscriberEvents } from "./client.ts";
import type { Commands } from "./commands.ts";

/** Milliseconds before a subscription that failed is tried again. */
const RETRY = 500;

/** The topics of one command. */
const BATCH = 1_000;

/** Milliseconds between two messages of the bus to itself. */
const BEAT = 10_000;

/** A bus over PUBLISH and SUBSCRIBE. The connection for subscriptions is opened with the first one. */
export class RedisBus implements Bus, SubscriberEvents {
  readonly #commands: Commands;
  readonly #prefix: string;
  readonly #open: (events: SubscriberEvents) => Subscriber;
  readonly #topics: Topics;
  #subscriber: Subscriber | undefined;
  /** Counts connections: what an earlier one confirmed means nothing. */
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
    const beat = `beat ${toBase64Url(crypto.getRandomValues(new Uint8Array(9)))}`;
    this.#topics.add(beat, {
      heard: () => {
        this.#unheard = 0;
      },
      missed: () => {},
    });
    this.#subscriber = this.#open(this);
    this.#timer = setInterval(() => void this.#check(beat), BEAT);
    (this.#timer as { unref?: () => void }).unref?.();
  }

  async #check(beat: string): Promise<void> {
    if (this.#unheard >= 2) {
      this.#unheard = 0;
      this.#active = new Set();
      this.#subscriber?.close();
      this.#subscriber = this.#open(this);
    }
    this.#unheard++;
    try {
      await this.publish(beat, "");
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
