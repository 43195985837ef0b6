import type { Call } from "../calls/call.ts";
import type { Questions } from "./question.ts";
import { Requests } from "./requests.ts";
import { Rounds } from "./rounds.ts";
import { refuseInsideStep } from "./running-step.ts";

/**
 * Returns the questions of a call: in rounds, or as requests while the call stays open, depending on the revision.
 * @throws {UsageError} inside a step of the call.
 */
export function questionsOf(call: Call): Questions {
  refuseInsideStep(call);
  call.questions ??= call.revision.rounds ? new Rounds(call) : new Requests(call);
  return call.questions;
}
