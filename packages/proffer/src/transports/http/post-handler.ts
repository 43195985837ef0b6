import { countResponses } from "../../calls/batch.ts";
import type { Call } from "../../calls/call.ts";
import { checkEnvelope, envelopeRevision, hasEnvelope, META } from "../../calls/client.ts";
import { InsufficientScope, RpcError } from "../../protocol/errors.ts";
import {
  isResponse,
  type JsonObject,
  type Message,
  type NotificationMessage,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
} from "../../protocol/messages.ts";
import { MessageFault } from "../../protocol/parse.ts";
import type { Revision } from "../../protocol/revisions/revision.ts";
import type { Revisions } from "../../protocol/revisions/table.ts";
import { type Admitted, type BatchReply, Inbox, type OneWayMessage } from "../../server/inbox.ts";
import { openSession } from "../../server/methods.ts";
import type { HttpEndpoint } from "./endpoint.ts";
import type { BodyReceiver, HttpExchange, HttpRequest, RequestRecord } from "./exchange.ts";
import { checkHeaders, headerRevision, isModern, legacyRevision, mismatch, VERSION } from "./header-check.ts";
import { HttpError, NO_HEADERS, sendError } from "./http-error.ts";
import type { LegacySession } from "./legacy-session.ts";
import { HttpReply } from "./reply.ts";
import { createSessionId } from "./sessions.ts";

type Items = readonly (Message | MessageFault)[];

/** Handles POST requests: finds the revision and session of each message. */
export class PostHandler extends Inbox<HttpExchange> implements BodyReceiver {
  readonly maxMessageBytes: number;
  readonly #endpoint: HttpEndpoint;

  constructor(endpoint: HttpEndpoint) {
    super(endpoint.server);
    this.#endpoint = endpoint;
    this.maxMessageBytes = endpoint.limits.maxMessageBytes;
  }

  received(exchange: HttpExchange, text: string): void {
    this.receive(text, exchange);
  }

  protected admit(message: RequestMessage, exchange: HttpExchange): Admitted | Promise<Admitted> {
    if (exchange.logRecord !== undefined) recordRequest(exchange.logRecord, message);
    const { server, sessions } = this.#endpoint;
    if (hasEnvelope(message.params)) {
      const revision = modernRevision(exchange, message.params, server.revisions);
      return this.#admitted(new HttpReply(this.#endpoint, exchange), revision, message);
    }
    const named = legacyRevision(exchange, server.revisions, message.method);
    if (message.method === "initialize") return this.#initialize(exchange, message);
    const session = sessions?.require(exchange);
    const revision = session?.state.revision ?? named ?? server.revisions.assumed;
    return this.#admitted(new HttpReply(this.#endpoint, exchange, session), revision, message);
  }

