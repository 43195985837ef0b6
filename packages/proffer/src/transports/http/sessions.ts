import type { Principal } from "../../calls/principal.ts";
import type { SessionState } from "../../calls/session.ts";
import { toBase64Url } from "../../support/bytes.ts";
import type { ReplayBudget } from "./event-log.ts";
import { HttpSession, type SessionHost } from "./session.ts";

export interface SessionOptions {
  /** Milliseconds after which a session that nobody uses ends. Default: 30 minutes. */
  readonly idleTimeout?: number;
  /** How many there may be; one more ends the one that was not used for longest. Default: 10,000. */
  readonly max?: number;
  /** How many bytes of events a session keeps for a client that comes back. Default: 1 MiB. */
  readonly maxReplayBytes?: number;
}

export interface SessionsHost extends SessionHost {
  readonly idleTimeout: number;
  readonly max: number;
  /** Hears that a session has ended, so that what it was doing can be given up. */
  sessionEnded(session: HttpSession): void;
}

/** All sessions together keep no more events than this. */
const MAX_REPLAY_BYTES = 64 * 1024 * 1024;
/** Sessions are kept in the order of their last use, to within this many milliseconds: ordering costs something. */
const ORDER_STEP = 1000;
const ID_BYTES = 18;

/** The sessions of one endpoint. */
export class HttpSessions implements ReplayBudget {
  readonly max = MAX_REPLAY_BYTES;
  used = 0;
  readonly #host: SessionsHost;
  readonly #orderStep: number;
  /** The one that was not used for longest comes first. */
  readonly #sessions = new Map<string, HttpSession>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: SessionsHost) {
    this.#host = host;
    this.#orderStep = Math.min(ORDER_STEP, host.idleTimeout / 10);
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Keeps a new session; undefined if there is no room and all others are in use. */
  add(state: SessionState, principal: Principal | undefined): HttpSession | undefined {
    if (this.#sessions.size >= this.#host.max && !this.#evict()) return undefined;
    const session = new HttpSession(state, principal?.id, this.#host, this);
    session.lastUsed = Date.now();
    this.#sessions.set(state.id, session);
    this.#timer ??= this.#schedule();
    return session;
  }

  /** The session of that id, if it is the caller's. Asking for it counts as using it. */
  find(id: string, principal: Principal | undefined): HttpSession | undefined {
    const session = this.#sessions.get(id);
    // To anyone else it does not exist.
    if (session === undefined || session.owner !== principal?.id) return undefined;
    const now = Date.now();
    if (now - session.lastUsed > this.#host.idleTimeout && !session.busy) {
      this.end(session);
      return undefined;
    }
    this.#touch(session, now);
    return session;
  }

  end(session: HttpSession): void {
    if (!this.#sessions.delete(session.state.id)) return;
    this.#host.sessionEnded(session);
    session.close();
  }

  endAll(): void {
    for (const session of [...this.#sessions.values()]) this.end(session);
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Makes room when the logs of all sessions hold too much: those that were not used for longest forget first. */
  exceeded(): void {
    for (const session of this.#sessions.values()) {
      if (this.used <= this.max) return;
      session.forget();
    }
  }

  #touch(session: HttpSession, now: number): void {
    if (now - session.lastUsed < this.#orderStep) return;
    session.lastUsed = now;
    this.#sessions.delete(session.state.id);
    this.#sessions.set(session.state.id, session);
  }

  #evict(): boolean {
    for (const session of this.#sessions.values()) {
      if (session.busy) continue;
      this.end(session);
      return true;
    }
    return false;
  }

  #schedule(): ReturnType<typeof setTimeout> {
    const timer = setTimeout(() => this.#sweep(), this.#host.idleTimeout / 4);
    // Where timers keep a process alive, this one need not.
    (timer as { unref?: () => void }).unref?.();
    return timer;
  }

  #sweep(): void {
    const now = Date.now();
    for (const session of this.#sessions.values()) {
      if (now - session.lastUsed < this.#host.idleTimeout) break;
      if (session.busy) this.#touch(session, now);
      else this.end(session);
    }
    this.#timer = this.#sessions.size === 0 ? undefined : this.#schedule();
  }
}

/** An id that nobody can guess, of characters that a header may hold. */
export function createSessionId(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(ID_BYTES)));
}
