import type { Asked } from "proffer/testing";
import type { Connected } from "../connections/connected.ts";
import type { Draft } from "../protocol/api.ts";
import type { Answer, Ask, CallState, Problem, Progress, Run, Trace } from "../protocol/call.ts";
import type { Json, JsonObject } from "../protocol/json.ts";
import type { WireLine } from "../protocol/wire.ts";

/** A larger result is not part of the state, which is sent with each change. */
const MAX_RESULT = 256 * 1024;
/** Steps and questions of one run that are shown. */
const MAX_TRACES = 1000;

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };
/** What a round that asks leaves with the client: its questions, and the state that the answers belong to. */
export interface LeftBehind {
  readonly requestState: Json | undefined;
  readonly inputRequests: { readonly [key: string]: Asked };
}

/** A run, and what is needed to send it again. */
interface KnownRun extends Writable<Omit<Run, "trace">> {
  readonly params: JsonObject;
  readonly requestId: WireLine["id"];
  readonly began: number;
  readonly trace: Trace[];
  left?: LeftBehind;
}

interface OpenAsk {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

/** A call of the page: everything that is known of it. */
export class InspectedCall {
  readonly id: string;
  readonly draft: Draft;
  readonly runs: KnownRun[] = [];
  readonly stop = new AbortController();
  connected: Connected | undefined;
  /** The whole result, however large. */
  result: JsonObject | undefined;
  status: CallState["status"] = "running";
  error: CallState["error"];
  refused: readonly Problem[] | undefined;
  problems: readonly Problem[] | undefined;
  resent: CallState["resent"];
  #from: CallState["from"];
  readonly #at = Date.now();
  readonly #began = performance.now();
  readonly #offer: number;
  readonly #changed: (call: InspectedCall) => void;
  /** Answers that are known before the questions. */
  readonly #ready: Answer[];
  readonly #asks: Writable<Ask>[] = [];
  /** Earlier answers to the questions that are asked next. */
  #suggestions: Answer[] = [];
  readonly #open = new Map<string, OpenAsk>();
  readonly #lines = new Set<number>();
  #progress: (Progress & { readonly first: number; readonly since: number }) | undefined;
  /** Bytes of the result as JSON. */
  resultBytes = 0;
  #bytesOut = 0;
  #bytesIn = 0;
  #humanSince = 0;
  #humanMs = 0;
  #ms: number | undefined;

  constructor(id: string, draft: Draft, offer: number, changed: (call: InspectedCall) => void) {
    this.id = id;
    this.draft = draft;
    this.#offer = offer;
    this.#changed = changed;
    this.#ready = [...(draft.answers ?? [])];
  }

  get isOver(): boolean {
    return this.#ms !== undefined;
  }

  /**
   * Begins a run with the request that was just sent.
   * @param began - the time before it was sent: the server may have begun since.
   */
  beginRun(params: JsonObject, sent: WireLine | undefined, began: number): void {
    const line = sent?.n ?? 0;
    this.#lines.add(line);
    this.#bytesOut += sent?.bytes ?? 0;
    const number = this.runs.length + 1;
    this.runs.push({ number, line, outcome: "running", trace: [], params, requestId: sent?.id, began });
    this.status = "running";
    this.#changed(this);
  }

  /** Begins where a run of an earlier call has asked, with everything before it. */
  goBack(earlier: InspectedCall, number: number): void {
    this.#from = { call: earlier.#from?.call ?? earlier.id, run: number };
    // The ids of requests belong to another call.
    this.runs.push(
      ...earlier.runs.slice(0, number).map((run) => ({ ...run, requestId: undefined, trace: [...run.trace] })),
    );
    for (const ask of earlier.#asks) {
      if (ask.run < number) this.#asks.push({ ...ask, id: `${this.id}.${this.#asks.length + 1}` });
    }
    this.#suggestions = earlier.#asks.flatMap(({ run, answer }) => (run === number && answer ? [answer] : []));
  }

  endRun(outcome: Run["outcome"], left?: LeftBehind): void {
    const run = this.runs.at(-1);
    if (run === undefined || run.outcome !== "running") return;
    run.outcome = outcome;
    run.ms = performance.now() - run.began;
    if (left !== undefined) run.left = left;
    if (typeof left?.requestState === "string") run.stateBytes = Buffer.byteLength(left.requestState);
  }

  /** Adds what the engine reports. */
  addTrace(id: string | number, trace: Trace): void {
    const run = this.runs.find(({ requestId }) => requestId === id);
    if (run === undefined || run.trace.length >= MAX_TRACES) return;
    run.trace.push(trace);
    this.#changed(this);
  }

