import { Batch, batchProblem } from "../../calls/batch.ts";
import { Call } from "../../calls/call.ts";
import { envelopeRevision, hasEnvelope } from "../../calls/envelope.ts";
import { RpcError } from "../../protocol/errors.ts";
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
import { errorMessage, toErrorObject } from "../../results/encode.ts";
import { dispatch } from "../../server/dispatch.ts";
import { openSession } from "../../server/lifecycle.ts";
import type { ServerState } from "../../server/server.ts";
import type { CallsInWork } from "./calls-in-work.ts";
import type { HttpExchange, RequestRecord } from "./exchange.ts";
import { HttpError, NO_HEADERS, sendError } from "./http-error.ts";
import { HttpReply, type ReplyHost } from "./reply.ts";
import { isModern, legacyRevision, modernRevision } from "./revision.ts";
import type { HttpSession } from "./session.ts";
import { createSessionId, type HttpSessions } from "./sessions.ts";

/** What the inbox needs of its endpoint. */
export interface InboxHost extends ReplyHost {
  readonly server: ServerState;
  /** Undefined where each request is served by itself. */
  readonly sessions: HttpSessions | undefined;
  readonly calls: CallsInWork;
  /** Why no more work is taken, if it is not. */
  refusal(message: RequestMessage): HttpError | undefined;
}

/** Takes what clients POST: decides which revision a message speaks, and gets it done. */
export class PostHandler {
  readonly #host: InboxHost;

  constructor(host: InboxHost) {
    this.#host = host;
  }

  /** Takes the text of one POST. */
  receive(exchange: HttpExchange, text: string): void {
    const parsed = parseMessage(text, this.#host.server.limits.messageItems);
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
      sendError(exchange, toRefusal(error), id);
    }
  }

