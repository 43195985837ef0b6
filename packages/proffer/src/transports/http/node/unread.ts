import type { IncomingMessage, ServerResponse } from "node:http";
import { type Room, type RoomUser, room } from "../../../support/room.ts";

/** Milliseconds between counts. Short time limits are checked more often. */
const INTERVAL = 1000;

/** A response whose client has not taken all of its bytes. */
export class UnreadResponse {
  readonly response: ServerResponse;
  /** A client that takes nothing for this many milliseconds is disconnected. */
  readonly timeout: number;
  /** Whoever sent the request; another one for each response if nothing is known. */
  readonly caller: unknown;
  /** The unread bytes of the whole connection, if it carries several responses at once. */
  readonly backlog: Backlog | undefined;
  /** Bytes of the response that were not passed to Node yet. */
  queued = 0;
  /** The unread bytes at the last count. */
  bytes = 0;
  #taken = 0;
  readonly #since = performance.now();
  #lastTaken = this.#since;

  constructor(response: ServerResponse, timeout: number, caller: string | undefined) {
    this.response = response;
    this.timeout = timeout;
    this.caller = caller ?? this;
    this.backlog = backlogOf(response);
  }

  /** Milliseconds until the client will have taken the rest, at its speed so far. */
  get timeLeft(): number {
    return (this.bytes * (performance.now() - this.#since)) / this.#taken;
  }

  get isStalled(): boolean {
    return performance.now() - this.#lastTaken > this.timeout;
  }

  /** Counts the unread bytes again; returns the difference. */
  count(): number {
    const { response } = this;
    const difference = (isGone(response) ? 0 : response.writableLength + this.queued) - this.bytes;
    this.bytes += difference;
    if (difference < 0) {
      this.#taken -= difference;
      this.#lastTaken = performance.now();
    }
    return difference;
  }
}

/**
 * The responses that clients have not read, of all servers of the process. Only a response that could not be written
 * at once is here, so an ordinary one costs nothing. One timer serves all of them.
 */
class UnreadResponses implements RoomUser {
  bytes = 0;
  readonly #room: Room;
  readonly #all = new Set<UnreadResponse>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #interval = INTERVAL;

  constructor(shared: Room) {
    this.#room = shared;
    shared.share(this);
  }

  get size(): number {
    return this.#all.size;
  }

  /**
   * Counts a response that has more bytes now. If too many bytes are unread in the whole process, the connections that
   * would keep them longest are closed. One response may be larger than the limit, or it could never be sent.
   */
  add(unread: UnreadResponse): void {
    this.#all.add(unread);
    this.update(unread);
    this.#schedule(unread.timeout / 4);
    const { max } = this.#room;
    const limit = unread.bytes > max ? max + unread.bytes : max;
    if (this.bytes > limit) this.recount();
    while (this.bytes > limit && this.makeRoom(unread)) {}
  }

  /** Counts a response again, and forgets it when its client has taken everything. */
  update(unread: UnreadResponse): void {
    const difference = unread.count();
    this.bytes += difference;
    if (unread.bytes === 0) this.#all.delete(unread);
    if (difference !== 0) unread.backlog?.add(difference);
  }

  recount(): void {
    for (const unread of this.#all) this.update(unread);
  }

  /**
   * Closes the connection whose client would take longest for the rest; never that of `except`. It is one of a caller that
   * has more than a tenth of the room beside its largest response, if there is such a caller.
   */
  makeRoom(except?: UnreadResponse): boolean {
    const excess = this.#excess();
    const isOver = ({ caller }: UnreadResponse) => (excess.get(caller) ?? 0) * 10 > this.#room.max;
    const all = [...this.#all].filter((unread) => unread !== except && unread.bytes > 0);
    const over = all.filter(isOver);
    const [first, ...others] = over.length > 0 ? over : all;
    if (first === undefined) return false;
    this.#close(others.reduce((slowest, each) => (each.timeLeft > slowest.timeLeft ? each : slowest), first));
    return true;
  }

  /** The unread bytes of each caller beside its largest response: a large one alone is no abuse. */
  #excess(): Map<unknown, number> {
    const excess = new Map<unknown, number>();
    const largest = new Map<unknown, number>();
    for (const { caller, bytes } of this.#all) {
      const most = largest.get(caller) ?? 0;
      largest.set(caller, Math.max(most, bytes));
      excess.set(caller, (excess.get(caller) ?? 0) + Math.min(most, bytes));
    }
    return excess;
  }

  #close(unread: UnreadResponse): void {
    unread.queued = 0;
    unread.response.destroy();
    this.bytes -= unread.bytes;
    unread.backlog?.add(-unread.bytes);
    unread.bytes = 0;
    this.#all.delete(unread);
  }

  #sweep(): void {
    this.#timer = undefined;
    this.#interval = INTERVAL;
    for (const unread of this.#all) {
      this.update(unread);
      if (unread.isStalled) this.#close(unread);
      else if (unread.bytes > 0) this.#schedule(unread.timeout / 4);
    }
    this.#room.admit();
  }

  #schedule(wanted: number): void {
    if (this.#timer !== undefined && wanted >= this.#interval) return;
    this.#interval = Math.min(wanted, INTERVAL);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#sweep(), this.#interval);
    this.#timer.unref();
  }
}

export const unreadResponses: UnreadResponses = /* @__PURE__ */ new UnreadResponses(room);

/** The part of an HTTP/2 stream that is used here. */
interface Stream {
  readonly closed: boolean;
  readonly destroyed: boolean;
  readonly session?: object | undefined;
}

/** The unread bytes of one HTTP/2 connection, and the requests that wait until there are fewer. */
class Backlog {
  bytes = 0;
  /** Called when at most `max` bytes are unread. */
  readonly waiting = new Set<() => void>();
  max = 0;

