import { type CallerMarks, callerOfThing } from "../../calls/caller.ts";
import type { Principal, SessionState } from "../../calls/client.ts";
import { hasShare, ShareError } from "../../calls/in-flight.ts";
import { randomText } from "../../support/bytes.ts";
import type { HttpEndpoint } from "./endpoint.ts";
import type { ReplayBudget } from "./event-stream.ts";
import type { HttpExchange } from "./exchange.ts";
import { accepts, legacyRevision } from "./header-check.ts";
import { busyError, HttpError, NO_HEADERS, sendError } from "./http-error.ts";
import type { LegacySessions } from "./legacy-session.ts";
import { shareOf } from "./options.ts";
import { HttpSession } from "./session.ts";

export interface SessionOptions {
  /** Milliseconds after which an unused session ends. Default: 30 minutes. */
  readonly idleTimeout?: number;
  /**
   * Milliseconds in which a client that lost the connection of a question must reconnect; then the call is cancelled.
   * Default: 60,000.
   */
  readonly reconnectTimeout?: number;
  /**
   * The maximum number of sessions; one more ends the least recently used. With a `cluster`, the sessions of one caller; one
   * more is refused. Default: 10,000.
   */
  readonly max?: number;
  /** The bytes of events that a session keeps for a client that reconnects. Default: 1 MiB. */
  readonly maxReplayBytes?: number;
  /**
   * The bytes of `ctx.session` data, as JSON, and subscribed URIs that a session has in the store of a `cluster`. Default:
   * 64 KiB.
   */
  readonly maxDataBytes?: number;
}

/** The bytes of events that all sessions of an endpoint keep together. */
const MAX_REPLAY_BYTES = 64 * 1024 * 1024;
/** Sessions are ordered by their last use only to within this many milliseconds, because reordering is not free. */
const ORDER_STEP = 1000;
const ID_BYTES = 18;

