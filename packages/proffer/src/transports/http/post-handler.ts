import { accessOf } from "../../calls/access.ts";
import { Batch, batchProblem, batchRevision, countResponses } from "../../calls/batch.ts";
import { Call } from "../../calls/call.ts";
import { envelopeRevision, hasEnvelope } from "../../calls/envelope.ts";
import { InsufficientScope, RpcError } from "../../protocol/errors.ts";
import {
  isRequest,
  isResponse,
  type Message,
  type NotificationMessage,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
} from "../../protocol/messages.ts";
import { MessageFault, parseMessage } from "../../protocol/parse.ts";
import type { Revision } from "../../protocol/revisions/revision.ts";
import { errorText } from "../../results/encode.ts";
import { dispatch } from "../../server/dispatch.ts";
import { openSession } from "../../server/lifecycle.ts";
import type { HttpEndpoint } from "./endpoint.ts";
import type { BodyReceiver, HttpExchange, RequestRecord } from "./exchange.ts";
import { HttpError, NO_HEADERS, sendError } from "./http-error.ts";
import type { LegacySession } from "./legacy-session.ts";
import { HttpReply } from "./reply.ts";
import { headerRevision, isModern, legacyRevision, modernRevision } from "./revision.ts";
import { createSessionId } from "./sessions.ts";

/** Handles POST requests: finds the revision and session of each message, and dispatches it. */
export class PostHandler implements BodyReceiver {
  readonly maxMessageBytes: number;
  readonly #endpoint: HttpEndpoint;

  constructor(endpoint: HttpEndpoint) {
    this.#endpoint = endpoint;
    this.maxMessageBytes = endpoint.limits.maxMessageBytes;
  }

  /** Handles the body of one POST. */
  received(exchange: HttpExchange, text: string): void {
    const parsed = parseMessage(text, this.#endpoint.server.limits.messageItems);
    let id: RequestId | undefined;
    try {
      if (Array.isArray(parsed)) this.#receiveBatch(exchange, parsed);
      else if (parsed instanceof MessageFault) this.#receiveFault(exchange, parsed);
      else if (isRequest(parsed)) {
        id = parsed.id;
        this.#receiveRequest(exchange, parsed);
      } else if (isResponse(parsed)) this.#receiveResponse(exchange, parsed);
      else this.#receiveNotification(exchange, parsed);
    } catch (error) {
      sendError(exchange, toHttpError(error), id);
    }
  }

  #receiveRequest(exchange: HttpExchange, message: RequestMessage): void {
    if (exchange.logRecord !== undefined) recordRequest(exchange.logRecord, message);
    const { server, sessions } = this.#endpoint;
    if (hasEnvelope(message.params)) {
      const reply = new HttpReply(this.#endpoint, exchange);
      this.#admit(reply, modernRevision(exchange, message, server, reply), message);
      return;
    }
    const named = legacyRevision(exchange, server.revisions, message.method);
    if (message.method === "initialize") {
      this.#initialize(exchange, message);
      return;
    }
    const session = sessions?.require(exchange);
    const revision = session?.state.revision ?? named ?? server.revisions.assumed;
    this.#admit(new HttpReply(this.#endpoint, exchange, session), revision, message);
  }

  #admit(reply: HttpReply, revision: Revision, message: RequestMessage): void {
    this.#checkBusy(reply, message);
    this.#start(reply, revision, message);
  }

