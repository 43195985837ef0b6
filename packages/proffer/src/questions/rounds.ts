import type { Call } from "../calls/call.ts";
import { InvalidParams, RpcError } from "../protocol/errors.ts";
import { isObject, type JsonObject } from "../protocol/messages.ts";
import { encodeInputRequired } from "../results/encode.ts";
import type { SerializedResult } from "../results/serialized.ts";
import { atEndOfTurn } from "../support/end-of-turn.ts";
import { whenReady } from "../support/when-ready.ts";
import { fingerprint } from "./fingerprint.ts";
import { answerWithoutAsking, never, type Question, type Questions } from "./question.ts";
import { ASK, ReplayLog, STEP } from "./replay-log.ts";
import { checkResponse } from "./response.ts";
import { type Outstanding, openState, type RoundState, sealState } from "./state.ts";

/** A call that is still asking after so many rounds is asking for ever. */
const MAX_ROUNDS = 200;
/** How long a user may take to answer. */
const STATE_LIFETIME = 60 * 60 * 1000;

/** Where a round begins. */
interface Start {
  readonly id?: string;
  readonly round: number;
  /** What was known before, and what has just been answered. */
  readonly known: ReplayLog;
  /** Answers that came before anything was asked, by the names that the author gave to questions. */
  readonly offered?: JsonObject;
}

/**
 * Questions where nothing can be asked while a request is open: the request ends with what was asked, the client sends
 * it again with the answers, the handler runs again from its top, and what was answered or done before returns at
 * once. Operations are known by kind, fingerprint and occurrence, so that concurrent branches may replay in any order.
 */
export class Rounds implements Questions {
  readonly #call: Call;
  readonly #start: Start;
  readonly #known: ReplayLog;
  /** How many answers the handler has not asked for again. */
  #forgotten: number;
  readonly #asked = new Map<string, Question>();
  readonly #occurrences = new Map<string, number>();
  readonly #steps = new Set<Promise<unknown>>();
  #suspending = false;
  #over = false;

  constructor(call: Call, start: Start = { round: 0, known: new ReplayLog() }) {
    this.#call = call;
    this.#start = start;
    this.#known = start.known;
    this.#forgotten = start.known.answers;
  }

