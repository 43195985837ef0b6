import type { Call } from "../calls/call.ts";
import { InvalidParams, RpcError } from "../protocol/errors.ts";
import { isObject, type JsonObject } from "../protocol/messages.ts";
import { encodeInputRequired } from "../results/encode.ts";
import type { SerializedResult } from "../results/serialized.ts";
import { atEndOfTurn } from "../support/end-of-turn.ts";
import { UsageError } from "../support/usage-error.ts";
import { whenReady } from "../support/when-ready.ts";
import { fingerprint } from "./fingerprint.ts";
import { answerWithoutAsking, type Question, type Questions, suspended } from "./question.ts";
import { ASK, ReplayLog, STEP } from "./replay-log.ts";
import { checkResponse } from "./response.ts";
import { runInsideStep } from "./running-step.ts";
import { type Outstanding, openState, type RoundState, sealState } from "./state.ts";

/** A call that still asks after this many rounds would ask forever. */
const MAX_ROUNDS = 200;
/** Milliseconds that a user has for an answer. */
const STATE_LIFETIME = 60 * 60 * 1000;
/** Milliseconds that a question waits for the steps in flight. */
const MAX_STEP_WAIT = 10 * 60 * 1000;

/** The state at the beginning of a round. */
interface RoundStart {
  readonly round: number;
  /** The answers and step results of earlier rounds, and the answers of this request. */
  readonly log: ReplayLog;
  /** Answers that the client sent before their questions were asked, by the author's keys. */
  readonly early?: JsonObject;
}

/**
 * Questions in revisions where the server cannot send requests. The request ends with the questions as its result, the
 * client sends it again with the answers, and the handler runs again from the start; earlier questions and steps return
 * their recorded values at once. Operations are identified by kind, fingerprint and occurrence, so that concurrent
 * branches may replay in any order.
 */
export class Rounds implements Questions {
  readonly #call: Call;
  readonly #start: RoundStart;
  readonly #log: ReplayLog;
  /** The number of recorded answers that this run has not asked for yet. */
  #unclaimed: number;
  readonly #asked = new Map<string, Question>();
  readonly #occurrences = new Map<string, number>();
  readonly #steps = new Set<Promise<unknown>>();
  #suspending = false;
  #over = false;

  constructor(call: Call, start: RoundStart = { round: 0, log: new ReplayLog() }) {
    this.#call = call;
    this.#start = start;
    this.#log = start.log;
    this.#unclaimed = start.log.answers;
  }

  get round(): number {
    return this.#start.round;
  }

