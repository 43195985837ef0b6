import type { Call } from "../../calls/call.ts";
import { LateHandlers } from "../../calls/late-handlers.ts";
import type { RequestId } from "../../protocol/messages.ts";
import type { HttpSession } from "./session.ts";

/** The method that goes on until somebody ends it. */
export const ENDLESS = "subscriptions/listen";

/**
 * The calls of one endpoint that were not answered at once. They are known by themselves and never by their ids: many
 * clients number every request alike.
 */
export class CallsInWork {
  /** Each knows its place: to find it by a hash would cost more than all else that is done with it here. */
  readonly #calls: Call[] = [];
  readonly #overruns = new LateHandlers();
  #endless = 0;
  #idle: (() => void) | undefined;

  /** How many calls take up room; those that only listen do not. */
  get size(): number {
    return this.#calls.length - this.#endless + this.#overruns.count;
  }

  add(call: Call): void {
    call.slot = this.#calls.length;
    this.#calls.push(call);
    if (isEndless(call)) this.#endless++;
    const session = sessionOf(call);
    if (session !== undefined) session.inWork++;
  }

  /** The call is answered or given up. */
  delete(call: Call): void {
    if (call.slot === -1) return;
    const last = this.#calls.pop() as Call;
    if (last !== call) {
      this.#calls[call.slot] = last;
      last.slot = call.slot;
    }
    call.slot = -1;
    if (isEndless(call)) this.#endless--;
    const session = sessionOf(call);
    if (session !== undefined) session.inWork--;
    this.#overruns.add(call);
    if (this.#calls.length === 0) this.#idle?.();
  }

  /** Gives up what a session cancels: its calls of that id, or all of them. */
  cancel(session: HttpSession, id?: RequestId): void {
    for (const call of [...this.#calls]) {
      if (sessionOf(call) !== session || (id !== undefined && call.id !== id)) continue;
      giveUp(call, id === undefined ? "The session has ended." : "The client cancelled the request.");
    }
  }

  /** Ends what would go on for ever, and resolves when the rest is answered. */
  drain(): Promise<void> {
    for (const call of [...this.#calls]) call.end?.();
    if (this.#calls.length === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle = resolve;
    });
  }

  /** Gives up all that is left. */
  close(reason: string): void {
    for (const call of [...this.#calls]) giveUp(call, reason);
  }
}

/** The session that a call belongs to: over HTTP, that is who hears of changes on its behalf. */
function sessionOf(call: Call): HttpSession | undefined {
  return call.origin.listener as HttpSession | undefined;
}

function isEndless(call: Call): boolean {
  return call.method === ENDLESS;
}

function giveUp(call: Call, reason: string): void {
  call.cancel(reason);
  call.origin.onSettled?.(call);
  call.origin.onCancelled?.(call);
}