/** The sessions of one endpoint. */
export class HttpSessions implements LegacySessions, ReplayBudget {
  readonly max = MAX_REPLAY_BYTES;
  used = 0;
  readonly #endpoint: HttpEndpoint;
  readonly #orderStep: number;
  /** The least recently used comes first. */
  readonly #sessions = new Map<string, HttpSession>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(endpoint: HttpEndpoint) {
    this.#endpoint = endpoint;
    this.#orderStep = Math.min(ORDER_STEP, endpoint.limits.idleTimeout / 10);
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** @throws {HttpError} if the caller has its share of the sessions, and all of them are busy. */
  add(state: SessionState, { principal, address }: CallerMarks): HttpSession | undefined {
    const session = new HttpSession(state, { principal, address }, this.#endpoint, this);
    if (!this.#makeRoom(session.opener)) return undefined;
    session.lastUsed = Date.now();
    this.#sessions.set(state.id, session);
    this.#timer ??= this.#schedule();
    return session;
  }

  /** The session with that id, if it belongs to the caller. Counts as a use. */
  find(id: string, principal: Principal | undefined): HttpSession | undefined {
    const session = this.#sessions.get(id);
    // For anyone but its owner, the session does not exist.
    if (session === undefined || session.opener.principal?.id !== principal?.id) return undefined;
    const now = Date.now();
    if (now - session.lastUsed > this.#endpoint.limits.idleTimeout && !session.busy) {
      this.end(session);
      return undefined;
    }
    this.#touch(session, now);
    session.principal = principal;
    return session;
  }

  require(exchange: HttpExchange): HttpSession {
    const id = sessionIdOf(exchange);
    return found(exchange, id, this.find(id, exchange.principal));
  }

  end(session: HttpSession): void {
    if (!this.#sessions.delete(session.state.id)) return;
    this.#endpoint.cancel(session);
    session.close();
  }

  endAll(): void {
    for (const session of [...this.#sessions.values()]) this.end(session);
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /**
   * Frees memory when all logs together are too large: the least recently used sessions drop their events first, and
   * before them those of callers with more than a tenth.
   */
  exceeded(): void {
    const bytes = new Map<string | undefined, number>();
    const all = [...this.#sessions.values()];
    const used = ({ opener }: HttpSession) => bytes.get(callerOfThing(opener)) ?? 0;
    for (const session of all) bytes.set(callerOfThing(session.opener), used(session) + session.keptBytes);
    const large = all.filter((session) => used(session) * 10 > this.max);
    for (const session of [...large, ...all]) {
      if (this.used <= this.max) return;
      session.dropEvents();
    }
  }

  #touch(session: HttpSession, now: number): void {
    if (now - session.lastUsed < this.#orderStep) return;
    session.lastUsed = now;
    this.#sessions.delete(session.state.id);
    this.#sessions.set(session.state.id, session);
  }

  /** Ends the least recently used session if there is no room: one of the caller, if it has its share of them. */
  #makeRoom(opener: CallerMarks): boolean {
    const { maxSessions } = this.#endpoint.limits;
    const share = shareOf(maxSessions);
    const isShared = this.#sessions.size * 2 >= maxSessions && hasShare(opener, share, this.#openers());
    if (!isShared && this.#sessions.size < maxSessions) return true;
    const caller = callerOfThing(opener);
    for (const session of this.#sessions.values()) {
      if (session.busy || (isShared && callerOfThing(session.opener) !== caller)) continue;
      this.end(session);
      return true;
    }
    if (isShared) throw busyError(new ShareError(share, "sessions"));
    return false;
  }

  *#openers(): Iterable<CallerMarks> {
    for (const { opener } of this.#sessions.values()) yield opener;
  }

  #schedule(): ReturnType<typeof setTimeout> {
    const timer = setTimeout(() => this.#sweep(), this.#endpoint.limits.idleTimeout / 4);
    // In Node, this timer must not keep the process alive.
    (timer as { unref?: () => void }).unref?.();
    return timer;
  }

  #sweep(): void {
    const now = Date.now();
    for (const session of this.#sessions.values()) {
      if (now - session.lastUsed < this.#endpoint.limits.idleTimeout) break;
      if (session.busy) this.#touch(session, now);
      else this.end(session);
    }
    this.#timer = this.#sessions.size === 0 ? undefined : this.#schedule();
  }
}

/** The session id in the header of a request. @throws {HttpError} if there is none. */
export function sessionIdOf(exchange: HttpExchange): string {
  const id = exchange.header("mcp-session-id");
  if (id === undefined) throw new HttpError(400, "The header Mcp-Session-Id is missing; send initialize first.");
  return id;
}

/** Returns the session of a request, and notes it in the request log. @throws {HttpError} if there is no such session. */
export function found<Session>(exchange: HttpExchange, id: string, session: Session | undefined): Session {
  if (session === undefined) throw new HttpError(404, "Unknown or expired session; send initialize again.");
  if (exchange.logRecord !== undefined) exchange.logRecord.session = id.slice(0, 6);
  return session;
}

/** The response to a message for a stream of 2024-11-05 that does not exist, or belongs to someone else. */
export function unknownStream(): HttpError {
  return new HttpError(404, "Unknown session; open the stream first.");
}

/** Creates an id that cannot be guessed, of characters that a header allows. */
export function createSessionId(): string {
  return randomText(ID_BYTES);
}

/** Handles GET, which opens or resumes a stream of a session. @throws {HttpError} if the client cannot have one. */
export function openStandalone(endpoint: HttpEndpoint, exchange: HttpExchange): void {
  const accept = exchange.header("accept");
  if (accept !== undefined && !accepts(accept, "text/event-stream")) {
    throw new HttpError(406, "The Accept header must allow text/event-stream.");
  }
  legacyRevision(exchange, endpoint.server.revisions, undefined);
  const session = endpoint.sessions?.require(exchange);
  endpoint.checkStreams(session ?? exchange);
  const lastEventId = exchange.header("last-event-id");
  const opened = lastEventId === undefined ? session?.listen(exchange) : session?.resume(exchange, lastEventId);
  if (opened instanceof Promise) answerFailure(exchange, opened);
}

/** Handles DELETE, which ends a session. @throws {HttpError} if there is no such session. */
export function endSession({ sessions }: HttpEndpoint, exchange: HttpExchange): void {
  const session = sessions?.require(exchange);
  const ended = session && sessions?.end(session);
  const confirm = () => exchange.send(204, NO_HEADERS);
  if (ended instanceof Promise) answerFailure(exchange, ended.then(confirm));
  else confirm();
}

/** Answers with the error if the work on a request fails. */
export function answerFailure(exchange: HttpExchange, work: Promise<void>): void {
  work.catch((error) => {
    if (!(error instanceof HttpError)) throw error;
    sendError(exchange, error);
  });
}
