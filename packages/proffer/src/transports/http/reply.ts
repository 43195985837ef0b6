import type { Call, CallOrigin } from "../../calls/call.ts";
import type { ClientResponse } from "../../calls/client-requests.ts";
import type { Principal } from "../../calls/principal.ts";
import type { SessionState } from "../../calls/session.ts";
import type { ChangeListener } from "../../catalog/changes.ts";
import type { ErrorObject } from "../../protocol/errors.ts";
import type { JsonObject, Wire } from "../../protocol/messages.ts";
import { EventStream } from "./event-stream.ts";
import type { DisconnectListener, HttpExchange } from "./exchange.ts";
import { JSON_HEADERS, NO_HEADERS } from "./http-error.ts";
import type { OpenStreams } from "./open-streams.ts";
import type { HttpSession } from "./session.ts";
import { statusOf } from "./status.ts";

/** What a reply needs of its endpoint. */
export interface ReplyHost {
  readonly exposeErrors: boolean;
  readonly streams: OpenStreams;
  /** A call is no longer in work. */
  settled(call: Call): void;
}

/**
 * The answer to one POST: a JSON object, or a stream of events as soon as something must be said before the answer.
 */
export class HttpReply implements CallOrigin, DisconnectListener {
  /** What the handshake agreed on: that of the session, or that of this very request. */
  readonly session: SessionState | undefined;
  readonly #host: ReplyHost;
  readonly #exchange: HttpExchange;
  readonly #owner: HttpSession | undefined;
  #stream: EventStream | undefined;
  #waiting: Call | undefined;

  constructor(host: ReplyHost, exchange: HttpExchange, owner?: HttpSession, session = owner?.state) {
    this.#host = host;
    this.#exchange = exchange;
    this.#owner = owner;
    this.session = session;
  }

  get principal(): Principal | undefined {
    return this.#exchange.principal;
  }

  get exposeErrors(): boolean {
    return this.#host.exposeErrors;
  }

  get listener(): ChangeListener | undefined {
    return this.#owner;
  }

  /** Only a session has a way for the client's response to come back. */
  get request(): CallOrigin["request"] {
    return this.#owner === undefined ? undefined : this.#ask;
  }

  notify(_call: Call, text: string): void {
    this.#upgrade().send(text);
  }

  respond(call: Call, wire: Wire, error?: ErrorObject): void {
    if (this.#exchange.logRecord !== undefined && error !== undefined) this.#exchange.logRecord.code = error.code;
    this.#host.settled(call);
    this.finish(wire, statusOf(error?.code, call.revision));
  }

  /** Sends the answer, whole or as the end of the stream. */
  finish(wire: Wire, status = 200): void {
    if (this.#stream === undefined) {
      this.#exchange.send(status, JSON_HEADERS, wire);
      return;
    }
    this.#stream.send(wire);
    this.#close(this.#stream);
  }

  onSettled(call: Call): void {
    this.#host.settled(call);
  }

  /** Cancelled by the client, who does not want an answer; its connection must still come to an end. */
  onCancelled(): void {
    if (this.#stream === undefined) this.#exchange.send(202, NO_HEADERS);
    else this.#close(this.#stream);
  }

  /** The stream goes, its session and its events stay: the client takes the rest from there. */
  detach(call: Call): void {
    if (this.#owner !== undefined && call.revision.primed) this.#upgrade().release();
  }

  /** The call was not answered at once: what becomes of the client matters from now on. */
  wait(call: Call): void {
    this.#waiting = call;
    if (this.#stream === undefined) this.#exchange.watchDisconnect(this);
  }

  onDisconnect(): void {
    const call = this.#waiting;
    // In the older revisions a lost connection is not a cancellation.
    if (call === undefined || call.done || call.revision.handshake) return;
    call.cancel("The client has closed the connection.");
    this.#host.settled(call);
  }

  async #ask(call: Call, method: string, params: JsonObject): Promise<ClientResponse> {
    const requests = this.#owner?.requests;
    if (requests === undefined) return { error: {} };
    return requests.send(call, method, params, (text) => this.#upgrade().send(text));
  }

  #upgrade(): EventStream {
    if (this.#stream !== undefined) return this.#stream;
    if (this.#owner === undefined) {
      this.#stream = new EventStream(this.#host.streams, undefined, this);
      this.#stream.open(this.#exchange);
    } else {
      this.#stream = this.#owner.openStream(this.#exchange);
    }
    return this.#stream;
  }

  #close(stream: EventStream): void {
    if (this.#owner === undefined) stream.release();
    else this.#owner.closeStream(stream);
  }
}
