import type { Call } from "../calls/call.ts";
import { missingCapabilities, missingCapability } from "../calls/capabilities.ts";
import type { JsonObject } from "../protocol/messages.ts";
import type { ClientCapabilities } from "../protocol/model.ts";

/** What a server can ask of a client. */
export type InputMethod = "elicitation/create" | "sampling/createMessage" | "roots/list";

/** One thing asked of the client. */
export interface Question {
  readonly method: InputMethod;
  readonly params: JsonObject;
  /** What the client must have declared. */
  readonly needs: ClientCapabilities;
  /** All that tells it from another question of the call, but for its method and key. */
  readonly identity: string;
  /** The JSON of the schema that a form's content must fit. */
  readonly schema?: string;
  /** The author's name for it on the wire. */
  readonly key?: string | undefined;
  /** What to answer for a client that cannot be asked. */
  readonly fallback?: JsonObject | undefined;
}

/** How the questions of one call reach its client. */
export interface Questions {
  /** The client's answer. It may never come: then the call has ended, and nothing of the handler goes on. */
  ask(question: Question): JsonObject | Promise<JsonObject>;
  /** Runs the work once, however often the handler runs. */
  step(name: string, work: () => unknown): Promise<unknown>;
  /** Why the handler's result may not be sent, if it may not. */
  replayError(): Error | undefined;
}

/** Never settles: no `catch` or `finally` of the author's sees that a call has ended. It is collected with its run. */
export function never<Value>(): Promise<Value> {
  return new Promise<Value>(() => {});
}

/**
 * What becomes of a question that this client cannot be asked: the author's `otherwise`, or the end of the call. As
 * with a suspension, no `catch` sees that end. Undefined if the client can be asked.
 */
export function answerWithoutAsking(call: Call, question: Question): Promise<JsonObject> | undefined {
  const { revision, origin } = call;
  const possible = revision.inputs.has(question.method) && (revision.rounds || origin.request !== undefined);
  const missing = possible ? missingCapabilities(question.needs, call.client.capabilities) : question.needs;
  if (missing === undefined) return undefined;
  if (question.fallback !== undefined) return Promise.resolve(question.fallback);
  call.ignoreHandler();
  // The handler has not returned yet, and must have, for its call to be ended.
  queueMicrotask(() => call.interrupt(missingCapability(revision, missing, `This ${call.method}`)));
  return never();
}
