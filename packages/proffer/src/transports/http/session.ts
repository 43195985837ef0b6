import { ClientRequests } from "../../calls/client-requests.ts";
import type { SessionState } from "../../calls/session.ts";
import type { ChangeListener, ListKind } from "../../catalog/changes.ts";
import type { ServerState } from "../../server/server.ts";
import { EventLog, type ReplayBudget } from "./event-log.ts";
import { EventStream } from "./event-stream.ts";
import type { HttpExchange } from "./exchange.ts";
import { HttpError, STREAM_HEADERS } from "./http-error.ts";
import type { OpenStreams } from "./open-streams.ts";

/** What the sessions of an endpoint share. */
export interface SessionHost {
  readonly server: ServerState;
  readonly streams: OpenStreams;
  readonly maxReplayBytes: number;
}

/** The number of the stream that belongs to no request. */
const STANDALONE = 0;
const EVENT_ID = /^(\d{1,9})-(\d{1,9})$/;

/** One client of an older revision over HTTP. What few sessions need is made when it is first needed. */
export class HttpSession implements ChangeListener {
  readonly state: SessionState;
  /** The id of the principal that opened it; nobody else may use it. */
  readonly owner: string | undefined;
  lastUsed = 0;
  /** How many of its requests are in work. */
  inWork = 0;
  readonly #host: SessionHost;
  readonly #budget: ReplayBudget;
  #requests: ClientRequests | undefined;
  #log: EventLog | undefined;
  #standalone: EventStream | undefined;
  #streams: Map<number, EventStream> | undefined;
  #nextStream = STANDALONE + 1;
  #stopListening: (() => void) | undefined;

  constructor(state: SessionState, owner: string | undefined, host: SessionHost, budget: ReplayBudget) {
    this.state = state;
    this.owner = owner;
    this.#host = host;
    this.#budget = budget;
  }

  /** Its client is there, or waits for an answer. */
  get busy(): boolean {
    return this.inWork > 0 || this.#standalone?.connected === true;
  }

  get requests(): ClientRequests {
    this.#requests ??= new ClientRequests();
    return this.#requests;
  }

  /** Makes the stream that answers one request. */
  openStream(exchange: HttpExchange): EventStream {
    const number = this.#nextStream++;
    const stream = this.#createStream(number);
    this.#streams ??= new Map();
    this.#streams.set(number, stream);
    stream.open(exchange);
    return stream;
  }

  /** The request of a stream is answered; its events stay in the log for a client that missed them. */
  closeStream(stream: EventStream): void {
    stream.release();
    for (const [number, each] of this.#streams ?? []) if (each === stream) this.#streams?.delete(number);
  }

  /** Opens the stream for what belongs to no request. @throws {HttpError} if there is one already. */
  listen(exchange: HttpExchange): void {
    if (this.#standalone?.connected) {
      throw new HttpError(409, "This session has a stream open already; end that one first.");
    }
    this.#prepareStandalone().open(exchange);
  }

  /** Goes on with a stream where the client lost it. @throws {HttpError} for an id whose events are not there. */
  resume(exchange: HttpExchange, lastEventId: string): void {
    const parts = EVENT_ID.exec(lastEventId);
    if (parts === null) throw new HttpError(400, "Last-Event-ID is not the id of an event of this session.");
    const number = Number(parts[1]);
    const place = Number(parts[2]);
    if (number === STANDALONE) {
      // Changes that were forgotten are lost, as they are for a client that was never there.
      const missed = this.#log?.after(number, place) ?? [];
      this.#prepareStandalone().resume(exchange, missed);
      return;
    }
    const stream = this.#streams?.get(number);
    const missed = this.#log?.after(number, place) ?? (stream?.place === place ? [] : undefined);
    if (missed === undefined) {
      throw new HttpError(400, "The events after that Last-Event-ID are not kept any more; send the request again.");
    }
    if (stream !== undefined) {
      stream.resume(exchange, missed);
      return;
    }
    exchange.open(STREAM_HEADERS);
    for (const event of missed) exchange.write(event);
    exchange.end();
  }

  listChanged(kind: ListKind): void {
    if (this.state.ready) this.#standalone?.send(`{"jsonrpc":"2.0","method":"notifications/${kind}/list_changed"}`);
  }

  updated(uri: string): void {
    const params = { uri };
    this.#standalone?.send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/resources/updated", params }));
  }

  /** Gives back what the log holds. */
  forget(): void {
    this.#log?.clear();
  }

  close(): void {
    this.#stopListening?.();
    this.#standalone?.release();
    for (const stream of this.#streams?.values() ?? []) stream.release();
    this.#streams = undefined;
    this.state.close();
    this.forget();
  }

  #prepareStandalone(): EventStream {
    if (this.#standalone === undefined) {
      this.#standalone = this.#createStream(STANDALONE);
      this.#stopListening = this.#host.server.changes.listen(this);
    }
    return this.#standalone;
  }

  #createStream(number: number): EventStream {
    const { maxReplayBytes, streams } = this.#host;
    this.#log ??= new EventLog(maxReplayBytes, this.#budget);
    return new EventStream(streams, { log: this.#log, number, primed: this.state.revision.primed });
  }
}
