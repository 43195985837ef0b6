import type { Call } from "../calls/call.ts";
import {
  answerWithoutAsking,
  fingerprint,
  type Question,
  type Questions,
  type StepWork,
  suspended,
} from "../calls/question.ts";
import type { JsonObject } from "../protocol/messages.ts";
import { atEndOfTurn, whenReady } from "../support/async.ts";
import { UsageError } from "../support/usage-error.ts";
import { runInsideStep } from "./running-step.ts";

/** Milliseconds that a question waits for the steps in flight. */
const MAX_STEP_WAIT = 10 * 60 * 1000;

/**
 * Questions that end the run of a handler: it runs again from the start once they are answered, and earlier questions and
 * steps return their recorded values at once.
 */
export abstract class Replay implements Questions {
  abstract readonly round: number;
  /** The answers and step results that are known so far. */
  readonly log: ReplayLog;
  protected readonly call: Call;
  /** The run was abandoned: nothing that it does counts any more. */
  protected over = false;
  /** The number of recorded answers that this run has not asked for yet. */
  #unclaimed: number;
  readonly #identify = createIdentify();
  readonly #asked = new Map<string, Question>();
  readonly #steps = new Set<Promise<unknown>>();
  #suspending = false;

  constructor(call: Call, log: ReplayLog) {
    this.call = call;
    this.log = log;
    this.#unclaimed = log.answers;
    call.server.overrides.watch?.questions?.(call, this);
  }

  ask(question: Question): JsonObject | Promise<JsonObject> {
    if (this.over) return suspended(this.call);
    const { method, key, identity } = question;
    const operation = this.#identify(ASK, `${method} ${key ?? ""} ${identity}`);
    const recorded = this.log.get(operation);
    if (recorded !== undefined) {
      this.#unclaimed--;
      return JSON.parse(recorded);
    }
    const known = this.earlyAnswer(operation, question) ?? answerWithoutAsking(this.call, question);
    if (known !== undefined) return known;
    this.#asked.set(operation, question);
    this.#suspendLater();
    return suspended(this.call);
  }

  step(name: string, work: StepWork): Promise<unknown> {
    if (this.over) return suspended(this.call);
    const operation = this.#identify(STEP, name);
    const recorded = this.log.get(operation);
    if (recorded !== undefined) return Promise.resolve(parseStep(recorded));
    const running = stepJson(this.call, name, work, operation).then((json) =>
      whenReady(this.record(operation, json), parseStep),
    );
    this.#steps.add(running);
    const settled = () => this.#steps.delete(running);
    running.then(settled, settled);
    return running.then(
      (value) => (this.over ? suspended(this.call) : value),
      (error) => (this.over ? suspended(this.call) : Promise.reject(error)),
    );
  }

  replayError(): Error | undefined {
    return this.#unclaimed === 0 ? undefined : this.mismatch();
  }

