import type { Call } from "../../calls/call.ts";
import type { CallerMarks } from "../../calls/caller.ts";
import type { Principal, SessionState } from "../../calls/client.ts";
import type { ClientResponse } from "../../calls/client-requests.ts";
import type { ChangeListener } from "../../catalog/changes.ts";
import type { JsonObject, NotificationMessage, ResponseMessage, Wire } from "../../protocol/messages.ts";
import type { MessageFault } from "../../protocol/parse.ts";
import type { HttpEndpoint } from "./endpoint.ts";
import type { DisconnectListener, HttpExchange } from "./exchange.ts";

/** A stream that answers one request of a session, and that its client can resume. */
export interface ReplyStream {
  /** Whether its client receives events right now. */
  readonly connected: boolean;
  send(wire: Wire): void;
  /** Ends the connection; the client can resume the stream. */
  release(): void;
}

/** The part of a session that identifies and counts its calls in flight on this node. */
export interface SessionCalls extends ChangeListener {
  /** A call was not answered synchronously. */
  started(): void;
  /** Such a call is answered or cancelled. */
  settled(): void;
}

/**
 * A session of an older revision, for one request. In memory it is the session itself, and no method returns a promise.
 * In a cluster it is read from the shared store, and a promise rejects with an `HttpError` if the store fails.
 */
export interface LegacySession extends CallerMarks {
  readonly state: SessionState;
  readonly listener: SessionCalls;
  /** Receives a notification of the client. */
  notified(message: NotificationMessage): void | Promise<void>;
  /** Receives the client's response to a request of the server; ignores a response to no request. */
  receive(message: ResponseMessage): void | Promise<void>;
  /** Fails the request that an invalid response belongs to. */
  receiveFault(fault: MessageFault): void | Promise<void>;
  /** Sends a request to the client on behalf of a call. */
  request(call: Call, method: string, params: JsonObject, write: (text: string) => void): Promise<ClientResponse>;
  /** Opens the stream that answers one request. */
  openStream(exchange: HttpExchange, listener: DisconnectListener): ReplyStream;
  /** Closes the stream of an answered request; its events are kept for a client that missed them. */
  closeStream(stream: ReplyStream): void;
  /** Whether its client listens right now, and so may still answer a question of that stream. */
  listens(stream: ReplyStream): boolean | Promise<boolean>;
  /** Saves the changes that a call made to the session; undefined if there are none. */
  save?(): Promise<void> | undefined;
  /** Opens the standalone stream. @throws {HttpError} if one is already open. */
  listen(exchange: HttpExchange): void | Promise<void>;
  /** Resumes a stream after the client's last event. @throws {HttpError} if the events after it are no longer kept. */
  resume(exchange: HttpExchange, lastEventId: string): void | Promise<void>;
}

/** The sessions of one endpoint: in the memory of this process, or shared by all nodes. */
export interface LegacySessions {
  /** The number of sessions in this process: all, or in a cluster those with an open stream or call here. */
  readonly size: number;
  /** Reads the session that a request names, so that `require` finds it. Absent if the sessions are in memory. */
  load?(exchange: HttpExchange): Promise<void>;
  /** The session that a request names. @throws {HttpError} if it names none, or one that does not exist. */
  require(exchange: HttpExchange): LegacySession;
  /** Adds a new session; undefined if the limit is reached and every other session is busy. */
  add(state: SessionState, client: CallerMarks): LegacySession | undefined | Promise<LegacySession>;
  end(session: LegacySession): void | Promise<void>;
  /** The endpoint closes: ends the sessions of this process. */
  endAll(): void | Promise<void>;
}

/** Brings the messages of clients of 2024-11-05 to the node that has their stream. */
export interface MessageRelay {
  /** Enters a stream of this node. Returns a function that ends it. */
  open(id: string, principal: Principal | undefined): Promise<() => void>;
  /** Accepts a message for a stream of another node. @throws {HttpError} if there is no such stream of the caller. */
  forward(exchange: HttpExchange, id: string): Promise<void>;
  close(): Promise<void>;
}

/** The part of a feature that keeps sessions for an endpoint, instead of this process. */
export interface HttpFeature {
  createSessions(endpoint: HttpEndpoint): LegacySessions;
  createRelay(endpoint: HttpEndpoint, receive: (id: string, text: string) => void): MessageRelay;
}