  ask(question: Question): JsonObject | Promise<JsonObject> {
    if (this.#over) return never();
    const { method, key, identity } = question;
    const operation = this.#identify(ASK, `${method} ${key ?? ""} ${identity}`);
    const known = this.#known.get(operation);
    if (known !== undefined) {
      this.#forgotten--;
      return JSON.parse(known);
    }
    const { offered } = this.#start;
    if (offered !== undefined && key !== undefined && Object.hasOwn(offered, key)) {
      return this.#takeOffer(operation, question, offered[key]);
    }
    const refused = answerWithoutAsking(this.#call, question);
    if (refused !== undefined) return refused;
    this.#asked.set(operation, question);
    if (!this.#suspending) {
      this.#suspending = true;
      // Whoever asks before the event loop turns, asks in this round.
      atEndOfTurn(() => void this.#suspend());
    }
    return never();
  }

  step(name: string, work: () => unknown): Promise<unknown> {
    if (this.#over) return never();
    const operation = this.#identify(STEP, name);
    const known = this.#known.get(operation);
    if (known !== undefined) return Promise.resolve(revive(known));
    const running = stepJson(work).then((json) => {
      this.#known.add(operation, json);
      return revive(json);
    });
    this.#steps.add(running);
    const settled = () => this.#steps.delete(running);
    running.then(settled, settled);
    return running.then(
      (value) => (this.#over ? never() : value),
      (error) => (this.#over ? never() : Promise.reject(error)),
    );
  }

  replayError(): Error | undefined {
    if (this.#forgotten === 0) return undefined;
    return new RpcError(
      "invalid_params",
      "What was asked before is not asked any more, so the answers have lost their meaning; send the request again without requestState.",
      {
        cause: new Error(
          "a handler that asks must ask the same again when it is run again with the same arguments: move what varies into ctx.step()",
        ),
      },
    );
  }

  /**
   * A client may answer a question that the author named before it is asked: nobody but the client could have
   * answered it anyway. What an answer must fit is what the question says, here and now.
   */
  #takeOffer(operation: string, { key, method, schema }: Question, offer: unknown): JsonObject | Promise<JsonObject> {
    try {
      const answer = checkResponse(method, offer, schema, `params.inputResponses.${key}`);
      this.#known.add(operation, JSON.stringify(answer));
      return answer;
    } catch (error) {
      this.#over = true;
      this.#call.ignoreHandler();
      queueMicrotask(() => this.#call.interrupt(error as Error));
      return never();
    }
  }

  #identify(kind: string, what: string): string {
    const mark = kind + fingerprint(what);
    const nth = this.#occurrences.get(mark) ?? 0;
    this.#occurrences.set(mark, nth + 1);
    return nth === 0 ? mark : `${mark} ${nth}`;
  }

  async #suspend(): Promise<void> {
    // A handler that has its result by now did not wait for the answer.
    if (this.#call.done) return;
    this.#over = true;
    this.#call.ignoreHandler();
    while (this.#steps.size > 0) await Promise.allSettled(this.#steps);
    try {
      const objection = this.replayError();
      if (objection !== undefined) throw objection;
      this.#call.interrupt(await this.#inputRequired());
    } catch (error) {
      this.#call.interrupt(error as Error);
    }
  }

  async #inputRequired(): Promise<SerializedResult> {
    const round = this.#start.round + 1;
    if (round > MAX_ROUNDS)
      throw new RpcError("internal_error", `The call asked in ${MAX_ROUNDS} rounds without coming to an end.`);
    const inputRequests: Record<string, object> = {};
    const outstanding: Outstanding[] = [];
    for (const [operation, question] of this.#asked) {
      const { method, params, schema } = question;
      const key = unusedKey(question.key ?? `question_${round}`, inputRequests);
      inputRequests[key] = { method, params };
      outstanding.push({ key, operation, method, schema });
    }
    const id = this.#start.id ?? crypto.randomUUID();
    const expires = Date.now() + STATE_LIFETIME;
    const requestState = await sealState(this.#call, { id, round, expires, outstanding, known: this.#known });
    const { server, revision } = this.#call;
    return encodeInputRequired(server, revision, inputRequests, requestState);
  }
}

/** Takes up a call where its last round ended, if the request says that there was one. */
export function resume(call: Call): Rounds | Promise<Rounds> {
  const { requestState, inputResponses = {} } = call.params;
  if (!isObject(inputResponses)) throw new InvalidParams("params.inputResponses must be an object.");
  if (requestState === undefined) {
    return new Rounds(call, {
      round: 0,
      known: new ReplayLog(),
      ...(isSingleUse(call) ? {} : { offered: inputResponses }),
    });
  }
  return whenReady(openState(call, requestState), (state) =>
    whenReady(claim(call, state), () => goOn(call, state, inputResponses)),
  );
}

/** Where answers may be taken only once, a state that was presented before is refused, on whichever node. */
function claim(call: Call, state: RoundState): void | Promise<void> {
  if (!isSingleUse(call)) return;
  const claimed = call.server.store.claim(`state ${state.id} ${state.round}`, state.expires - Date.now());
  return whenReady(claimed, (first) => {
    if (!first) throw new InvalidParams("params.requestState was used before; send the request again without it.");
  });
}

/** Whether the tool takes answers only once; what came before its question was not asked for by anyone. */
function isSingleUse(call: Call): boolean {
  return call.method === "tools/call" && call.server.tools.get(String(call.params.name))?.singleUse === true;
}

function goOn(call: Call, state: RoundState, inputResponses: JsonObject): Rounds {
  for (const { key, operation, method, schema } of state.outstanding) {
    if (!Object.hasOwn(inputResponses, key)) continue;
    const answer = checkResponse(method, inputResponses[key], schema, `params.inputResponses.${key}`);
    state.known.add(operation, JSON.stringify(answer));
  }
  return new Rounds(call, state);
}

/** A step's value takes the same form whether it was just made or comes out of the state. */
export async function runStep(work: () => unknown): Promise<unknown> {
  return revive(await stepJson(work));
}

async function stepJson(work: () => unknown): Promise<string> {
  return JSON.stringify(await work()) ?? "";
}

/** The value of what is known; an empty text stands for undefined, which JSON does not have. */
function revive(json: string): unknown {
  return json === "" ? undefined : JSON.parse(json);
}

function unusedKey(wanted: string, taken: object): string {
  let key = wanted;
  for (let n = 2; Object.hasOwn(taken, key); n++) key = `${wanted}_${n}`;
  return key;
}
