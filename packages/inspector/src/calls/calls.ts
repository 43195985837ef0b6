import type { Asked, ScriptedAnswer } from "proffer/client";
import type { Connected } from "../connections/connected.ts";
import type { Connections } from "../connections/connections.ts";
import type { Offers } from "../connections/offers.ts";
import type { Draft } from "../protocol/api.ts";
import type { Answer, CallState, Json, JsonObject, Tampering } from "../protocol/data.ts";
import { ApiProblem } from "../support/api-problem.ts";
import { type MessageRecord, NO_RESPONSE, type TraceSource } from "../support/host.ts";
import { isObject } from "../support/values.ts";
import { InspectedCall, type LeftBehind } from "./inspected-call.ts";
import { declineQuestion, perform, toResponse } from "./perform.ts";
import { checkResult, findRefusals, textOfFailure } from "./problems.ts";

/** Calls that are kept, with at most this many bytes of results. */
const MAX_CALLS = 200;
const MAX_BYTES = 64 * 1024 * 1024;
/** Calls that run at once. */
const MAX_RUNNING = 100;
/** Milliseconds between two reports of a call whose status stays the same: progress may come thousands of times. */
const PAUSE = 30;
/** A caller that no server knows. */
const OTHER_CALLER = { id: "another-caller-of-the-inspector" };

/** The calls of the page. */
export class Calls {
  readonly #connections: Connections;
  readonly #offers: Offers;
  readonly #record: MessageRecord;
  readonly #changed: (state: CallState) => void;
  readonly #calls = new Map<string, InspectedCall>();
  readonly #reported = new WeakMap<InspectedCall, CallState["status"]>();
  readonly #waiting = new Map<InspectedCall, NodeJS.Timeout>();
  #last = 0;