  add(difference: number): void {
    this.bytes += difference;
    if (this.bytes <= this.max) for (const start of this.waiting) start();
  }
}

const backlogs = new WeakMap<object, Backlog>();

/** The stream of a response over HTTP/2; undefined over HTTP/1. */
function streamOf(response: ServerResponse): Stream | undefined {
  return (response as { stream?: Stream }).stream;
}

/** Whether the client can no longer be answered. Over HTTP/2, a response has no `destroyed`: its stream was reset or ended. */
export function isGone(response: ServerResponse): boolean {
  const stream = streamOf(response);
  return stream === undefined ? response.destroyed : stream.closed || stream.destroyed;
}

/** The backlog of an HTTP/2 connection; undefined over HTTP/1, where a connection has one response at a time. */
function backlogOf(response: ServerResponse): Backlog | undefined {
  const session = streamOf(response)?.session;
  if (session === undefined) return undefined;
  let backlog = backlogs.get(session);
  if (backlog === undefined) {
    backlog = new Backlog();
    backlogs.set(session, backlog);
  }
  return backlog;
}

/** Whether the client of an HTTP/2 connection must first read all but `max` of its unread bytes. */
export function isOverBacklog(response: ServerResponse, max: number): boolean {
  const session = streamOf(response)?.session;
  const backlog = session && backlogs.get(session);
  return backlog !== undefined && backlog.bytes > max;
}

/** The requests that may wait on one connection. */
const MAX_WAITING = 256;

/** The requests that wait, and that may wait, on all connections of the process. */
export const turns = { waiting: 0, max: 10_000 };

/** Those of each connection and of each caller. */
const waiting = new Map<unknown, number>();

/**
 * Calls back when the response before this one is written, or, over HTTP/2, when the connection has at most `max` bytes
 * unread; never if the client disconnects first. Node parses as many requests as a client sends, so a connection with too
 * many waiting ones is closed; over HTTP/2, the stream. Pausing it instead would hide that its client disconnects, and the
 * call before would never be cancelled.
 */
export function waitForTurn(
  request: IncomingMessage,
  response: ServerResponse,
  caller: string | undefined,
  max: number,
  start: () => void,
): void {
  const { socket } = request;
  const backlog = backlogOf(response);
  const connection = backlog ?? socket;
  const keys = caller === undefined ? [connection] : [connection, caller];
  const isShared = turns.waiting * 2 >= turns.max && (waiting.get(caller) ?? 0) * 10 >= turns.max;
  if ((waiting.get(connection) ?? 0) >= MAX_WAITING || turns.waiting >= turns.max || isShared) {
    socket.destroy();
    return;
  }
  count(keys, 1);
  const leave = () => {
    count(keys, -1);
    backlog?.waiting.delete(begin);
  };
  const begin = () => {
    request.off("close", leave);
    leave();
    process.nextTick(start);
  };
  request.once("close", leave);
  if (backlog === undefined) {
    // Node assigns the socket when the response before this one is written.
    response.once("socket", begin);
    return;
  }
  backlog.max = max;
  backlog.waiting.add(begin);
}

function count(keys: readonly unknown[], difference: number): void {
  turns.waiting += difference;
  for (const key of keys) {
    const left = (waiting.get(key) ?? 0) + difference;
    if (left > 0) waiting.set(key, left);
    else waiting.delete(key);
  }
}