  #checkBusy(reply: HttpReply, message: RequestMessage): void {
    const busy = this.#endpoint.busy(message, reply);
    if (busy !== undefined) throw busy;
  }

  #initialize(exchange: HttpExchange, message: RequestMessage): void {
    const { server, sessions } = this.#endpoint;
    if (sessions !== undefined && exchange.header("mcp-session-id") !== undefined) {
      sessions.require(exchange);
      throw new HttpError(400, "This session is already initialized; send initialize without Mcp-Session-Id.");
    }
    // Before a session is opened: it would take the place of another one.
    this.#checkBusy(new HttpReply(this.#endpoint, exchange), message);
    const state = openSession(server, message.params, createSessionId());
    if (sessions === undefined) {
      this.#start(new HttpReply(this.#endpoint, exchange, undefined, state), state.revision, message);
      return;
    }
    const open = (session: LegacySession | undefined) => this.#open(exchange, message, session);
    const added = sessions.add(state, exchange);
    if (added instanceof Promise) added.then(open).catch(failWith(exchange, message.id));
    else open(added);
  }

  /** Answers `initialize` of a new session. @throws {HttpError} if there is no room for one. */
  #open(exchange: HttpExchange, message: RequestMessage, session: LegacySession | undefined): void {
    if (session === undefined) throw new HttpError(503, new RpcError("busy", "Too many sessions are in use."));
    const { state } = session;
    exchange.extraHeaders = [...(exchange.extraHeaders ?? NO_HEADERS), "mcp-session-id", state.id];
    this.#start(new HttpReply(this.#endpoint, exchange, session), state.revision, message);
  }

  /** Dispatches a request, and keeps its call if it is not answered synchronously. */
  #start(origin: HttpReply | Batch, revision: Revision, message: RequestMessage): void {
    const call = new Call(this.#endpoint.server, origin, revision, message);
    dispatch(call);
    if (call.done) return;
    this.#endpoint.keep(call);
    if (origin instanceof HttpReply) origin.wait(call);
  }

  #receiveNotification(exchange: HttpExchange, message: NotificationMessage): void {
    const { server, sessions } = this.#endpoint;
    if (hasEnvelope(message.params)) envelopeRevision(message.params, server.revisions);
    else if (sessions !== undefined && !isModern(exchange, server.revisions)) {
      legacyRevision(exchange, server.revisions, message.method);
      accept(exchange, sessions.require(exchange).notified(message));
      return;
    }
    exchange.send(202, NO_HEADERS);
  }

  #receiveResponse(exchange: HttpExchange, message: ResponseMessage): void {
    const session = this.#endpoint.sessions?.require(exchange);
    if (session === undefined) throw new HttpError(400, "The server sent no request, so it expects no response.");
    accept(exchange, session.receive(message));
  }

  #receiveFault(exchange: HttpExchange, fault: MessageFault): void {
    const refuse = () => sendError(exchange, new HttpError(400, fault.error), fault.id);
    const isResponse = fault.responseTo !== undefined && exchange.header("mcp-session-id") !== undefined;
    const received = isResponse ? this.#endpoint.sessions?.require(exchange).receiveFault(fault) : undefined;
    if (received instanceof Promise) received.then(refuse, failWith(exchange, fault.id));
    else refuse();
  }

  #receiveBatch(exchange: HttpExchange, items: readonly (Message | MessageFault)[]): void {
    const { server, sessions } = this.#endpoint;
    const named = batchRevision(items, server.revisions) ?? headerRevision(exchange, server.revisions);
    const session = named?.handshake === false ? undefined : sessions?.require(exchange);
    const revision = session?.state.revision ?? named ?? server.revisions.assumed;
    const problem = batchProblem(items, revision);
    if (problem !== undefined) throw new HttpError(400, problem);
    const expected = countResponses(items);
    const reply = new HttpReply(this.#endpoint, exchange, session);
    this.#checkScopes(items, reply, revision);
    const batch = new Batch(reply, expected, (text) => reply.finish(text));
    if (expected > 0) exchange.watchDisconnect(reply);
    const received: unknown[] = [];
    for (const item of items) {
      if (item instanceof MessageFault) {
        received.push(session?.receiveFault(item));
        if (!item.notification) batch.add(errorText(item.error, item.id, revision));
      } else if (isRequest(item)) this.#startInBatch(batch, revision, item);
      else if (isResponse(item)) received.push(session?.receive(item));
      else received.push(session?.notified(item));
    }
    const pending = received.some((each) => each instanceof Promise) ? Promise.all(received) : undefined;
    if (expected === 0) accept(exchange, pending);
    else pending?.catch(() => {});
  }

  /** A response has one status: if a request of a batch lacks scopes, none runs. @throws {HttpError} with all scopes. */
  #checkScopes(items: readonly (Message | MessageFault)[], reply: HttpReply, revision: Revision): void {
    const { server } = this.#endpoint;
    const access = accessOf(server);
    if (access === undefined) return;
    const needed = new Set<string>();
    for (const item of items) {
      if (item instanceof MessageFault || !isRequest(item)) continue;
      for (const scope of access.missing(new Call(server, reply, revision, item))) needed.add(scope);
    }
    if (needed.size === 0) return;
    const { status, headers } = this.#endpoint.challenge([...needed], reply.principal, revision);
    throw new HttpError(status, new InsufficientScope("batch", [...needed]), headers);
  }

  #startInBatch(batch: Batch, revision: Revision, message: RequestMessage): void {
    const busy = this.#endpoint.busy(message, batch);
    if (busy === undefined) this.#start(batch, revision, message);
    else batch.add(errorText(busy.error, message.id, revision));
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
