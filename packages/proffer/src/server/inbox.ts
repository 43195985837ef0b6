import { batchProblem, batchRevision, countResponses, createBatch } from "../calls/batch.ts";
import { Call, type CallOrigin } from "../calls/call.ts";
import { RpcError } from "../protocol/errors.ts";
import {
  isRequest,
  type Message,
  type NotificationMessage,
  type RequestMessage,
  type ResponseMessage,
} from "../protocol/messages.ts";
import { MessageFault, parseMessage } from "../protocol/parse.ts";
import type { Revision } from "../protocol/revisions/revision.ts";
import { errorText } from "../results/encode.ts";
import { dispatch, respondError } from "./dispatch.ts";
import type { ServerState } from "./server.ts";

/** A message that gets no response. */
export type OneWayMessage = NotificationMessage | ResponseMessage | MessageFault;

/** A request that may start: the receiver of its response, and the revision in which it is served. */
export interface Admitted {
  readonly origin: CallOrigin;
  readonly revision: Revision;
}

/** The part of a batch that differs between transports. */
export interface BatchReply {
  readonly origin: CallOrigin;
  /** Its requests, before the first one runs. @throws {Error} if none may run. */
  start?(calls: readonly Call[]): void;
  /** Sends the responses of all its requests. */
  send(text: string): void;
  /** Receives an item that is no request. */
  receive(item: OneWayMessage): unknown;
  /** All items were received or started: those that return a promise are still being received. */
  received?(pending: Promise<unknown> | undefined): void;
}

/**
 * The path of a client's message from its text to `dispatch`, for every transport: parse, find the revision, admit, open the
 * session of `initialize`, create the call. `Where` is the place at which a message arrived, such as an HTTP exchange.
 */
export abstract class Inbox<Where> {
  readonly server: ServerState;

  constructor(server: ServerState) {
    this.server = server;
  }

  /** Finds the revision of a request, and opens the session of an `initialize`. @throws {Error} if it cannot start. */
  protected abstract admit(message: RequestMessage, where: Where): Admitted | Promise<Admitted>;

  /** Why a request of a batch cannot start now. */
  protected abstract busy(call: Call): RpcError | undefined;

  /** Checks a call before it starts. @throws {Error} if it must not. */
  protected check?(call: Call): void;

  /** Keeps a call that was not answered synchronously. */
  protected abstract keep(call: Call): void;

  /** Receives a message that gets no response. */
  protected abstract receiveOneWay(message: OneWayMessage, where: Where): void;

  /** The revision of a batch, if it names that one. */
  protected abstract revisionOfBatch(named: Revision | undefined, where: Where): Revision;

  /** Prepares the reply to a batch. */
  protected abstract openBatch(
    items: readonly (Message | MessageFault)[],
    revision: Revision,
    where: Where,
  ): BatchReply;

  /** Answers a request, or a batch, that was not admitted. */
  protected abstract refuse(error: unknown, where: Where, message?: RequestMessage): void;

  /** Handles the text of one message or batch. */
  receive(text: string, where: Where): void {
    const parsed = parseMessage(text, this.server.limits.messageItems);
    if (!Array.isArray(parsed) && isCall(parsed)) {
      this.#receiveRequest(parsed, where);
      return;
    }
    try {
      if (Array.isArray(parsed)) this.#receiveBatch(parsed, where);
      else this.receiveOneWay(parsed, where);
    } catch (error) {
      this.refuse(error, where);
    }
  }

  #receiveRequest(message: RequestMessage, where: Where): void {
    try {
      const admitted = this.admit(message, where);
      if (!(admitted instanceof Promise)) this.#start(message, admitted);
      else admitted.then((each) => this.#start(message, each)).catch((error) => this.refuse(error, where, message));
    } catch (error) {
      this.refuse(error, where, message);
    }
  }

  #start(message: RequestMessage, { origin, revision }: Admitted): void {
    const call = new Call(this.server, origin, revision, message);
    this.check?.(call);
    this.#run(call);
  }

  #run(call: Call): void {
    dispatch(call);
    if (!call.done) this.keep(call);
  }

  #receiveBatch(items: readonly (Message | MessageFault)[], where: Where): void {
    const revision = this.revisionOfBatch(batchRevision(items, this.server.revisions), where);
    const problem = batchProblem(items, revision);
    if (problem !== undefined) throw new RpcError("invalid_request", problem);
    const reply = this.openBatch(items, revision, where);
    const batch = createBatch(reply.origin, countResponses(items), (text) => reply.send(text));
    const calls = items.map((item) => isCall(item) && new Call(this.server, batch, revision, item));
    reply.start?.(calls.filter((call) => call !== false));
    const received: unknown[] = [];
    for (const [index, item] of items.entries()) {
      const call = calls[index];
      const busy = call && this.busy(call);
      if (busy) respondError(call, busy);
      else if (call) this.#run(call);
      else received.push(reply.receive(item as OneWayMessage));
      if (item instanceof MessageFault && !item.notification) batch.add(errorText(item.error, item.id, revision));
    }
    reply.received?.(received.some((each) => each instanceof Promise) ? Promise.all(received) : undefined);
  }
}

function isCall(item: Message | MessageFault): item is RequestMessage {
  return !(item instanceof MessageFault) && isRequest(item);
}
