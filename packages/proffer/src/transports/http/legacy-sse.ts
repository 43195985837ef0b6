import type { CallerMarks } from "../../calls/caller.ts";
import type { Principal } from "../../calls/client.ts";
import { Connection } from "../../server/connection.ts";
import type { HttpEndpoint } from "./endpoint.ts";
import { EventStream } from "./event-stream.ts";
import type { BodyReceiver, DisconnectListener, HttpExchange } from "./exchange.ts";
import { checkBody } from "./header-check.ts";
import { HttpError, NO_HEADERS } from "./http-error.ts";
import type { HttpFeature, MessageRelay } from "./legacy-session.ts";
import { answerFailure, createSessionId, unknownStream } from "./sessions.ts";

/** The last segments of its two paths. */
export const LEGACY_SSE_PATHS = ["/sse", "/messages"] as const;

/**
 * The HTTP+SSE transport of 2024-11-05: a client opens a stream, receives the address to post its messages to, and gets
 * every response on the stream. The stream is the session.
 */
export class LegacySse {
  readonly #endpoint: HttpEndpoint;
  readonly #clients = new Map<string, LegacySseClient>();
  /** Passes messages between nodes, if the server has several. */
  readonly #relay: MessageRelay | undefined;

  constructor(endpoint: HttpEndpoint, feature: HttpFeature | undefined) {
    this.#endpoint = endpoint;
    this.#relay = feature?.createRelay(endpoint, (id, text) => this.#clients.get(id)?.connection.receive(text));
  }

  /** Whether a path belongs to this transport. */
  handles(path: string): boolean {
    return LEGACY_SSE_PATHS.some((ending) => path.endsWith(ending));
  }

  /** Handles a request. @throws {HttpError} if it cannot be served. */
  handle(exchange: HttpExchange): void {
    const [stream] = LEGACY_SSE_PATHS;
    if (exchange.path.endsWith(stream)) this.#open(exchange);
    else this.#receive(exchange);
  }

  /** Cancels every call in flight and ends every stream. */
  async close(): Promise<void> {
    for (const client of [...this.#clients.values()]) client.close();
    await this.#relay?.close();
  }

  #open(exchange: HttpExchange): void {
    if (exchange.method !== "GET") throw new HttpError(405, "Open the stream with GET.", ["allow", "GET"]);
    this.#endpoint.checkStreams(exchange);
    const id = createSessionId();
    const relay = this.#relay;
    if (relay === undefined) this.#start(exchange, id, () => {});
    else {
      const open = async () => {
        const leave = await relay.open(id, exchange.principal);
        this.#start(exchange, id, leave);
      };
      answerFailure(exchange, open());
    }
  }

  #start(exchange: HttpExchange, id: string, leave: () => void): void {
    const client = new LegacySseClient(this.#endpoint, exchange, () => {
      this.#clients.delete(id);
      leave();
    });
    this.#clients.set(id, client);
    // Relative to the address of the stream, because the endpoint may be mounted under any path.
    exchange.write(`event: endpoint\ndata: messages?session=${id}\n\n`);
  }

  #receive(exchange: HttpExchange): void {
    if (exchange.method !== "POST") throw new HttpError(405, "Send messages with POST.", ["allow", "POST"]);
    checkBody(exchange);
    const id = new URLSearchParams(exchange.query).get("session") ?? "";
    const client = this.#clients.get(id);
    if (client === undefined && this.#relay !== undefined) {
      answerFailure(exchange, this.#relay.forward(exchange, id));
      return;
    }
    // For anyone but its owner, the session does not exist.
    if (client === undefined || client.principal?.id !== exchange.principal?.id) {
      throw unknownStream();
    }
    // Even if the server is busy: the message may be the answer that a call in flight waits for.
    exchange.read(client);
  }
}

class LegacySseClient implements BodyReceiver, DisconnectListener, CallerMarks {
  readonly maxMessageBytes: number;
  readonly connection: Connection;
  readonly principal: Principal | undefined;
  readonly address: string | undefined;
  readonly #stream: EventStream;
  readonly #onEnd: () => void;

  constructor(endpoint: HttpEndpoint, exchange: HttpExchange, onEnd: () => void) {
    const stream = new EventStream(endpoint.streams, this, this, true);
    this.maxMessageBytes = endpoint.limits.maxMessageBytes;
    this.#stream = stream;
    this.#onEnd = onEnd;
    this.principal = exchange.principal;
    this.address = exchange.address;
    this.connection = new Connection(endpoint.server, {
      transport: "http",
      send: (wire) => stream.send(wire),
      principal: exchange.principal,
      address: exchange.address,
      inFlight: endpoint.inFlight,
    });
    // Messages come to an address that the server chose, so those of the stream count.
    this.connection.query = exchange.query;
    stream.open(exchange);
  }

  get listener(): Connection {
    return this.connection;
  }

  received(exchange: HttpExchange, text: string): void {
    exchange.send(202, NO_HEADERS);
    // The same caller, perhaps with a new token that permits more or less.
    this.connection.principal = exchange.principal;
    this.connection.receive(text);
  }

  onDisconnect(): void {
    this.#onEnd();
    this.connection.close();
  }

  close(): void {
    this.onDisconnect();
    this.#stream.release();
  }
}
