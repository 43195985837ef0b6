import type { Asked } from "proffer/client";
import type { Connected } from "../connections/connected.ts";
import type { Draft } from "../protocol/api.ts";
import type { Answer, Ask, CallState, Json, JsonObject, Run, Trace, WireLine } from "../protocol/data.ts";
import { bytesOf, defined } from "../support/values.ts";

/** A larger result is not part of the state, which is sent with each change. */
const MAX_RESULT = 256 * 1024;
/** Steps and questions of one run that are shown. */
const MAX_TRACES = 1000;

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };
/** The questions that a round leaves with the client, and the state that the answers belong to. */
export interface LeftBehind {
  readonly requestState: Json | undefined;
  readonly inputRequests: { readonly [key: string]: Asked };
}

/** A run, with everything that sends it again. */
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

/** The facts about a call that the page gets as they are. */
type Facts = Writable<Omit<CallState, "runs" | "asks" | "result">>;

/** A call of the page. */
export class InspectedCall {
  readonly facts: Facts;
  readonly runs: KnownRun[] = [];
  readonly stop = new AbortController();
  connected: Connected | undefined;
  /** The whole result, however large. */
  result: JsonObject | undefined;
  readonly #began = performance.now();
  readonly #changed: (call: InspectedCall) => void;
  /** Answers that are known before the questions. */
  readonly #ready: Answer[];
  readonly #asks: Writable<Ask>[] = [];
  /** Earlier answers to the questions that are asked next. */
  #suggestions: Answer[] = [];
  readonly #open = new Map<string, OpenAsk>();
  readonly #lines = new Set<number>();
  #firstProgress: { readonly progress: number; readonly at: number } | undefined;
  #humanSince = 0;

  constructor(id: string, draft: Draft, offer: number, changed: (call: InspectedCall) => void) {
    const { revision, method, params, answers = [] } = draft;
    const at = Date.now();
    this.facts = { id, at, revision, method, params, status: "running", bytesOut: 0, bytesIn: 0, offer };
    this.#changed = changed;
    this.#ready = [...answers];
  }

  get id(): string {
    return this.facts.id;
  }

  get isOver(): boolean {
    return this.facts.ms !== undefined;
  }

  /**
   * Begins a run with the request that was just sent.
   * @param began - the time before it was sent: the server may have begun since.
   */
  beginRun(params: JsonObject, sent: WireLine | undefined, began: number): void {
    const line = sent?.n ?? 0;
    this.#lines.add(line);
    this.facts.bytesOut += sent?.bytes ?? 0;
    const number = this.runs.length + 1;
    this.runs.push({ number, line, outcome: "running", trace: [], params, requestId: sent?.id, began });
    this.facts.status = "running";
    this.#changed(this);
  }

  /** Begins where a run of an earlier call has asked, with everything before it. */
  goBack(earlier: InspectedCall, number: number): void {
    this.facts.from = { call: earlier.facts.from?.call ?? earlier.id, run: number };
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

  /** Adds a report of the engine. */
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
    if (dir === "in") this.facts.bytesIn += bytes;
    else if (kind !== "request") this.facts.bytesOut += bytes;
  }

  addProgress(params: JsonObject): void {
    const { progress, total, message } = params;
    if (typeof progress !== "number") return;
    const now = performance.now();
    this.#firstProgress ??= { progress, at: now };
    const { progress: first, at } = this.#firstProgress;
    const rate = now > at ? ((progress - first) * 1000) / (now - at) : 0;
    this.facts.progress = {
      progress,
      count: (this.facts.progress?.count ?? 0) + 1,
      ...(typeof total === "number" && { total }),
      ...(typeof message === "string" && { message: message.slice(0, 1000) }),
      ...(rate > 0 && { rate }),
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
    this.facts.status = "asks";
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
    if (this.#open.size > 0) this.#countHuman();
    this.facts.status = status;
    this.result = result;
    if (result !== undefined) this.facts.resultBytes = bytesOf(result);
    this.facts.ms = performance.now() - this.#began - (this.facts.humanMs ?? 0);
    for (const { reject } of [...this.#open.values()]) reject(new Error("The call has ended."));
    this.#changed(this);
  }

  fail(code: number, message: string, data?: Json): void {
    this.facts.error = { code, message, ...defined({ data }) };
    this.finish("failed");
  }

  get state(): CallState {
    const { facts, result } = this;
    const { resultBytes = 0 } = facts;
    return {
      ...facts,
      runs: this.runs.map(({ params: _, requestId: __, began: ___, left: ____, ...run }) => ({
        ...run,
        trace: [...run.trace],
      })),
      asks: this.#asks.map((ask) => ({ ...ask })),
      ...(result !== undefined && resultBytes <= MAX_RESULT && { result }),
    };
  }

  #closeAsk(id: string): void {
    this.#open.delete(id);
    if (this.isOver) return;
    if (this.#open.size === 0) {
      this.#countHuman();
      this.facts.status = "running";
    }
    this.#changed(this);
  }

  /** Adds the time in which somebody could answer. */
  #countHuman(): void {
    this.facts.humanMs = (this.facts.humanMs ?? 0) + performance.now() - this.#humanSince;
  }
}