  /** Counts a message that belongs to this call. */
  count({ re, n, dir, bytes, kind }: WireLine): void {
    if (re === undefined || !this.#lines.has(re)) return;
    // Answers belong to a question of the server, which belongs to the call.
    if (kind === "request") this.#lines.add(n);
    // `beginRun` counts the requests of the call itself.
    if (dir === "in") this.#bytesIn += bytes;
    else if (kind !== "request") this.#bytesOut += bytes;
  }

  addProgress(params: JsonObject): void {
    const { progress, total, message } = params;
    if (typeof progress !== "number") return;
    const now = performance.now();
    const { first = progress, since = now, count = 0 } = this.#progress ?? {};
    const rate = now > since ? ((progress - first) * 1000) / (now - since) : undefined;
    this.#progress = {
      progress,
      count: count + 1,
      first,
      since,
      ...(typeof total === "number" && { total }),
      ...(typeof message === "string" && { message: message.slice(0, 1000) }),
      ...(rate !== undefined && rate > 0 && { rate }),
    };
    this.#changed(this);
  }

  /** Asks the person at the page. Rejects if the call ends first. */
  ask({ method, params }: Asked): Promise<Answer> {
    const id = `${this.id}.${this.#asks.length + 1}`;
    const began = performance.now();
    const ask: Writable<Ask> = { id, run: this.runs.length, method, params: params as JsonObject, state: "open" };
    const suggestion = this.#suggestions.shift();
    if (suggestion !== undefined) ask.suggestion = suggestion;
    this.#asks.push(ask);
    const ready = this.#ready.shift();
    if (this.#open.size === 0) this.#humanSince = began;
    const answered = new Promise<Answer>((resolve, reject) => this.#open.set(id, { resolve, reject })).then(
      (answer) => {
        Object.assign(ask, { state: "answered", answer, ms: performance.now() - began });
        this.#closeAsk(id);
        return answer;
      },
      (error) => {
        ask.state = "withdrawn";
        this.#closeAsk(id);
        throw error;
      },
    );
    this.status = "asks";
    if (ready !== undefined) this.answer(id, ready);
    this.#changed(this);
    return answered;
  }

  /** Returns whether the question was open. */
  answer(ask: string, answer: Answer): boolean {
    const open = this.#open.get(ask);
    open?.resolve(answer);
    return open !== undefined;
  }

  /** Ends the call. */
  finish(status: "done" | "failed" | "canceled", result?: JsonObject): void {
    if (this.isOver) return;
    this.endRun(status === "done" ? "returned" : status);
    if (this.#open.size > 0) this.#humanMs += performance.now() - this.#humanSince;
    this.status = status;
    this.result = result;
    this.resultBytes = result === undefined ? 0 : Buffer.byteLength(JSON.stringify(result));
    this.#ms = performance.now() - this.#began - this.#humanMs;
    for (const { reject } of [...this.#open.values()]) reject(new Error("The call has ended."));
    this.#changed(this);
  }

  fail(code: number, message: string, data?: Json): void {
    this.error = { code, message, ...(data !== undefined && { data }) };
    this.finish("failed");
  }

  get state(): CallState {
    const { draft, error, refused, problems, resent, result } = this;
    const { first: _, since: __, ...progress } = this.#progress ?? { first: 0, since: 0 };
    return {
      id: this.id,
      at: this.#at,
      revision: draft.revision,
      method: draft.method,
      params: draft.params,
      status: this.status,
      runs: this.runs.map(({ params: _, requestId: __, began: ___, left: ____, ...run }) => ({
        ...run,
        trace: [...run.trace],
      })),
      asks: this.#asks.map((ask) => ({ ...ask })),
      bytesOut: this.#bytesOut,
      bytesIn: this.#bytesIn,
      offer: this.#offer,
      ...("progress" in progress && { progress: progress as Progress }),
      ...(result !== undefined && { resultBytes: this.resultBytes }),
      ...(result !== undefined && this.resultBytes <= MAX_RESULT && { result }),
      ...(error !== undefined && { error }),
      ...(refused !== undefined && { refused }),
      ...(problems !== undefined && problems.length > 0 && { problems }),
      ...(this.#ms !== undefined && { ms: this.#ms }),
      ...(this.#humanMs > 0 && { humanMs: this.#humanMs }),
      ...(this.#from !== undefined && { from: this.#from }),
      ...(resent !== undefined && { resent }),
    };
  }

  #closeAsk(id: string): void {
    this.#open.delete(id);
    if (this.isOver) return;
    if (this.#open.size === 0) {
      this.#humanMs += performance.now() - this.#humanSince;
      this.status = "running";
    }
    this.#changed(this);
  }
}
