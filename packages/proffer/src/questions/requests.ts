import type { Call } from "../calls/call.ts";
import { InvalidParams } from "../protocol/errors.ts";
import type { JsonObject } from "../protocol/messages.ts";
import { convert } from "../protocol/revisions/revision.ts";
import { ToolError } from "../results/content.ts";
import { Operations } from "./operations.ts";
import { answerWithoutAsking, type Question, type Questions, type StepWork, suspended } from "./question.ts";
import { runStep } from "./replay.ts";
import { STEP } from "./replay-log.ts";
import { checkResponse, splitLists } from "./response.ts";

/** Questions in revisions where the server sends requests while the client's request is open. */
export class Requests implements Questions {
  readonly round = 0;
  readonly #call: Call;
  readonly #operations = new Operations();

  constructor(call: Call) {
    this.#call = call;
    call.server.overrides.trace?.(call, this);
  }

  async ask(question: Question): Promise<JsonObject> {
    const { method, schema } = question;
    const call = this.#call;
    // Nobody would withdraw a request that is sent after the signal has aborted.
    if (call.done || call.signal.aborted) return suspended(call);
    const unasked = answerWithoutAsking(call, question);
    if (unasked !== undefined || call.origin.request === undefined) return unasked ?? suspended(call);
    const params =
      method === "elicitation/create" ? convert(call.revision, "elicitation", question.params) : question.params;
    const [sent, observe] = call.observation?.request(method, params) ?? [params];
    const response = await call.origin.request(call, method, sent);
    observe?.(response);
    if (call.done) return suspended(call);
    if ("error" in response) return this.#answerError(question);
    try {
      return checkResponse(method, splitLists(response.result, schema), schema, "The answer");
    } catch (error) {
      call.interrupt(error instanceof InvalidParams ? new ToolError(error.message) : (error as Error));
      return suspended(call);
    }
  }

  step(name: string, work: StepWork): Promise<unknown> {
    return runStep(this.#call, name, work, this.#operations.identify(STEP, name));
  }

  replayError(): undefined {}

  /** An error response to an elicitation counts as `cancel`; for other questions the tool fails. */
  #answerError(question: Question): JsonObject {
    if (question.method === "elicitation/create") return { action: "cancel" };
    throw new ToolError(`The client answered ${question.method} with an error.`);
  }
}
