import { RpcError } from "../../protocol/errors.ts";
import { Connection } from "../../server/connection.ts";
import type { ServerState } from "../../server/server.ts";
import { EventStream } from "./event-stream.ts";
import type { BodyReceiver, DisconnectListener, HttpExchange } from "./exchange.ts";
import { HttpError, NO_HEADERS } from "./http-error.ts";
import type { OpenStreams } from "./open-streams.ts";
import { createSessionId } from "./sessions.ts";

/** What the pair needs of its endpoint. */
export interface PairHost extends BodyReceiver {
  readonly server: ServerState;
  readonly streams: OpenStreams;
  readonly exposeErrors: boolean;
  readonly maxConcurrent: number;
}

/** The last segments of the two paths. */
export const LEGACY_SSE_PATHS = ["/sse", "/messages"] as const;

/**
 * The transport of 2024-11-05: a client opens a stream, is told where to post its messages, and gets every answer on
 * the stream. The stream is the session.
 */
export class LegacySse {
  readonly #host: PairHost;
  readonly #clients = new Map<string, LegacySseClient>();

  constructor(host: PairHost) {
    this.#host = host;
  }

  /** Whether a request belongs to this transport. */
  takes(path: string): boolean {
    return LEGACY_SSE_PATHS.some((ending) => path.endsWith(ending));
  }

  /** Takes a request. @throws {HttpError} for one that it cannot serve. */
  handle(exchange: HttpExchange): void {
    const [stream] = LEGACY_SSE_PATHS;
    if (exchange.path.endsWith(stream)) this.#open(exchange);
    else this.#receive(exchange);
  }

  /** Gives up whatever is in work, and ends every stream. */
  close(): void {
    for (const client of [...this.#clients.values()]) client.close();
  }

  #open(exchange: HttpExchange): void {
    if (exchange.method !== "GET") throw new HttpError(405, "Open the stream with GET.", ["allow", "GET"]);
    const id = createSessionId();
    const client = new LegacySseClient(this.#host, exchange, () => this.#clients.delete(id));
    this.#clients.set(id, client);
    // Relative to the address of the stream, wherever that is mounted.
    exchange.write(`event: endpoint\ndata: messages?session=${id}\n\n`);
  }

  #receive(exchange: HttpExchange): void {
    if (exchange.method !== "POST") throw new HttpError(405, "Send messages with POST.", ["allow", "POST"]);
    const client = this.#clients.get(new URLSearchParams(exchange.query).get("session") ?? "");
    // To anyone else the session does not exist.
    if (client === undefined || client.owner !== exchange.principal?.id) {
      throw new HttpError(404, "There is no such session; open the stream first.");
    }
    if (client.connection.inFlight >= this.#host.maxConcurrent) {
      throw new HttpError(503, new RpcError("busy", "Too many requests are in work."), ["retry-after", "1"]);
    }
    exchange.read(client);
  }
}

class LegacySseClient implements BodyReceiver, DisconnectListener {
  readonly connection: Connection;
  readonly owner: string | undefined;
  readonly #host: PairHost;
  readonly #stream: EventStream;
  readonly #ended: () => void;

  constructor(host: PairHost, exchange: HttpExchange, ended: () => void) {
    const stream = new EventStream(host.streams, undefined, this);
    this.#host = host;
    this.#stream = stream;
    this.#ended = ended;
    this.owner = exchange.principal?.id;
    this.connection = new Connection(host.server, {
      send: (wire) => stream.send(wire),
      principal: exchange.principal,
      exposeErrors: host.exposeErrors,
    });
    stream.open(exchange);
  }

  get maxBodyBytes(): number {
    return this.#host.maxBodyBytes;
  }

  received(exchange: HttpExchange, text: string): void {
    exchange.send(202, NO_HEADERS);
    this.connection.receive(text);
  }

  tooLarge(exchange: HttpExchange): void {
    this.#host.tooLarge(exchange);
  }

  malformed(exchange: HttpExchange): void {
    this.#host.malformed(exchange);
  }

  onDisconnect(): void {
    this.#ended();
    this.connection.close();
  }

  close(): void {
    this.onDisconnect();
    this.#stream.release();
  }
}
