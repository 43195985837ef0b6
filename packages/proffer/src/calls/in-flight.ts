import type { ChangeListener } from "../catalog/changes.ts";
import { RpcError } from "../protocol/errors.ts";
import type { RequestId } from "../protocol/messages.ts";
import type { Call, CallOrigin } from "./call.ts";
import { type CallerMarks, callerOfThing } from "./caller.ts";

/** The method that stays open until the client or the server ends it. */
export const LISTEN = "subscriptions/listen";

/** The calls that are not answered yet: of one connection, or of one HTTP endpoint. */
export class InFlight {
  /**
   * Each call knows its slot in this array. A Map by id would cost more than all else that happens here, and the hash
   * tables that a growing and shrinking Map leaves behind keep answered calls alive until a full garbage collection.
   */
  protected readonly calls: Call[] = [];
  readonly #max: number;
  #uncounted = 0;
  /**
   * Calls whose handlers still run although they were cancelled, or answered when their time limit was up. They count:
   * otherwise a tool that hangs could be called again and again, and no limit would ever be reached.
   */
  protected readonly late = new Set<Call>();
  #draining = false;
  #onIdle: (() => void) | undefined;

  /** With `max` calls in flight, the next one is rejected as busy. */
  constructor(max = Number.POSITIVE_INFINITY) {
    this.#max = max;
  }

  /** The number of calls and late handlers. */
  get size(): number {
    return this.calls.length - this.#uncounted + this.late.size;
  }

  /** How many of them count towards the limit: of one client, all. */
  protected get held(): number {
    return this.size;
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** Why no further call of that origin can start; undefined if one can. */
  busy(_origin: CallOrigin): RpcError | undefined {
    if (this.#draining) return shuttingDown();
    if (this.held < this.#max) return undefined;
    return new RpcError("busy", `The server is busy: ${this.#max} requests are in flight. Try again later.`);
  }

  /** The call of a client with that id. Ids are unique only within a client: many clients count from 1. */
  find(client: ChangeListener, id: RequestId): Call | undefined {
    for (const call of this.calls) if (call.id === id && call.origin.listener === client) return call;
    return undefined;
  }

  /** The calls of a client; without one, all. */
  all(client?: ChangeListener): Call[] {
    return client === undefined ? this.calls.slice() : this.calls.filter((call) => call.origin.listener === client);
  }

  add(call: Call): void {
    call.slot = this.calls.length;
    this.calls.push(call);
    if (isUncounted(call)) this.#uncounted++;
  }

  /** Removes a call that is answered or cancelled; false if it is not in the table. */
  delete(call: Call): boolean {
    if (call.slot === -1) return false;
    const last = this.calls.pop() as Call;
    if (last !== call) {
      this.calls[call.slot] = last;
      last.slot = call.slot;
    }
    call.slot = -1;
    if (isUncounted(call)) this.#uncounted--;
    if (call.lateHandler !== undefined) this.#countUntilSettled(call, call.lateHandler);
    if (this.calls.length === 0) this.#onIdle?.();
    return true;
  }

  /** Accepts no more calls, ends those that listen, and resolves when the rest is answered. */
  drain(): Promise<void> {
    this.#draining = true;
    for (const call of this.all()) call.end?.();
    return new Promise((resolve) => {
      this.#onIdle = resolve;
      if (this.calls.length === 0) resolve();
    });
  }

  #countUntilSettled(call: Call, handler: Promise<unknown>): void {
    this.late.add(call);
    call.release = () => this.late.delete(call);
    handler.then(call.release, call.release);
  }
}

/** Whether a call is counted as a stream instead. */
function isUncounted(call: Call): boolean {
  return call.method === LISTEN && call.origin.countsStreams === true;
}

/** Cancels a call and removes it from the table it is in; it is not answered. */
export function cancelCall(call: Call, reason: string): void {
  call.cancel(reason);
  call.origin.onSettled?.(call);
  call.origin.onCancelled?.(call);
}

export function shuttingDown(): RpcError {
  return new RpcError("busy", "The server is shutting down; connect again later.");
}

/**
 * A caller has its share of a busy server: 429, while others are served. Otherwise one caller could take the whole server.
 * Shares apply once half of a limit is in use, so that a server with few callers does not count them.
 */
export class ShareError extends RpcError {
  constructor(share: number, things: string) {
    super("busy", `The server is busy, and this caller has ${share} ${things}, its share. Try again later.`);
  }
}

/** Whether a caller causes that many of some things. Callers about whom nothing is known are different callers. */
export function hasShare(marks: CallerMarks, share: number, things: Iterable<CallerMarks>): boolean {
  const caller = callerOfThing(marks);
  if (caller === undefined) return false;
  let left = share;
  for (const thing of things) if (callerOfThing(thing) === caller && --left <= 0) return true;
  return left <= 0;
}

/** Late handlers of all callers for each request that may be in flight. */
const LATE_PER_CALL = 10;

/** The calls in flight of one endpoint, with a share for each caller. */
export class SharedInFlight extends InFlight {
  readonly #max: number;
  readonly #share: number;

  constructor(max: number, share: number) {
    super(max);
    this.#max = max;
    this.#share = Math.min(share, max);
  }

  /**
   * A late handler takes no slot from other callers, or a tool that hangs would stop the server for good; it only counts
   * for the share of its own. All of them together are bounded too, because each takes memory.
   */
  protected override get held(): number {
    return Math.max(this.size - this.late.size, this.late.size / LATE_PER_CALL);
  }

  override busy(origin: CallOrigin): RpcError | undefined {
    const full = super.busy(origin);
    if (full !== undefined || this.size * 2 < this.#max) return full;
    return hasShare(origin, this.#share, this.#origins())
      ? new ShareError(this.#share, "requests in flight")
      : undefined;
  }

  *#origins(): Iterable<CallerMarks> {
    for (const call of this.calls) if (!isUncounted(call)) yield call.origin;
    for (const call of this.late) yield call.origin;
  }
}
