import type { Call } from "../../calls/call.ts";
import { callerOf } from "../../calls/caller.ts";
import { delayOf } from "../../calls/timeout.ts";
import type { Asked } from "../../client/options.ts";
import type { JsonObject } from "../../protocol/messages.ts";
import type { LogLevel } from "../../protocol/model.ts";
import type { CallContext } from "../../questions/context.ts";
import { ToolError } from "../../results/content.ts";
import type { ServerState } from "../../server/server.ts";
import { unref } from "../../support/async.ts";
import { memoized } from "../../support/memo.ts";
import type { Lease, Running } from "./connection.ts";

/** A question of a server that waits for the answer in the middle of a call. */
interface Waiting extends Asked {
  resolve(answer: object): void;
  reject(error: Error): void;
}

/** Questions of one call. A server could ask any number. */
const MAX_QUESTIONS = 100;

/** The questions of one call so far, in their order. */
export class Questions {
  readonly all: Waiting[] = [];
  /** Those that the caller has not answered. */
  unanswered = 0;
  /** Whether the caller is asked in rounds: then the end of a request does not end the call while a question is open. */
  isInRounds = false;
  onAdded = () => {};
  #wake = () => {};

  add(asked: Asked): Promise<object> {
    if (this.all.length >= MAX_QUESTIONS) return Promise.reject(new Error(`A call has ${MAX_QUESTIONS} questions.`));
    return new Promise((resolve, reject) => {
      this.all.push({ ...asked, resolve, reject });
      this.onAdded();
      this.#wake();
    });
  }

  get areParked(): boolean {
    return this.isInRounds && this.unanswered > 0;
  }

  /** Resolves when there are more questions than these. */
  more(known: number): Promise<undefined> {
    if (this.all.length > known) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#wake = () => resolve(undefined);
    });
  }
}

/** A call that is open at a server which asks in the middle of it. */
export interface Followed {
  readonly questions: Questions;
  readonly outcome: Promise<JsonObject>;
  /** Progress and log messages go to this request from now on. */
  attach(ctx: CallContext): void;
  cancel(reason: unknown): void;
}

/** The arguments of `ctx.progress`, which ignores a value that does not grow. */
export function progressOf({ progress, total, message }: JsonObject): [number, number | undefined, string | undefined] {
  return [
    Number(progress),
    typeof total === "number" ? total : undefined,
    typeof message === "string" ? message : undefined,
  ];
}

/** A call that is open on a connection of this process. It outlives the requests of a caller who is asked in rounds. */
export class OpenCall implements Followed, Running {
  readonly questions = new Questions();
  readonly outcome: Promise<JsonObject>;
  readonly #stop = new AbortController();
  #ctx: CallContext | undefined;

  /** @param send - sends the request; the signal cancels it. */
  constructor(lease: Lease, send: (signal: AbortSignal, progress: (value: JsonObject) => void) => Promise<JsonObject>) {
    lease.connection.begin(this);
    this.outcome = send(this.#stop.signal, (value) => this.#ctx?.progress(...progressOf(value))).finally(() => {
      lease.connection.end(this);
      lease.release();
    });
    // It may fail while nobody waits for it.
    this.outcome.catch(() => undefined);
  }

  attach(ctx: CallContext): void {
    this.#ctx = ctx;
  }

  ask(asked: Asked): Promise<object> {
    return this.questions.add(asked);
  }

  log(level: LogLevel, data: unknown, logger: string | undefined): void {
    if (!this.#stop.signal.aborted) this.#ctx?.log(level, data, logger);
  }

  cancel(reason: unknown): void {
    this.#stop.abort(reason);
    for (const { reject } of this.questions.all) reject(new Error("The call was cancelled."));
  }
}

/** Calls of one caller, and of all, that wait for answers. Each holds a connection. */
const MAX_OF_CALLER = 10;
const MAX_PARKED = 1000;

interface Parked {
  readonly open: Followed;
  readonly caller: string | undefined;
  timer: ReturnType<typeof setTimeout>;
}

/** The open calls of one server whose callers are being asked between two requests, by the chain of the call. */
export class ParkedCalls {
  readonly #calls = new Map<string, Parked>();

  get size(): number {
    return this.#calls.size;
  }

  /**
   * Keeps a call for the next request, as long as a question lives. Returns whether it is new.
   * @throws {ToolError} if too many calls wait.
   */
  keep(call: Call, open: Followed): boolean {
    const { chain, server } = call;
    const known = this.#calls.get(chain);
    const caller = callerOf(call.origin);
    if (known === undefined) {
      const own = [...this.#calls.values()].filter((each) => each.caller === caller).length;
      if (own >= MAX_OF_CALLER || this.#calls.size >= MAX_PARKED)
        throw new ToolError("Too many calls wait for answers. Answer or drop some of them, then call again.");
    }
    clearTimeout(known?.timer);
    const expire = () => {
      this.forget(chain);
      open.cancel(new Error("Nobody answered in time."));
    };
    const timer = unref(setTimeout(expire, delayOf(server.limits.questionTimeout)));
    this.#calls.set(chain, { open, caller, timer });
    return known === undefined;
  }

  find(chain: string): Followed | undefined {
    return this.#calls.get(chain)?.open;
  }

  forget(chain: string): void {
    clearTimeout(this.#calls.get(chain)?.timer);
    this.#calls.delete(chain);
  }

  /** The server closes: nobody will answer. */
  close(): void {
    for (const [chain, { open }] of [...this.#calls]) {
      this.forget(chain);
      open.cancel(new Error("The server has closed."));
    }
  }
}

export const parkedOf: (server: ServerState) => ParkedCalls = /* @__PURE__ */ memoized(() => new ParkedCalls());