  #receiveRequest(exchange: HttpExchange, message: RequestMessage): void {
    if (exchange.logRecord !== undefined) takeNote(exchange.logRecord, message);
    const { server } = this.#host;
    if (hasEnvelope(message.params)) {
      const revision = modernRevision(exchange, message, server);
      this.#admit(message);
      this.#start(new HttpReply(this.#host, exchange), revision, message);
      return;
    }
    const named = legacyRevision(exchange, server.revisions, message.method);
    this.#admit(message);
    if (message.method === "initialize") {
      this.#initialize(exchange, message);
      return;
    }
    const session = this.findSession(exchange);
    const revision = session?.state.revision ?? named ?? server.revisions.assumed;
    this.#start(new HttpReply(this.#host, exchange, session), revision, message);
  }

  #admit(message: RequestMessage): void {
    const refusal = this.#host.refusal(message);
    if (refusal !== undefined) throw refusal;
  }

  #initialize(exchange: HttpExchange, message: RequestMessage): void {
    const { server, sessions } = this.#host;
    if (sessions !== undefined && exchange.header("mcp-session-id") !== undefined) {
      this.findSession(exchange);
      throw new HttpError(400, "This session is initialized already; send initialize without Mcp-Session-Id.");
    }
    const state = openSession(server, message.params, createSessionId());
    let session: HttpSession | undefined;
    if (sessions !== undefined) {
      session = sessions.add(state, exchange.principal);
      if (session === undefined) throw new HttpError(503, new RpcError("busy", "Too many sessions are in use."));
      exchange.extraHeaders = [...(exchange.extraHeaders ?? NO_HEADERS), "mcp-session-id", state.id];
    }
    this.#start(new HttpReply(this.#host, exchange, session, state), state.revision, message);
  }

  /** Does what a request asks for; what is not answered at once is remembered until it is. */
  #start(origin: HttpReply | Batch, revision: Revision, message: RequestMessage): void {
    const call = new Call(this.#host.server, origin, revision, message);
    dispatch(call);
    if (call.done) return;
    this.#host.calls.add(call);
    if (origin instanceof HttpReply) origin.wait(call);
  }

  #receiveNotification(exchange: HttpExchange, message: NotificationMessage): void {
    const { server, sessions, calls } = this.#host;
    if (hasEnvelope(message.params)) envelopeRevision(message.params, server.revisions);
    else if (sessions !== undefined && !isModern(exchange, server.revisions)) {
      legacyRevision(exchange, server.revisions, message.method);
      const session = this.findSession(exchange);
      if (session !== undefined) takeNotification(message, session, calls);
    }
    exchange.send(202, NO_HEADERS);
  }

  #receiveResponse(exchange: HttpExchange, message: ResponseMessage): void {
    const session = this.findSession(exchange);
    if (session === undefined) throw new HttpError(400, "Nothing was asked of this client, so it has no response.");
    session.requests.receive(message);
    exchange.send(202, NO_HEADERS);
  }

  #receiveFault(exchange: HttpExchange, fault: MessageFault): void {
    if (fault.answered !== undefined && exchange.header("mcp-session-id") !== undefined) {
      this.findSession(exchange)?.requests.receiveFault(fault);
    }
    sendError(exchange, new HttpError(400, fault.error), fault.id);
  }

  #receiveBatch(exchange: HttpExchange, items: readonly (Message | MessageFault)[]): void {
    const { server, calls } = this.#host;
    const named = legacyRevision(exchange, server.revisions, undefined);
    const session = this.findSession(exchange);
    const revision = session?.state.revision ?? named ?? server.revisions.assumed;
    const problem = batchProblem(items, revision);
    if (problem !== undefined) throw new HttpError(400, problem);
    const answers = items.filter((item) =>
      item instanceof MessageFault ? !item.notification : isRequest(item),
    ).length;
    const reply = new HttpReply(this.#host, exchange, session);
    const batch = new Batch(reply, answers, (text) => reply.finish(text));
    if (answers === 0) exchange.send(202, NO_HEADERS);
    else exchange.watchDisconnect(reply);
    for (const item of items) {
      if (item instanceof MessageFault) {
        session?.requests.receiveFault(item);
        if (!item.notification) batch.add(refusalText(item.error, item.id, revision));
      } else if (isRequest(item)) this.#startInBatch(batch, revision, item);
      else if (isResponse(item)) session?.requests.receive(item);
      else if (session !== undefined) takeNotification(item, session, calls);
    }
  }

  #startInBatch(batch: Batch, revision: Revision, message: RequestMessage): void {
    const refusal = this.#host.refusal(message);
    if (refusal === undefined) this.#start(batch, revision, message);
    else batch.add(refusalText(refusal.error, message.id, revision));
  }

  /** The session that a request belongs to; undefined where there are none. @throws {HttpError} if it is gone. */
  findSession(exchange: HttpExchange): HttpSession | undefined {
    const { sessions } = this.#host;
    if (sessions === undefined) return undefined;
    const id = exchange.header("mcp-session-id");
    if (id === undefined) throw new HttpError(400, "The header Mcp-Session-Id is missing; send initialize first.");
    const session = sessions.find(id, exchange.principal);
    if (session === undefined) throw new HttpError(404, "There is no such session, or it has ended; initialize anew.");
    if (exchange.logRecord !== undefined) exchange.logRecord.session = id.slice(0, 6);
    return session;
  }
}

function takeNotification({ method, params }: NotificationMessage, session: HttpSession, calls: CallsInWork): void {
  if (method === "notifications/initialized") session.state.ready = true;
  if (method === "notifications/cancelled") calls.cancel(session, params?.requestId as RequestId);
}

function takeNote(note: RequestRecord, { method, params }: RequestMessage): void {
  note.rpc = method;
  const name = params?.name ?? params?.uri;
  if (typeof name === "string") note.name = name;
}

function refusalText(error: RpcError, id: RequestId | undefined, revision: Revision): string {
  return errorMessage(id ?? revision.unreadableId, toErrorObject(error, revision));
}

/** Everything that is thrown before a call exists is about the request, and the request is at fault. */
function toRefusal(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof RpcError) return new HttpError(400, error);
  throw error;
}
