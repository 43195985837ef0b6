import type { Principal } from "../../calls/client.ts";
import { RpcError } from "../../protocol/errors.ts";
import { coalesce, unref } from "../../support/async.ts";
import type { HttpEndpoint } from "../../transports/http/endpoint.ts";
import type { BodyReceiver, HttpExchange } from "../../transports/http/exchange.ts";
import { busyError, NO_HEADERS } from "../../transports/http/http-error.ts";
import { answerFailure, unknownStream } from "../../transports/http/sessions.ts";
import type { Cluster, RecordFields } from "../ports.ts";
import { nodeName } from "../topics.ts";
import { SESSION_ID } from "./cluster-sessions.ts";
import { SessionStore } from "./session-store.ts";

/** The messages of one client that wait for the node with its stream. */
const MAX_WAITING = 32;
const MESSAGE = "m:";

/**
 * Brings the messages of clients of 2024-11-05 to the node that has their stream, because a balancer may send them to any
 * node. The record of a stream names its node; a message is a field of it until that node has received it.
 */
export class SseRelay {
  readonly #endpoint: HttpEndpoint;
  readonly #store: SessionStore;
  readonly #node: string;
  readonly #receive: (id: string, text: string) => void;
  /** The streams on this node, with the functions that receive the messages in their records. */
  readonly #streams = new Map<string, () => Promise<void>>();
  readonly #unsubscribe: () => void;
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(endpoint: HttpEndpoint, receive: (id: string, text: string) => void) {
    const { server, limits } = endpoint;
    const { bus } = server.cluster as Cluster;
    this.#endpoint = endpoint;
    this.#store = new SessionStore(server);
    this.#node = nodeName(server);
    this.#receive = receive;
    this.#unsubscribe = bus.subscribe(`node ${this.#node}`, {
      heard: (message) => {
        if (message.startsWith("sse ")) void this.#streams.get(message.slice(4))?.();
      },
      missed: () => this.#renew(),
    });
    this.#timer = unref(setInterval(() => this.#renew(), limits.keepAliveInterval));
  }

  /** Enters a stream of this node. Returns a function that ends it. */
  async open(id: string, principal: Principal | undefined): Promise<() => void> {
    const owner = await this.#store.seal(id, "h", JSON.stringify({ principal: principal?.id ?? null }));
    await this.#store.create(id, { h: owner, get: this.#node }, this.#lease);
    // The next renewal tries again if the store fails.
    this.#streams.set(
      id,
      coalesce(() => this.#receiveWaiting(id).catch(() => {})),
    );
    return () => {
      this.#streams.delete(id);
      this.#store.remove(id).catch(() => {});
    };
  }

  /** Accepts a message for a stream of another node. @throws {HttpError} if there is no such stream of the caller. */
  async forward(exchange: HttpExchange, id: string): Promise<void> {
    const fields = SESSION_ID.test(id) ? await this.#store.read(id) : undefined;
    const head = fields?.h && (await this.#store.open(id, "h", fields.h));
    // For anyone but its owner, the stream does not exist.
    if (!head || !fields.get || JSON.parse(head).principal !== (exchange.principal?.id ?? null)) throw unknownStream();
    const { get } = fields;
    const receiver: BodyReceiver = {
      maxMessageBytes: this.#endpoint.limits.maxMessageBytes,
      received: (_, text) => answerFailure(exchange, this.#forward(exchange, id, get, text)),
    };
    exchange.read(receiver);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#unsubscribe();
  }

  get #lease(): number {
    return 3 * this.#endpoint.limits.keepAliveInterval;
  }

  async #forward(exchange: HttpExchange, id: string, node: string, text: string): Promise<void> {
    const { made, fields } = await this.#store.change(id, { add: { n: 1 } });
    if (!made) throw unknownStream();
    if (waiting(fields).length >= MAX_WAITING) {
      throw busyError(new RpcError("busy", `${MAX_WAITING} messages of this client wait. Try again later.`));
    }
    const field = MESSAGE + fields.n;
    const set = { [field]: await this.#store.seal(id, field, text) };
    if (!(await this.#store.change(id, { set })).made) throw unknownStream();
    this.#store.publish(`node ${node}`, `sse ${id}`);
    exchange.send(202, NO_HEADERS);
  }

  #renew(): void {
    for (const [id, receive] of this.#streams) {
      this.#store.change(id, { expire: this.#lease }).catch(() => {});
      void receive();
    }
  }

  /** Receives the messages that wait in the record, in the order in which they came, until there are none. */
  async #receiveWaiting(id: string): Promise<void> {
    while (this.#streams.has(id)) {
      const fields = (await this.#store.read(id)) ?? {};
      const names = waiting(fields);
      if (names.length === 0) return;
      const received = Object.fromEntries(names.map((name) => [name, fields[name] as string]));
      const { made } = await this.#store.change(id, { if: received, remove: names });
      // Otherwise another check has received them.
      if (!made) continue;
      for (const name of names) {
        const text = await this.#store.open(id, name, fields[name] as string);
        if (text !== undefined) this.#receive(id, text);
      }
    }
  }
}

/** The names of the fields with messages, the oldest first. */
function waiting(fields: RecordFields): string[] {
  const names = Object.keys(fields).filter((name) => name.startsWith(MESSAGE));
  return names.sort((a, b) => Number(a.slice(MESSAGE.length)) - Number(b.slice(MESSAGE.length)));
}