  constructor(
    connections: Connections,
    offers: Offers,
    record: MessageRecord,
    changed: (state: CallState) => void,
    trace?: TraceSource,
  ) {
    this.#connections = connections;
    this.#offers = offers;
    this.#record = record;
    this.#changed = changed;
    record.observe({
      line: (line) => {
        for (const call of this.#calls.values())
          if (!call.isOver && call.connected?.conn === line.conn) call.count(line);
      },
    });
    trace?.(({ source, id, trace: event }) => {
      for (const call of this.#running()) if (call.connected?.source === source) call.addTrace(id, event);
    });
  }

  /** All calls that are kept, oldest first. */
  *states(): Iterable<CallState> {
    for (const call of this.#calls.values()) yield this.#stateOf(call);
  }

  /** Starts a call and returns its id. */
  start(draft: Draft): string {
    const call = this.#create(draft);
    void this.#run(call, () => this.#connections.use(draft.revision), draft.params);
    return call.id;
  }

  /** Sends a run of a call again, as it was or changed. @throws {ApiProblem} */
  resend(id: string, number: number, change: Tampering): string {
    const earlier = this.#find(id);
    const run = earlier.runs[number - 1];
    if (run === undefined) throw new ApiProblem(404, "unknown_run", `The call has no run ${number}.`);
    const params = tamper(run.params, change);
    const { revision, method } = earlier.facts;
    if (change === "caller" && !this.#connections.changesCaller) {
      throw new ApiProblem(400, "same_caller", "Only a server in this process can be called as somebody else.");
    }
    const call = this.#create({ revision, method, params: earlier.facts.params });
    call.facts.resent = { call: id, run: number, change, refused: false };
    const other = { revision, caller: OTHER_CALLER, purpose: "another caller" };
    const connect = () => (change === "caller" ? this.#connections.open(other) : this.#connections.use(revision));
    void this.#run(call, connect, params).then(async () => {
      if (change === "caller") await call.connected?.close();
    });
    return call.id;
  }

  /** Asks the questions of a run again and continues with its state. @throws {ApiProblem} if the run left no state. */
  reanswer(id: string, number: number): string {
    const earlier = this.#find(id);
    const left = earlier.runs[number - 1]?.left;
    if (left === undefined) {
      const message = `Run ${number} left no question that can be answered again.`;
      throw new ApiProblem(400, "no_question", message, "Only the rounds of 2026-07-28 can; make the call again.");
    }
    const { revision, method, params } = earlier.facts;
    const first = earlier.runs[0]?.params ?? params;
    // Before the new call is made: it is one of those that may run at once.
    if (!earlier.isOver) this.cancel(id);
    const call = this.#create({ revision, method, params });
    call.goBack(earlier, number);
    void this.#run(call, () => this.#connections.use(revision), first, left);
    return call.id;
  }

  /** @throws {ApiProblem} if the question is not open: another page may have answered it. */
  answer(ask: string, answer: Answer): void {
    if (this.#running().some((call) => call.answer(ask, answer))) return;
    throw new ApiProblem(409, "not_open", "This question is not open any more.");
  }

  cancel(id: string): void {
    const call = this.#find(id);
    call.stop.abort(new Error("Canceled."));
    // A question that waits for a person is no request that could be aborted.
    call.finish("canceled");
  }

  /** The whole result of a call. */
  result(id: string): JsonObject {
    const { result } = this.#find(id);
    if (result === undefined) throw new ApiProblem(404, "no_result", "The call has no result.");
    return this.#record.mask.json(result);
  }

  /** Answers a question of the server outside of rounds: it belongs to the last call on this connection. */
  async asked(connected: Connected | undefined, asked: Asked): Promise<ScriptedAnswer> {
    const call = this.#running().findLast((each) => each.connected === connected);
    return call === undefined ? declineQuestion(asked) : toResponse(await call.ask(asked));
  }

  /** Ends the calls in flight, because their connections are closed. */
  cancelAll(): void {
    for (const call of this.#running()) call.stop.abort(new Error("The inspector has ended."));
    for (const timer of this.#waiting.values()) clearTimeout(timer);
  }

  async #run(
    call: InspectedCall,
    connect: () => Promise<Connected>,
    params: JsonObject,
    left?: LeftBehind,
  ): Promise<void> {
    try {
      call.connected = await connect();
    } catch (error) {
      call.fail(NO_RESPONSE, (error as Error).message);
      return;
    }
    if (!call.isOver) await perform(call, call.connected, params, left);
  }

  #create(draft: Draft): InspectedCall {
    if (this.#running().length >= MAX_RUNNING) {
      throw new ApiProblem(429, "too_many_calls", `${MAX_RUNNING} calls are running.`, "Cancel some of them first.");
    }
    const id = `call-${++this.#last}`;
    const call = new InspectedCall(id, draft, this.#offers.version, (each) => this.#report(each));
    this.#calls.set(id, call);
    this.#dropOld();
    this.#report(call);
    return call;
  }

  #find(id: string): InspectedCall {
    const call = this.#calls.get(id);
    if (call !== undefined) return call;
    throw new ApiProblem(404, "unknown_call", "The inspector does not keep this call any more.");
  }

  #running(): InspectedCall[] {
    return [...this.#calls.values()].filter((call) => !call.isOver);
  }

  /** Reports a change of the status at once, and others after a pause. */
  #report(call: InspectedCall): void {
    const { status } = call.facts;
    if (this.#reported.get(call) !== status) {
      this.#reported.set(call, status);
      // After this turn: the questions of a round appear together.
      queueMicrotask(() => this.#send(call));
    } else if (!this.#waiting.has(call)) {
      this.#waiting.set(
        call,
        setTimeout(() => this.#send(call), PAUSE),
      );
    }
  }

  #send(call: InspectedCall): void {
    clearTimeout(this.#waiting.get(call));
    this.#waiting.delete(call);
    if (call.isOver) this.#judge(call);
    this.#changed(this.#stateOf(call));
  }

  /** Adds the facts that follow from the outcome. */
  #judge({ facts, result }: InspectedCall): void {
    const { revision, method, params, error, resent } = facts;
    const text = error?.message ?? (result && textOfFailure(result));
    const refusals = text === undefined ? undefined : findRefusals(text);
    if (refusals !== undefined) facts.refused = refusals;
    if (result !== undefined && method === "tools/call") {
      const offer = this.#offers.find(revision);
      const tool = offer?.items.find(({ kind, key }) => kind === "tool" && key === params.name);
      const problems = tool === undefined ? [] : checkResult(tool.description, result);
      if (problems.length > 0) facts.problems = problems;
    }
    if (resent === undefined) return;
    // No response is no refusal.
    const refused = (error !== undefined && error.code !== NO_RESPONSE) || refusals !== undefined;
    facts.resent = { ...resent, refused };
  }

  #stateOf(call: InspectedCall): CallState {
    return this.#record.mask.json(call.state);
  }

  #dropOld(): void {
    let bytes = [...this.#calls.values()].reduce((sum, { facts }) => sum + (facts.resultBytes ?? 0), 0);
    for (const [id, call] of this.#calls) {
      if (this.#calls.size <= MAX_CALLS && bytes <= MAX_BYTES) return;
      if (!call.isOver) continue;
      this.#calls.delete(id);
      bytes -= call.facts.resultBytes ?? 0;
    }
  }
}

/** Changes the parameters of a round as an attacker would to use its state elsewhere. @throws {ApiProblem} */
function tamper(params: JsonObject, change: Tampering): JsonObject {
  const { requestState } = params;
  if (change === "nothing") return params;
  if (typeof requestState !== "string") {
    const message = "This run carries no state, so there is nothing that a change could break.";
    throw new ApiProblem(400, "no_state", message, "Resend a run that follows a question.");
  }
  if (change === "arguments") return changeArguments(params);
  return change === "state" ? { ...params, requestState: changeCharacter(requestState) } : params;
}

/** Another value of the same kind: the arguments stay valid, only the state does not belong to them. */
function changeArguments(params: JsonObject): JsonObject {
  const { uri, arguments: given } = params;
  if (typeof uri === "string") return { ...params, uri: `${uri}x` };
  const values = isObject(given) ? (given as JsonObject) : {};
  const changed = Object.entries(values).find(([, value]) => ["string", "number", "boolean"].includes(typeof value));
  const [name, value] = changed ?? ["changed", "x"];
  return { ...params, arguments: { ...values, [name]: another(value) } };
}

function another(value: Json): Json {
  if (typeof value === "number") return value + 1;
  return typeof value === "boolean" ? !value : `${value}x`;
}

/** Changes one character in the middle, to one that occurs in states. */
function changeCharacter(state: string): string {
  const at = Math.floor(state.length / 2);
  return `${state.slice(0, at)}${state[at] === "A" ? "B" : "A"}${state.slice(at + 1)}`;
}
