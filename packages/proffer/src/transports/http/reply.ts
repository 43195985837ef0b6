import type { Call, CallOrigin } from "../../calls/call.ts";
import type { Principal, SessionState } from "../../calls/client.ts";
import type { ClientResponse } from "../../calls/client-requests.ts";
import { cancelCall, LISTEN } from "../../calls/in-flight.ts";
import { delayOf } from "../../calls/timeout.ts";
import { ERRORS, type ErrorObject, type InsufficientScope } from "../../protocol/errors.ts";
import type { JsonObject, Wire } from "../../protocol/messages.ts";
import { errorMessage, toErrorObject } from "../../results/encode.ts";
import { whenReady } from "../../support/async.ts";
import { reportLateChallenge } from "./authentication.ts";
import type { HttpEndpoint } from "./endpoint.ts";
import { EventStream } from "./event-stream.ts";
import type { DisconnectListener, HttpExchange } from "./exchange.ts";
import { BUSY_HEADERS, type HttpError, JSON_HEADERS, NO_HEADERS, retryAfter, statusOf } from "./http-error.ts";
import type { LegacySession, ReplyStream, SessionCalls } from "./legacy-session.ts";

/**
 * The response to one POST: a JSON object, or an event stream as soon as a notification or request must be sent before
 * the result.
 */
export class HttpReply implements CallOrigin, DisconnectListener {
  /** The result of the handshake: of the session, or of this request if it is an initialize. */
  readonly session: SessionState | undefined;
  readonly transport = "http";
  readonly countsStreams = true;
  readonly #endpoint: HttpEndpoint;
  readonly #exchange: HttpExchange;
  readonly #owner: LegacySession | undefined;
  #stream: ReplyStream | undefined;
  #waiting: Call | undefined;
  /** The calls that asked something through this response: several in a batch. */
  #asking: Set<Call> | undefined;
  #abandoned: ReturnType<typeof setTimeout> | undefined;

  constructor(endpoint: HttpEndpoint, exchange: HttpExchange, owner?: LegacySession, session = owner?.state) {
    this.#endpoint = endpoint;
    this.#exchange = exchange;
    this.#owner = owner;
    this.session = session;
  }

  get principal(): Principal | undefined {
    return this.#exchange.principal;
  }

  get address(): string | undefined {
    // Node forgets the address of a closed connection, such as that of an abandoned question.
    return this.#exchange.address ?? this.#owner?.address;
  }

  get query(): string {
    return this.#exchange.query;
  }

  get http(): HttpExchange {
    return this.#exchange;
  }

  get listener(): SessionCalls | undefined {
    return this.#owner?.listener;
  }

  /** Only a session has a way for the client's response to come back. */
  get request(): CallOrigin["request"] {
    return this.#owner === undefined ? undefined : this.#sendRequest;
  }

  notify(_call: Call, text: string): void {
    this.#upgrade().send(text);
  }

  respond(call: Call, wire: Wire, error?: ErrorObject): void {
    this.#endpoint.onSettled(call);
    if (error === undefined) this.finish(wire, 200, JSON_HEADERS, call);
    else this.#fail(call, wire, error);
  }

  /** Sends the response, once the session is saved. */
  finish(wire: Wire, status = 200, headers = JSON_HEADERS, call?: Call): void {
    clearTimeout(this.#abandoned);
    const saving = this.#owner?.save?.();
    if (saving === undefined) this.#send(wire, status, headers);
    else {
      saving.then(
        () => this.#send(wire, status, headers),
        (error: HttpError) =>
          this.#send(errorMessage(call?.id, toErrorObject(error.error, call?.revision)), 503, BUSY_HEADERS),
      );
    }
  }

  /** Sends the response, as JSON or as the last event of the stream. */
  #send(wire: Wire, status: number, headers: readonly string[]): void {
    if (this.#stream === undefined) {
      this.#exchange.send(status, headers, wire);
      return;
    }
    this.#stream.send(wire);
    this.#close(this.#stream);
  }

  onSettled(call: Call): void {
    this.#endpoint.onSettled(call);
  }

