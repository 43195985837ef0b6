import type { Call } from "../../calls/call.ts";
import type { CallerMarks } from "../../calls/caller.ts";
import type { Client, Principal, SessionState } from "../../calls/client.ts";
import { ClientRequests, type ClientResponse } from "../../calls/client-requests.ts";
import type { ChangeKind } from "../../catalog/changes.ts";
import type { JsonObject, NotificationMessage, RequestId, ResponseMessage } from "../../protocol/messages.ts";
import type { LogLevel } from "../../protocol/model.ts";
import type { MessageFault } from "../../protocol/parse.ts";
import type { HttpEndpoint } from "./endpoint.ts";
import { EventLog, EventStream, type ReplayBudget } from "./event-stream.ts";
import type { DisconnectListener, HttpExchange } from "./exchange.ts";
import { HttpError, STREAM_HEADERS } from "./http-error.ts";
import type { LegacySession, ReplyStream, SessionCalls } from "./legacy-session.ts";

/** The number of the stream that GET opens and that belongs to no request. */
const STANDALONE = 0;
const EVENT_ID = /^(\d{1,9})-(\d{1,9})$/;

/** One client of an older revision over HTTP. Most sessions ask and stream nothing, so those parts are created lazily. */
export class HttpSession implements LegacySession, SessionCalls {
  readonly state: SessionState;
  /** The client that opened it; another principal may not use it. */
  readonly opener: CallerMarks;
  /** The same caller as the opener, with the permission of the last request. */
  principal: Principal | undefined;
  lastUsed = 0;
  /** The number of its calls in flight. */
  inFlight = 0;
  readonly #endpoint: HttpEndpoint;
  readonly #budget: ReplayBudget;
  #requests: ClientRequests | undefined;
  #log: EventLog | undefined;
  #standalone: EventStream | undefined;
  #streams: Map<number, EventStream> | undefined;
  #nextStream = STANDALONE + 1;
  #stopListening: (() => void) | undefined;

  constructor(state: SessionState, opener: CallerMarks, endpoint: HttpEndpoint, budget: ReplayBudget) {
    this.state = state;
    this.opener = opener;
    this.principal = opener.principal;
    this.#endpoint = endpoint;
    this.#budget = budget;
  }

  get address(): string | undefined {
    return this.opener.address;
  }

  get listener(): SessionCalls {
    return this;
  }

  /** Whether its client listens, right now. */
  get listening(): boolean {
    return this.#standalone?.connected === true;
  }

  /**
   * Its client is connected or waits for a response. Calls that only wait for an answer of that client do not count:
   * otherwise a client could keep its sessions for good by never answering.
   */
  get busy(): boolean {
    return this.listening || this.inFlight > (this.#requests?.calls ?? 0);
  }

  started(): void {
    this.inFlight++;
  }

  settled(): void {
    this.inFlight--;
  }

  notified({ method, params }: NotificationMessage): void {
    if (method === "notifications/initialized") this.state.ready = true;
    if (method === "notifications/cancelled") this.#endpoint.cancel(this, params?.requestId as RequestId);
  }

  receive(message: ResponseMessage): void {
    this.#requests?.receive(message);
  }

  receiveFault(fault: MessageFault): void {
    this.#requests?.receiveFault(fault);
  }

  request(call: Call, method: string, params: JsonObject, write: (text: string) => void): Promise<ClientResponse> {
    this.#requests ??= new ClientRequests();
    return this.#requests.send(call, method, params, write);
  }

  listens(): boolean {
    return this.listening;
  }

  openStream(exchange: HttpExchange, listener: DisconnectListener): EventStream {
    const number = this.#nextStream++;
    const stream = this.#createStream(number, listener);
    this.#streams ??= new Map();
    this.#streams.set(number, stream);
    stream.open(exchange);
    return stream;
  }

  closeStream(stream: ReplyStream): void {
    stream.release();
    for (const [number, each] of this.#streams ?? []) if (each === stream) this.#streams?.delete(number);
  }

  listen(exchange: HttpExchange): void {
    if (this.listening) {
      throw new HttpError(409, "This session already has an open stream; close that one first.");
    }
    this.#prepareStandalone().open(exchange);
  }

  resume(exchange: HttpExchange, lastEventId: string): void {
    const parts = EVENT_ID.exec(lastEventId);
    if (parts === null) throw new HttpError(400, "Last-Event-ID is not the id of an event of this session.");
    const number = Number(parts[1]);
    const position = Number(parts[2]);
    if (number === STANDALONE) {
      // Dropped change notifications are lost, as they are for a client that was not connected.
      const missed = this.#log?.after(number, position) ?? [];
      this.#prepareStandalone().resume(exchange, missed);
      return;
    }
    const stream = this.#streams?.get(number);
    const missed = this.#log?.after(number, position) ?? (stream?.position === position ? [] : undefined);
    if (missed === undefined) {
      throw new HttpError(400, "The events after that Last-Event-ID are no longer kept; send the request again.");
    }
    if (stream !== undefined) {
      stream.resume(exchange, missed);
      return;
    }
    exchange.open(STREAM_HEADERS);
    for (const event of missed) exchange.write(event);
    exchange.end();
  }

  get client(): Client {
    return this.state.client;
  }

  listChanged(changed: ChangeKind): void {
    const kind = this.#endpoint.server.features.changeFor(() => this.client, changed);
    if (this.state.ready && kind !== undefined)
      this.#standalone?.send(`{"jsonrpc":"2.0","method":"notifications/${kind}/list_changed"}`);
  }

  updated(uri: string): void {
    const params = { uri };
    this.#standalone?.send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/resources/updated", params }));
  }

  /** Sends a log message only while the client listens: kept for later, it could displace changes. */
  logged(level: LogLevel, text: string): void {
    if (this.state.ready && this.listening && this.state.wants(level)) this.#standalone?.send(text);
  }

  /** The bytes of the events kept for a reconnect. */
  get keptBytes(): number {
    return this.#log?.bytes ?? 0;
  }

  /** Drops the events kept for a reconnect. */
  dropEvents(): void {
    this.#log?.clear();
  }

  close(): void {
    this.#stopListening?.();
    this.#standalone?.release();
    for (const stream of this.#streams?.values() ?? []) stream.release();
    this.#streams = undefined;
    this.state.close();
    this.dropEvents();
  }

  #prepareStandalone(): EventStream {
    if (this.#standalone === undefined) {
      this.#standalone = this.#createStream(STANDALONE);
      this.#stopListening = this.#endpoint.server.changes.listen(this);
    }
    return this.#standalone;
  }

  #createStream(number: number, listener?: DisconnectListener): EventStream {
    const { limits, streams } = this.#endpoint;
    this.#log ??= new EventLog(limits.maxReplayBytes, this.#budget);
    return new EventStream(streams, this, listener, number === STANDALONE, {
      log: this.#log,
      number,
      primed: this.state.revision.primed,
    });
  }
}
