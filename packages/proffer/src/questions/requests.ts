import type { Call } from "../calls/call.ts";
import { InvalidParams } from "../protocol/errors.ts";
import type { JsonObject } from "../protocol/messages.ts";
import { convert } from "../protocol/revisions/revision.ts";
import { ToolError } from "../results/content.ts";
import { answerWithoutAsking, never, type Question, type Questions } from "./question.ts";
import { checkResponse, revived } from "./response.ts";
import { runStep } from "./rounds.ts";

/** Questions where the server may send requests of its own while the client's request is open. */
export class Requests implements Questions {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  async ask(question: Question): Promise<JsonObject> {
    const { method, schema } = question;
    const call = this.#call;
    if (call.done) return never();
    const refused = answerWithoutAsking(call, question);
    if (refused !== undefined || call.origin.request === undefined) return refused ?? never();
    const params =
      method === "elicitation/create" ? convert(call.revision, "elicitation", question.params) : question.params;
    call.waiting++;
    const response = await call.origin.request(call, method, params);
    call.waiting--;
    if (call.done) return never();
    if ("error" in response) return this.#refused(question);
    try {
      return checkResponse(method, revived(response.result, schema), schema, "The answer");
    } catch (error) {
      call.interrupt(error instanceof InvalidParams ? new ToolError(error.message) : (error as Error));
      return never();
    }
  }

  step(_name: string, work: () => unknown): Promise<unknown> {
    return runStep(work);
  }

  replayError(): undefined {}

  /** A user who does not want to be asked has cancelled; for anything else an error is an error. */
  #refused(question: Question): JsonObject {
    if (question.method === "elicitation/create") return { action: "cancel" };
    throw new ToolError(`The client refused ${question.method}.`);
  }
}
