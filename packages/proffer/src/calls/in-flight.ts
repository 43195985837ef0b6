import { RpcError } from "../protocol/errors.ts";
import type { RequestId } from "../protocol/messages.ts";
import type { Call } from "./call.ts";

/** The method that stays open until the client or the server ends it. */
export const LISTEN = "subscriptions/listen";

export interface InFlightOptions {
  /** With this many calls in flight, the next one is rejected as busy. Default: no limit. */
  readonly max?: number | undefined;
  /** Whether `subscriptions/listen` counts; over HTTP the number of streams bounds it instead. Default: true. */
  readonly countListening?: boolean;
}

/** The calls that are not answered yet: of one connection, or of one HTTP endpoint. */
export class InFlight {
  /**
   * Each call knows its slot in this array. A Map by id would cost more than all else that happens here, and the hash
   * tables that a growing and shrinking Map leaves behind keep answered calls alive until a full garbage collection.
   */
  readonly #calls: Call[] = [];
  readonly #max: number;
  readonly #countListening: boolean;
  #uncounted = 0;
  /**
   * Handlers that still run although their call was answered when its time limit was up. They count: otherwise a tool
   * that hangs could be called again and again, and no limit would ever be reached.
   */
  #late = 0;
  #draining = false;
  #onIdle: (() => void) | undefined;

  constructor({ max = Number.POSITIVE_INFINITY, countListening = true }: InFlightOptions = {}) {
    this.#max = max;
    this.#countListening = countListening;
  }

  /** The number of calls and late handlers that count towards the limit. */
  get size(): number {
    return this.#calls.length - this.#uncounted + this.#late;
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** Why no further call can start; undefined if one can. */
  busy(): RpcError | undefined {
    if (this.#draining) return shuttingDown();
    if (this.size < this.#max) return undefined;
    return new RpcError("busy", `The server is busy: ${this.#max} requests are in flight. Try again later.`);
  }

  /** The call with that id. Over HTTP ids are not unique, because many clients count from 1. */
  find(id: RequestId): Call | undefined {
    for (const call of this.#calls) if (call.id === id) return call;
    return undefined;
  }

  all(): Call[] {
    return this.#calls.slice();
  }

  add(call: Call): void {
    call.slot = this.#calls.length;
    this.#calls.push(call);
    if (this.#isUncounted(call)) this.#uncounted++;
  }

  /** Removes a call that is answered or cancelled; false if it is not in the table. */
  delete(call: Call): boolean {
    if (call.slot === -1) return false;
    const last = this.#calls.pop() as Call;
    if (last !== call) {
      this.#calls[call.slot] = last;
      last.slot = call.slot;
    }
    call.slot = -1;
    if (this.#isUncounted(call)) this.#uncounted--;
    if (call.lateHandler !== undefined) this.#countUntilSettled(call.lateHandler);
    if (this.#calls.length === 0) this.#onIdle?.();
    return true;
  }

  /** Accepts no more calls, ends those that listen, and resolves when the rest is answered. */
  drain(): Promise<void> {
    this.#draining = true;
    for (const call of this.all()) call.end?.();
    return new Promise((resolve) => {
      this.#onIdle = resolve;
      if (this.#calls.length === 0) resolve();
    });
  }

  #isUncounted(call: Call): boolean {
    return !this.#countListening && call.method === LISTEN;
  }

  #countUntilSettled(handler: Promise<unknown>): void {
    this.#late++;
    const settled = () => {
      this.#late--;
    };
    handler.then(settled, settled);
  }
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