  ask(question: Question): JsonObject | Promise<JsonObject> {
    if (this.#over) return suspended(this.#call);
    const { method, key, identity } = question;
    const operation = this.#identify(ASK, `${method} ${key ?? ""} ${identity}`);
    const recorded = this.#log.get(operation);
    if (recorded !== undefined) {
      this.#unclaimed--;
      return JSON.parse(recorded);
    }
    const { early } = this.#start;
    if (early !== undefined && key !== undefined && Object.hasOwn(early, key)) {
      return this.#useEarlyAnswer(operation, question, early[key]);
    }
    const unasked = answerWithoutAsking(this.#call, question);
    if (unasked !== undefined) return unasked;
    this.#asked.set(operation, question);
    if (!this.#suspending) {
      this.#suspending = true;
      // Questions asked in the same event-loop turn share one round.
      atEndOfTurn(() => void this.#suspend());
    }
    return suspended(this.#call);
  }

  step(name: string, work: () => unknown): Promise<unknown> {
    if (this.#over) return suspended(this.#call);
    const operation = this.#identify(STEP, name);
    const recorded = this.#log.get(operation);
    if (recorded !== undefined) return Promise.resolve(parseStep(recorded));
    const running = stepJson(this.#call, name, work).then((json) => {
      this.#log.add(operation, json);
      return parseStep(json);
    });
    this.#steps.add(running);
    const settled = () => this.#steps.delete(running);
    running.then(settled, settled);
    return running.then(
      (value) => (this.#over ? suspended(this.#call) : value),
      (error) => (this.#over ? suspended(this.#call) : Promise.reject(error)),
    );
  }

  replayError(): Error | undefined {
    if (this.#unclaimed === 0) return undefined;
    return new RpcError(
      "invalid_params",
      "The handler no longer asks a question that was already answered. Send the request again without requestState.",
      {
        cause: new Error(
          "a handler must ask the same questions whenever it runs with the same arguments; move code that varies into ctx.step()",
        ),
      },
    );
  }

  /**
   * A client may answer a question with an author's key before it is asked: only the client could have answered it
   * anyway. The answer is validated against the schema of the question in this run.
   */
  #useEarlyAnswer(
    operation: string,
    { key, method, schema }: Question,
    early: unknown,
  ): JsonObject | Promise<JsonObject> {
    try {
      const answer = checkResponse(method, early, schema, `params.inputResponses.${key}`);
      this.#log.add(operation, JSON.stringify(answer));
      return answer;
    } catch (error) {
      this.#over = true;
      this.#call.ignoreHandler();
      queueMicrotask(() => this.#call.interrupt(error as Error));
      return suspended(this.#call);
    }
  }

  #identify(kind: string, what: string): string {
    const mark = kind + fingerprint(what);
    const nth = this.#occurrences.get(mark) ?? 0;
    this.#occurrences.set(mark, nth + 1);
    return nth === 0 ? mark : `${mark} ${nth}`;
  }

  async #suspend(): Promise<void> {
    // The handler may have finished without awaiting the answer, or its time limit was up in the same turn.
    if (this.#call.done) return this.#call.forgetLateHandler();
    this.#over = true;
    this.#call.ignoreHandler();
    await this.#settleSteps();
    try {
      const replayError = this.replayError();
      if (replayError !== undefined) throw replayError;
      this.#call.interrupt(await this.#inputRequired());
    } catch (error) {
      this.#call.interrupt(error as Error);
    }
    this.#call.forgetLateHandler();
  }

  /**
   * Awaits the steps in flight. One that waits for the answer never ends; `refuseInsideStep` does not see that if the
   * step asks through a queue, or if the runtime has no async context. So the call is answered after a limit.
   */
  async #settleSteps(): Promise<void> {
    if (this.#steps.size === 0) return;
    const call = this.#call;
    const timer = setTimeout(() => {
      call.interrupt(
        new UsageError(
          "wrong_use",
          "A step did not end within 10 minutes after a question. Ask before the step and pass the answer in.",
        ),
      );
      call.forgetLateHandler();
    }, MAX_STEP_WAIT);
    while (this.#steps.size > 0) await Promise.allSettled(this.#steps);
    clearTimeout(timer);
  }

  async #inputRequired(): Promise<SerializedResult> {
    const round = this.#start.round + 1;
    if (round > MAX_ROUNDS)
      throw new RpcError("internal_error", `The call did not finish within ${MAX_ROUNDS} rounds of questions.`);
    const inputRequests: Record<string, object> = {};
    const outstanding: Outstanding[] = [];
    for (const [operation, question] of this.#asked) {
      const { method, params, schema } = question;
      const key = unusedKey(question.key ?? `question_${round}`, inputRequests);
      inputRequests[key] = { method, params };
      outstanding.push({ key, operation, method, schema });
    }
    const id = this.#call.chain;
    const expires = Date.now() + STATE_LIFETIME;
    const requestState = await sealState(this.#call, { id, round, expires, outstanding, log: this.#log });
    const { server, revision } = this.#call;
    return encodeInputRequired(server.envelopes, revision, inputRequests, requestState);
  }
}

/** Resumes a call after its last round, if the request carries the state of one. */
export function resume(call: Call): Rounds | Promise<Rounds> {
  const { requestState, inputResponses = {} } = call.params;
  if (!isObject(inputResponses)) throw new InvalidParams("params.inputResponses must be an object.");
  if (requestState === undefined) {
    return new Rounds(call, {
      round: 0,
      log: new ReplayLog(),
      ...(isSingleUse(call) ? {} : { early: inputResponses }),
    });
  }
  return whenReady(openState(call, requestState), (state) => {
    // Before the claim: an invalid answer must not use up the state.
    const round = startRound(call, state, inputResponses);
    return whenReady(claim(call, state), () => round);
  });
}

/** Rejects a state that was already used, on any node that shares the store, if the tool is `singleUse`. */
function claim(call: Call, state: RoundState): void | Promise<void> {
  if (!isSingleUse(call)) return;
  const key = `state ${state.id} ${state.round}`;
  const claimed: unknown = call.server.store.claim(key, state.expires - Date.now(), call.origin.principal?.id);
  // The promise of another library is not an instance of Promise, but as true as any object.
  return whenReady(typeof claimed === "boolean" ? claimed : Promise.resolve(claimed), (first) => {
    if (first !== true)
      throw new InvalidParams("params.requestState was already used. Send the request again without it.");
  });
}

/** Whether the tool accepts answers only once. Such a tool accepts no answer before its question. */
function isSingleUse(call: Call): boolean {
  return call.method === "tools/call" && call.server.tools.get(String(call.params.name))?.singleUse === true;
}

function startRound(call: Call, state: RoundState, inputResponses: JsonObject): Rounds {
  call.chain = state.id;
  for (const { key, operation, method, schema } of state.outstanding) {
    if (!Object.hasOwn(inputResponses, key)) continue;
    const answer = checkResponse(method, inputResponses[key], schema, `params.inputResponses.${key}`);
    state.log.add(operation, JSON.stringify(answer));
  }
  return new Rounds(call, state);
}

/** Runs a step. Its value goes through JSON, so that it is the same as when it is replayed from the state. */
export async function runStep(call: Call, name: string, work: () => unknown): Promise<unknown> {
  return parseStep(await stepJson(call, name, work));
}

async function stepJson(call: Call, name: string, work: () => unknown): Promise<string> {
  return JSON.stringify(await runInsideStep(call, name, work)) ?? "";
}

/** Parses a step result; the empty text means undefined, which JSON cannot express. */
function parseStep(json: string): unknown {
  return json === "" ? undefined : JSON.parse(json);
}

function unusedKey(wanted: string, taken: object): string {
  let key = wanted;
  for (let n = 2; Object.hasOwn(taken, key); n++) key = `${wanted}_${n}`;
  return key;
}