  /** A cancelled call gets no result, but its HTTP response must still end. */
  onCancelled(): void {
    clearTimeout(this.#abandoned);
    this.#owner?.save?.()?.catch(() => {});
    if (this.#stream === undefined) this.#exchange.send(202, NO_HEADERS);
    else this.#close(this.#stream);
  }

  /** Ends the connection but keeps the stream in the session: the client resumes it there. */
  detach(call: Call): void {
    if (this.#owner === undefined || !call.revision.primed) return;
    this.#upgrade().release();
    this.#expectReconnect();
  }

  /** The call was not answered synchronously: watch whether the client disconnects. */
  wait(call: Call): void {
    this.#waiting = call;
    if (this.#stream === undefined) this.#exchange.watchDisconnect(this);
  }

  onDisconnect(): void {
    const call = this.#waiting;
    this.#expectReconnect();
    // In the older revisions a lost connection is not a cancellation.
    if (call === undefined || call.done || call.revision.handshake) return;
    call.cancel("The client closed the connection.");
    this.#endpoint.onSettled(call);
  }

  /** A subscription ends with a result; its client may subscribe again with another token. */
  onExpired(): void {
    this.#waiting?.end?.();
  }

  /** Sends an error with the status and headers of its code. */
  #fail(call: Call, wire: Wire, error: ErrorObject): void {
    if (this.#exchange.logRecord !== undefined) this.#exchange.logRecord.code = error.code;
    if (error.code === ERRORS.insufficient_scope) {
      const { scopes } = error.data as InsufficientScope;
      if (this.#stream !== undefined) reportLateChallenge(call);
      const { status, headers } = this.#endpoint.challenge(scopes, this.principal, call.revision);
      this.finish(wire, status, [...JSON_HEADERS, ...headers], call);
      return;
    }
    const seconds = retryAfter(error);
    if (seconds !== undefined) {
      this.finish(wire, 429, [...JSON_HEADERS, "retry-after", String(seconds)], call);
      return;
    }
    const status = statusOf(error.code, call.revision);
    this.finish(wire, status, status === 503 ? BUSY_HEADERS : JSON_HEADERS, call);
  }

  async #sendRequest(call: Call, method: string, params: JsonObject): Promise<ClientResponse> {
    const owner = this.#owner;
    if (owner === undefined) return { error: {} };
    this.#asking ??= new Set();
    this.#asking.add(call);
    const response = owner.request(call, method, params, (text) => this.#upgrade().send(text));
    this.#expectReconnect();
    return response;
  }

  /**
   * While the client is disconnected, nobody can answer a question: unless it reconnects in time, the calls that wait
   * are cancelled. Otherwise a client could fill the server with calls by closing each connection once it was asked.
   */
  #expectReconnect(): void {
    const { reconnectTimeout } = this.#endpoint.limits;
    if (this.#abandoned !== undefined || this.#stream?.connected !== false || !this.#isWaiting()) return;
    this.#abandoned = setTimeout(() => this.#checkReconnect(), delayOf(reconnectTimeout));
  }

  #checkReconnect(): void {
    const stream = this.#stream;
    const listens = stream !== undefined && this.#owner?.listens(stream);
    void whenReady(listens ?? false, (isThere) => {
      this.#abandoned = undefined;
      // A client that listens to its session is there, and may still answer.
      if (isThere) this.#expectReconnect();
      else if (this.#stream?.connected === false) this.#abandon();
    });
  }

  #isWaiting(): boolean {
    for (const call of this.#asking ?? []) if (call.waiting && !call.done) return true;
    return false;
  }

  #abandon(): void {
    for (const call of this.#asking ?? []) {
      if (call.waiting && !call.done) cancelCall(call, "The client disconnected and did not come back to answer.");
    }
  }

  #upgrade(): ReplyStream {
    if (this.#stream !== undefined) return this.#stream;
    if (this.#owner === undefined) {
      const stream = new EventStream(this.#endpoint.streams, this, this, this.#waiting?.method === LISTEN);
      stream.open(this.#exchange);
      this.#stream = stream;
    } else {
      this.#stream = this.#owner.openStream(this.#exchange, this);
    }
    return this.#stream;
  }

  #close(stream: ReplyStream): void {
    if (this.#owner === undefined) stream.release();
    else this.#owner.closeStream(stream);
  }
}
