import type { Call } from "../calls/call.ts";
import { type InputMethod, type Question, type Questions, suspended } from "../calls/question.ts";
import { InvalidParams, RpcError } from "../protocol/errors.ts";
import { isObject, type JsonObject } from "../protocol/messages.ts";
import { encodeInputRequired, type SerializedResult } from "../results/encode.ts";
import { toCanonical } from "../schema/json-schema/equality.ts";
import { whenReady } from "../support/async.ts";
import { sealerOf } from "../support/seal.ts";
import { Replay, ReplayLog } from "./replay.ts";
import { checkResponse, Requests } from "./requests.ts";
import { refuseInsideStep } from "./running-step.ts";

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
  readonly early?: JsonObject | undefined;
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
    const early = isSingleUse(call) ? undefined : inputResponses;
    return new Rounds(call, { round: 0, log: new ReplayLog(), early });
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

/**
 * Returns the questions of a call: in rounds, or as requests while the call stays open, depending on the revision.
 * @throws {UsageError} inside a step of the call.
 */
export function questionsOf(call: Call): Questions {
  refuseInsideStep(call);
  call.questions ??= call.revision.rounds ? new Rounds(call) : new Requests(call);
  return call.questions;
}

/** A question that was sent and has no answer yet. */
export interface Outstanding {
  /** Its name on the wire. */
  readonly key: string;
  /** Identifies the question within the handler. */
  readonly operation: string;
  readonly method: InputMethod;
  /** The JSON of the schema that validates the form's content. */
  readonly schema: string | undefined;
}

/** The state of a call between two rounds. The client carries it, sealed, so that the server need not store it. */
export interface RoundState {
  /** Identifies the call through all its rounds. */
  readonly id: string;
  readonly round: number;
  /** Milliseconds since 1970. */
  readonly expires: number;
  readonly outstanding: readonly Outstanding[];
  readonly log: ReplayLog;
}

/** A larger state is not sent, because the client has to carry it. */
const MAX_STATE_LENGTH = 256 * 1024;

/** Seals the state for this caller, this method and these arguments. */
function sealState(call: Call, state: RoundState): string | Promise<string> {
  const payload = write(state);
  if (payload.length > MAX_STATE_LENGTH) {
    throw new Error(
      `the answers and step results of this call exceed ${MAX_STATE_LENGTH} characters; return less from ctx.step()`,
    );
  }
  return sealerOf(call.server).seal("state", payload, boundTo(call));
}

/** Opens a state that a client sent back. @throws {InvalidParams} with the same message for every defect. */
function openState(call: Call, token: unknown): RoundState | Promise<RoundState> {
  if (typeof token !== "string" || token.length > 2 * MAX_STATE_LENGTH) throw invalidState();
  return whenReady(sealerOf(call.server).open("state", token, boundTo(call)), (payload) => {
    // A payload that opens was sealed by this server or one that shares its key, so only its age must be checked.
    const state = payload === undefined ? undefined : read(payload);
    if (state === undefined || !(state.expires > Date.now())) throw invalidState();
    return state;
  });
}

/**
 * Writes lines of tab-separated cells: one for the call, one for each outstanding question, then the replay log. Cells
 * are words or JSON, which contain neither tabs nor newlines.
 */
function write({ id, round, expires, outstanding, log }: RoundState): string {
  let lines = `${id}\t${round}\t${expires}\t${outstanding.length}\t${log.answers}`;
  for (const { key, operation, method, schema = "" } of outstanding) {
    lines += `\n${JSON.stringify(key)}\t${operation}\t${method}\t${schema}`;
  }
  return lines + log.text;
}

function read(payload: string): RoundState {
  let end = -1;
  const nextCells = (): string[] => {
    const start = end + 1;
    end = payload.indexOf("\n", start);
    if (end < 0) end = payload.length;
    return payload.slice(start, end).split("\t");
  };
  const [id = "", round, expires, questions, answers] = nextCells();
  const outstanding: Outstanding[] = [];
  while (outstanding.length < Number(questions)) {
    const [key, operation, method, schema] = nextCells() as [string, string, InputMethod, string];
    outstanding.push({ key: JSON.parse(key), operation, method, schema: schema === "" ? undefined : schema });
  }
  const log = new ReplayLog(payload.slice(end), Number(answers));
  return { id, round: Number(round), expires: Number(expires), outstanding, log };
}

function invalidState(): InvalidParams {
  return new InvalidParams(
    "params.requestState is invalid for this request or has expired. Send the request again without it.",
  );
}

/**
 * The parts of the request that must be the same when the state comes back. Arguments are compared in canonical form,
 * because clients may write their properties in another order.
 */
function boundTo(call: Call): string {
  const { name, uri, arguments: given } = call.params;
  const caller = call.origin.principal?.id ?? null;
  return (
    JSON.stringify([call.server.info.name, caller, call.method, call.alias ?? name ?? uri ?? null]) +
    toCanonical(given ?? null)
  );
}
