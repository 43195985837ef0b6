import type { Call } from "../calls/call.ts";
import { lacking, refusal } from "../calls/capabilities.ts";
import type { JsonObject } from "../protocol/messages.ts";
import { never, type Question } from "./question.ts";

/**
 * What becomes of a question that this client cannot be asked: the author's `otherwise`, or the end of the call. As
 * with a suspension, no `catch` sees that end. Undefined if the client can be asked.
 */
export function unaskable(call: Call, question: Question): Promise<JsonObject> | undefined {
  const { revision, origin } = call;
  const possible = revision.inputs.has(question.method) && (revision.rounds || origin.request !== undefined);
  const missing = possible ? lacking(question.needs, call.client.capabilities) : question.needs;
  if (missing === undefined) return undefined;
  if (question.otherwise !== undefined) return Promise.resolve(question.otherwise);
  call.close();
  // The handler has not returned yet, and must have, for its call to be ended.
  queueMicrotask(() => call.interrupt(refusal(revision, missing, `This ${call.method}`)));
  return never();
}
