import type { Call } from "../calls/call.ts";
import { InvalidParams, RpcError } from "../protocol/errors.ts";
import { isObject, type JsonObject } from "../protocol/messages.ts";
import { encodeInputRequired, type SerializedResult } from "../results/encode.ts";
import { whenReady } from "../support/async.ts";
import { type Question, suspended } from "./question.ts";
import { Replay } from "./replay.ts";
import { ReplayLog } from "./replay-log.ts";
import { checkResponse } from "./response.ts";
import { type Outstanding, openState, type RoundState, sealState } from "./state.ts";

/** A call that still asks after this many rounds would ask forever. */
const MAX_ROUNDS = 200;
/** Milliseconds that a user has for an answer. */
const STATE_LIFETIME = 60 * 60 * 1000;

/** The state at the beginning of a round. */
interface RoundStart {
  readonly round: number;
  /** The answers and step results of earlier rounds, and the answers of this request. */
  readonly log: ReplayLog;
  /** Answers that the client sent before their questions were asked, by the author's keys. */
  readonly early?: JsonObject;
}

/**
 * Questions in revisions where the server cannot send requests. The request ends with the questions as its result, and
 * the client sends it again with the answers.
 */
export class Rounds extends Replay {
  readonly #start: RoundStart;

  constructor(call: Call, start: RoundStart = { round: 0, log: new ReplayLog() }) {
    super(call, start.log);
    this.#start = start;
  }

  get round(): number {
    return this.#start.round;
  }

  protected record(operation: string, json: string): string {
    this.log.add(operation, json);
    return json;
  }

  protected mismatch(): Error {
    return new RpcError(
      "invalid_params",
      "The handler no longer asks a question that was already answered. Send the request again without requestState.",
      { cause: new Error(UNSTABLE) },
    );
  }

  /**
   * A client may answer a question with an author's key before it is asked: only the client could have answered it
   * anyway. The answer is validated against the schema of the question in this run.
   */
  protected override earlyAnswer(
    operation: string,
    { key, method, schema }: Question,
  ): JsonObject | Promise<JsonObject> | undefined {
    const { early } = this.#start;
    if (early === undefined || key === undefined || !Object.hasOwn(early, key)) return undefined;
    try {
      const answer = checkResponse(method, early[key], schema, `params.inputResponses.${key}`);
      this.log.add(operation, JSON.stringify(answer));
      return answer;
    } catch (error) {
      this.over = true;
      this.call.ignoreHandler();
      queueMicrotask(() => this.call.interrupt(error as Error));
      return suspended(this.call);
    }
  }

  async park(asked: ReadonlyMap<string, Question>): Promise<SerializedResult> {
    const round = this.#start.round + 1;
    if (round > MAX_ROUNDS)
      throw new RpcError("internal_error", `The call did not finish within ${MAX_ROUNDS} rounds of questions.`);
    const inputRequests: Record<string, object> = {};
    const outstanding: Outstanding[] = [];
    for (const [operation, question] of asked) {
      const { method, params, schema } = question;
      const key = unusedKey(question.key ?? `question_${round}`, inputRequests);
      inputRequests[key] = { method, params };
      outstanding.push({ key, operation, method, schema });
    }
    const { server, revision, chain: id } = this.call;
    const expires = Date.now() + STATE_LIFETIME;
    const requestState = await sealState(this.call, { id, round, expires, outstanding, log: this.log });
    return encodeInputRequired(server.envelopes, revision, inputRequests, requestState);
  }
}

/** The cause of a mismatch, for the author. */
export const UNSTABLE =
  "a handler must ask the same questions whenever it runs with the same arguments; move code that varies into ctx.step()";

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

function unusedKey(wanted: string, taken: object): string {
  let key = wanted;
  for (let n = 2; Object.hasOwn(taken, key); n++) key = `${wanted}_${n}`;
  return key;
}