  /**
   * Ends the run, as a question does, with the result of `end`, once its steps have ended. If `end` returns undefined,
   * the run continues.
   */
  async leave(end: () => Promise<object | undefined>): Promise<void> {
    if (this.over) return suspended(this.call);
    // Questions that are asked meanwhile belong to the next run.
    this.#suspending = true;
    await this.#settleSteps();
    try {
      const result = await end();
      if (result !== undefined) return this.#end(result);
    } catch (error) {
      return this.#end(error as Error);
    }
    this.#suspending = false;
    if (this.#asked.size > 0) this.#suspendLater();
  }

  /** Records the result of a step before the handler gets it. Returns the recorded one: another run may have been faster. */
  protected abstract record(operation: string, json: string): string | Promise<string>;
  abstract park(asked: ReadonlyMap<string, Question>): object | Promise<object>;
  /** The error of a handler that no longer asks a question that was answered. */
  protected abstract mismatch(): Error;

  /** An answer that the client sent before its question was asked. */
  protected earlyAnswer(_operation: string, _question: Question): JsonObject | Promise<JsonObject> | undefined {
    return undefined;
  }

  #suspendLater(): void {
    if (this.#suspending) return;
    this.#suspending = true;
    // Questions asked in the same event-loop turn share one round.
    atEndOfTurn(() => void this.#suspend());
  }

  async #suspend(): Promise<void> {
    // The handler may have finished without awaiting the answer, or its time limit was up in the same turn.
    if (this.call.done) return this.call.forgetLateHandler();
    this.over = true;
    this.call.ignoreHandler();
    await this.#settleSteps();
    try {
      const replayError = this.replayError();
      if (replayError !== undefined) throw replayError;
      this.call.interrupt(await this.park(this.#asked));
    } catch (error) {
      this.call.interrupt(error as Error);
    }
    this.call.forgetLateHandler();
  }

  #end(result: object): Promise<void> {
    this.over = true;
    this.call.ignoreHandler();
    this.call.interrupt(result);
    return suspended(this.call);
  }

  /**
   * Awaits the steps in flight. One that waits for the answer never ends; `refuseInsideStep` does not see that if the
   * step asks through a queue, or if the runtime has no async context. So the call is answered after a limit.
   */
  async #settleSteps(): Promise<void> {
    if (this.#steps.size === 0) return;
    const { call } = this;
    const timer = setTimeout(() => {
      call.interrupt(
        new UsageError(
          "A step did not end within 10 minutes after a question. Ask before the step and pass the answer in.",
          "wrong_use",
        ),
      );
      call.forgetLateHandler();
    }, MAX_STEP_WAIT);
    while (this.#steps.size > 0) await Promise.allSettled(this.#steps);
    clearTimeout(timer);
  }
}

/** Runs a step. Its value goes through JSON, so that it is the same as when it is replayed. */
export async function runStep(call: Call, name: string, work: StepWork, operation: string): Promise<unknown> {
  return parseStep(await stepJson(call, name, work, operation));
}

async function stepJson(call: Call, name: string, work: StepWork, operation: string): Promise<string> {
  const key = stepKey(call.chain, operation);
  return JSON.stringify(await runInsideStep(call, name, () => work(key))) ?? "";
}

/** Parses a step result; the empty text means undefined, which JSON cannot express. */
function parseStep(json: string): unknown {
  return json === "" ? undefined : JSON.parse(json);
}

/** The prefixes of operation names. */
export const ASK = "ask ";
export const STEP = "step ";

/**
 * The answers and step results of a call so far, as JSON by operation. It keeps the text that travels in the state, one
 * line for each: only the values that a handler asks for are parsed, and a handler that modifies such a value does not
 * affect its next run.
 */
export class ReplayLog {
  /** Each line starts with a newline; JSON contains no raw newline. */
  text: string;
  /** The number of answers among the lines. */
  answers: number;
  /** The end of the last match. A handler that runs again usually asks in the same order. */
  #at = 0;

  constructor(text = "", answers = 0) {
    this.text = text;
    this.answers = answers;
  }

  /** Returns the JSON of an answer or a step result (empty for undefined), or undefined if it is not in the log. */
  get(operation: string): string | undefined {
    const line = `\n${operation}\t`;
    let start = this.text.indexOf(line, this.#at);
    if (start < 0) start = this.text.lastIndexOf(line, this.#at);
    if (start < 0) return undefined;
    const end = this.text.indexOf("\n", start + 1);
    this.#at = end < 0 ? this.text.length : end;
    return this.text.slice(start + line.length, this.#at);
  }

  /** Adds an answer or a step result that is not in the log. */
  add(operation: string, json: string): void {
    this.text += `\n${operation}\t${json}`;
    if (operation.startsWith(ASK)) this.answers++;
  }
}

/**
 * Returns a function that identifies the questions and steps of one run by kind, fingerprint and occurrence, so that
 * concurrent branches may replay in any order.
 */
export function createIdentify(): (kind: string, identity: string) => string {
  const occurrences = new Map<string, number>();
  return (kind, identity) => {
    const mark = kind + fingerprint(identity);
    const nth = occurrences.get(mark) ?? 0;
    occurrences.set(mark, nth + 1);
    return nth === 0 ? mark : `${mark} ${nth}`;
  };
}

/**
 * The key of a step: the same in all runs of a call, for APIs that recognize a repetition by it. Only letters, digits and
 * "-", because such keys often travel in a header.
 */
function stepKey(chain: string, operation: string): string {
  // After the kind and a space; a fingerprint has the characters from "0" to "O".
  const mark = operation.slice(operation.indexOf(" ") + 1);
  return `${chain}-${mark.replace(/[^0-9A-Z]/g, (char) => (char === " " ? "-" : "abcdefg".charAt(char.charCodeAt(0) - 58)))}`;
}