  /** @throws {HttpError} if the request cannot start now. */
  #admitted(origin: HttpReply, revision: Revision, message: RequestMessage): Admitted {
    const busy = this.#endpoint.busy(message, origin);
    if (busy !== undefined) throw busy;
    return { origin, revision };
  }

  /** The headers of a request without a session must agree with its body. */
  protected override check(call: Call): void {
    if (!call.revision.handshake && call.origin.http !== undefined) checkHeaders(call.origin.http, call);
  }

  #initialize(exchange: HttpExchange, message: RequestMessage): Admitted | Promise<Admitted> {
    const { server, sessions } = this.#endpoint;
    if (sessions !== undefined && exchange.header("mcp-session-id") !== undefined) {
      sessions.require(exchange);
      throw new HttpError(400, "This session is already initialized; send initialize without Mcp-Session-Id.");
    }
    // Before a session is opened: it would take the place of another one.
    const busy = this.#endpoint.busy(message, new HttpReply(this.#endpoint, exchange));
    if (busy !== undefined) throw busy;
    const state = openSession(server, message.params, createSessionId());
    if (sessions === undefined) {
      return { origin: new HttpReply(this.#endpoint, exchange, undefined, state), revision: state.revision };
    }
    const added = sessions.add(state, exchange);
    if (added instanceof Promise) return added.then((session) => this.#open(exchange, session));
    return this.#open(exchange, added);
  }

  /** The reply to `initialize` of a new session. @throws {HttpError} if there is no room for one. */
  #open(exchange: HttpExchange, session: LegacySession | undefined): Admitted {
    if (session === undefined) throw new HttpError(503, new RpcError("busy", "Too many sessions are in use."));
    const { state } = session;
    exchange.extraHeaders = [...(exchange.extraHeaders ?? NO_HEADERS), "mcp-session-id", state.id];
    return { origin: new HttpReply(this.#endpoint, exchange, session), revision: state.revision };
  }

  protected busy(call: Call): RpcError | undefined {
    return this.#endpoint.busy(call, call.origin)?.error;
  }

  protected keep(call: Call): void {
    this.#endpoint.keep(call);
    if (call.origin instanceof HttpReply) call.origin.wait(call);
  }

  protected refuse(error: unknown, exchange: HttpExchange, message?: RequestMessage): void {
    sendError(exchange, toHttpError(error), message?.id);
  }

  protected receiveOneWay(message: OneWayMessage, exchange: HttpExchange): void {
    if (message instanceof MessageFault) this.#receiveFault(message, exchange);
    else if (isResponse(message)) this.#receiveResponse(message, exchange);
    else this.#receiveNotification(message, exchange);
  }

  #receiveNotification(message: NotificationMessage, exchange: HttpExchange): void {
    const { server, sessions } = this.#endpoint;
    if (hasEnvelope(message.params)) envelopeRevision(message.params, server.revisions);
    else if (sessions !== undefined && !isModern(exchange, server.revisions)) {
      legacyRevision(exchange, server.revisions, message.method);
      accept(exchange, sessions.require(exchange).notified(message));
      return;
    }
    exchange.send(202, NO_HEADERS);
  }

  #receiveResponse(message: ResponseMessage, exchange: HttpExchange): void {
    const session = this.#endpoint.sessions?.require(exchange);
    if (session === undefined) throw new HttpError(400, "The server sent no request, so it expects no response.");
    accept(exchange, session.receive(message));
  }

  #receiveFault(fault: MessageFault, exchange: HttpExchange): void {
    const refuse = () => sendError(exchange, new HttpError(400, fault.error), fault.id);
    const isResponse = fault.responseTo !== undefined && exchange.header("mcp-session-id") !== undefined;
    const received = isResponse ? this.#endpoint.sessions?.require(exchange).receiveFault(fault) : undefined;
    if (received instanceof Promise) received.then(refuse, failWith(exchange, fault.id));
    else refuse();
  }

  protected revisionOfBatch(inItems: Revision | undefined, exchange: HttpExchange): Revision {
    const { revisions } = this.server;
    const named = inItems ?? headerRevision(exchange, revisions);
    return this.#sessionOf(named, exchange)?.state.revision ?? named ?? revisions.assumed;
  }

  protected openBatch(items: Items, revision: Revision, exchange: HttpExchange): BatchReply {
    const session = this.#sessionOf(revision, exchange);
    const origin = new HttpReply(this.#endpoint, exchange, session);
    const hasResponses = countResponses(items) > 0;
    return {
      origin,
      start: (calls) => {
        this.#checkScopes(calls, origin, revision);
        if (hasResponses) exchange.watchDisconnect(origin);
      },
      send: (text) => origin.finish(text),
      receive(item) {
        if (item instanceof MessageFault) return session?.receiveFault(item);
        return isResponse(item) ? session?.receive(item) : session?.notified(item);
      },
      received(pending) {
        if (!hasResponses) accept(exchange, pending);
        else pending?.catch(() => {});
      },
    };
  }

  /** The session of a batch. Only revisions with a handshake have one. */
  #sessionOf(revision: Revision | undefined, exchange: HttpExchange): LegacySession | undefined {
    return revision?.handshake === false ? undefined : this.#endpoint.sessions?.require(exchange);
  }

  /** A response has one status: if a request of a batch lacks scopes, none runs. @throws {HttpError} with all scopes. */
  #checkScopes(calls: readonly Call[], reply: HttpReply, revision: Revision): void {
    const { access } = this.server;
    if (access === undefined) return;
    const needed = new Set(calls.flatMap((call) => access.missing(call)));
    if (needed.size === 0) return;
    const { status, headers } = this.#endpoint.challenge([...needed], reply.principal, revision);
    throw new HttpError(status, new InsufficientScope("batch", [...needed]), headers);
  }
}

/** Answers 202, once the message has been received. */
function accept(exchange: HttpExchange, received: unknown): void {
  if (received instanceof Promise) received.then(() => exchange.send(202, NO_HEADERS), failWith(exchange));
  else exchange.send(202, NO_HEADERS);
}

function failWith(exchange: HttpExchange, id?: RequestId): (error: unknown) => void {
  return (error) => sendError(exchange, toHttpError(error), id);
}

function recordRequest(record: RequestRecord, { method, params }: RequestMessage): void {
  record.rpc = method;
  const name = params?.name ?? params?.uri;
  if (typeof name === "string") record.name = name;
}

/** Errors thrown before a call exists are about the request, so the status is 400 unless they carry one. */
function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof RpcError) return new HttpError(400, error);
  throw error;
}

/**
 * The revision of a request with an envelope. Clients rely on the order of the checks: envelope, contradicting header,
 * version, and then, with the call, the other headers.
 * @throws {RpcError} for the first check that fails.
 */
function modernRevision(request: HttpRequest, params: JsonObject, revisions: Revisions): Revision {
  const shown = request.header(VERSION);
  const meta = params._meta as JsonObject;
  if (shown !== undefined && shown !== meta[META.protocolVersion]) {
    checkEnvelope(meta);
    if (typeof meta[META.protocolVersion] === "string") throw mismatch("MCP-Protocol-Version", shown, "the version");
  }
  const revision = envelopeRevision(params, revisions);
  if (shown === undefined) throw mismatch("MCP-Protocol-Version", shown, "the version");
  return revision;
}
