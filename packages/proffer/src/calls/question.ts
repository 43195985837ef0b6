import type { JsonObject } from "../protocol/messages.ts";
import type { ClientCapabilities, LogLevel } from "../protocol/model.ts";
import { UsageError } from "../support/usage-error.ts";
import type { Call } from "./call.ts";
import { missingCapabilities, missingCapability } from "./client.ts";

/** The requests that a server can send to a client. */
export type InputMethod = "elicitation/create" | "sampling/createMessage" | "roots/list";

/** One request to the client. */
export interface Question {
  readonly method: InputMethod;
  readonly params: JsonObject;
  /** The capabilities that the client must have declared. */
  readonly needs: ClientCapabilities;
  /** Together with the method and the key, identifies the question within the call. */
  readonly identity: string;
  /** The JSON of the schema that validates the form's content. */
  readonly schema?: string;
  /** The author's name for it on the wire. */
  readonly key?: string | undefined;
  /** The answer for a client that does not support the question. */
  readonly fallback?: JsonObject | undefined;
}

/** The work of a step. The key is the same in every run, for APIs that recognize a repetition by it. */
export type StepWork = (key: string) => unknown;

/** The task of a run: it takes the messages of an ordinary call to its client. */
export interface RunningTask {
  /** Undefined as long as the call may still be answered plainly. */
  readonly taskId: string | undefined;
  /** Makes the call a task now. */
  promote(): Promise<void>;
  progress(done: number, total: number | undefined, message: string | undefined): void;
  log(level: LogLevel, data: unknown, logger: string | undefined): void;
}

/** Delivers the questions of one call to its client. */
export interface Questions {
  /** The number of rounds before this request. */
  readonly round: number;
  /** Returns the client's answer. The promise never settles if the call has ended, so that the handler stops there. */
  ask(question: Question): JsonObject | Promise<JsonObject>;
  /** Runs `work` once, however often the handler runs again. */
  step(name: string, work: StepWork): Promise<unknown>;
  /** The task that this is a run of; undefined in an ordinary call. */
  readonly task?: RunningTask | undefined;
  /** Returns the reason not to send the handler's result, if there is one. */
  replayError(): Error | undefined;
  /** Keeps questions until they are answered, and returns the result of the run. Absent if the server sends requests. */
  park?(asked: ReadonlyMap<string, Question>): object | Promise<object>;
}

/**
 * Returns a promise that never settles, so that no `catch` or `finally` of the author runs when a call has ended. It is
 * garbage-collected together with the run that awaits it.
 */
export function suspended<Value>(call: Call): Promise<Value> {
  call.forgetLateHandler();
  return new Promise<Value>(() => {});
}

/**
 * Answers a question that the client does not support: with the author's `fallback`, or by ending the call with an
 * error, which no `catch` of the author sees. Returns undefined if the client supports the question.
 */
export function answerWithoutAsking(call: Call, question: Question): Promise<JsonObject> | undefined {
  const { revision, origin } = call;
  if (!call.definition?.asks) {
    throw new UsageError(`${call.method} cannot ask the user. Ask in a tool, a prompt or a read.`, "wrong_use");
  }
  const isKnown = revision.inputs.has(question.method) && (question.params.mode !== "url" || revision.urlQuestions);
  const isPossible = isKnown && (revision.rounds || origin.request !== undefined);
  const missing = isPossible ? missingCapabilities(question.needs, call.client.capabilities) : question.needs;
  if (missing === undefined) return undefined;
  if (question.fallback !== undefined) return Promise.resolve(question.fallback);
  call.ignoreHandler();
  // The call can be ended only after the handler has returned its promise.
  const why = isKnown ? undefined : `revision ${revision.version} does not have it, later ones do`;
  queueMicrotask(() => call.interrupt(missingCapability(revision, missing, `This ${call.method}`, why)));
  return suspended(call);
}

/**
 * Hashes the identity of a question or step within a call. It need not resist an attacker, because the state that
 * carries it is sealed. 64 bits, mixed as in MurmurHash, make an accidental collision negligible.
 */
export function fingerprint(text: string): string {
  let high = 0x9e3779b9;
  let low = 0x85ebca6b;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 0x9e3779b1);
    low = Math.imul(low ^ code, 0x5f356495);
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  return digits(high) + digits(low);
}

/**
 * Writes 32 bits as seven characters that JSON does not escape. It runs for every question of every run of a handler,
 * so it avoids the division by 36 in `toString(36)`.
 */
function digits(bits: number): string {
  return String.fromCharCode(
    48 + (bits & 31),
    48 + ((bits >>> 5) & 31),
    48 + ((bits >>> 10) & 31),
    48 + ((bits >>> 15) & 31),
    48 + ((bits >>> 20) & 31),
    48 + ((bits >>> 25) & 31),
    48 + (bits >>> 30),
  );
}
