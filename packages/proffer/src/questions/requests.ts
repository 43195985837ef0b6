import type { Call } from "../calls/call.ts";
import {
  answerWithoutAsking,
  type InputMethod,
  type Question,
  type Questions,
  type StepWork,
  suspended,
} from "../calls/question.ts";
import { InvalidParams } from "../protocol/errors.ts";
import { isObject, type JsonObject } from "../protocol/messages.ts";
import { convert } from "../protocol/revisions/revision.ts";
import { ToolError } from "../results/content.ts";
import { compileJsonSchema } from "../schema/json-schema/compile.ts";
import type { CompiledSchema, JsonSchemaObject } from "../schema/json-schema/types.ts";
import { Memo } from "../support/memo.ts";
import { createIdentify, runStep, STEP } from "./replay.ts";

/** Questions in revisions where the server sends requests while the client's request is open. */
export class Requests implements Questions {
  readonly round = 0;
  readonly #call: Call;
  readonly #identify = createIdentify();

  constructor(call: Call) {
    this.#call = call;
    call.server.overrides.watch?.questions?.(call, this);
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
    if ("error" in response) return answerError(method);
    try {
      return checkResponse(method, splitLists(response.result, schema), schema, "The answer");
    } catch (error) {
      call.interrupt(error instanceof InvalidParams ? new ToolError(error.message) : (error as Error));
      return suspended(call);
    }
  }

  step(name: string, work: StepWork): Promise<unknown> {
    return runStep(this.#call, name, work, this.#identify(STEP, name));
  }

  replayError(): undefined {}
}

/** An error response to an elicitation counts as `cancel`; for other questions the tool fails. */
function answerError(method: InputMethod): JsonObject {
  if (method === "elicitation/create") return { action: "cancel" };
  throw new ToolError(`The client answered ${method} with an error.`);
}

/**
 * Converts comma-separated texts of an answer to lists. Revision 2025-06-18 has no lists in forms, so its clients are
 * asked for the choices separated by commas.
 */
function splitLists(response: unknown, schema: string | undefined): unknown {
  if (schema === undefined || !isObject(response) || !isObject(response.content)) return response;
  const { properties } = compiled.get(schema);
  const content = Object.entries(response.content).map(([name, value]) => {
    const property = properties[name];
    if (property?.type !== "array" || typeof value !== "string") return [name, value];
    const parts = value.split(",").map((part) => part.trim());
    return [name, parts.filter((part) => part !== "")];
  });
  return { ...response, content: Object.fromEntries(content) };
}

/** Validates a client's answer. @throws {InvalidParams} if it is invalid. */
export function checkResponse(
  method: InputMethod,
  response: unknown,
  schema: string | undefined,
  where: string,
): JsonObject {
  if (!isObject(response)) throw new InvalidParams(`${where} must be an object.`);
  switch (method) {
    case "elicitation/create":
      return checkElicited(response, schema, where);
    case "sampling/createMessage":
      if (["role", "model"].every((name) => typeof response[name] === "string") && typeof response.content === "object")
        return response;
      throw new InvalidParams(`${where} must have a role, a model and content.`);
    case "roots/list":
      if (!Array.isArray(response.roots)) throw new InvalidParams(`${where}.roots must be an array.`);
      return response;
  }
}

function checkElicited(response: JsonObject, schema: string | undefined, where: string): JsonObject {
  const { action, content } = response;
  if (action === "decline" || action === "cancel") return { action };
  if (action !== "accept") throw new InvalidParams(`${where}.action must be "accept", "decline" or "cancel".`);
  if (schema === undefined) return { action };
  const { properties, check } = compiled.get(schema);
  const issues = check.issues(content ?? {});
  if (issues.length === 0) {
    // A handler that spreads the content would take properties that the form does not have for its own.
    const entries = Object.entries(content ?? {}).filter(([name]) => Object.hasOwn(properties, name));
    return { action, content: Object.fromEntries(entries) };
  }
  const list = issues.map(({ pointer, message }) => `${where}.content${pointer}: ${message}`).join("\n");
  throw new InvalidParams(`The answer does not match the schema of the question:\n${list}`);
}

interface Compiled {
  readonly properties: { readonly [name: string]: JsonSchemaObject | undefined };
  readonly check: CompiledSchema;
}

/** Compiled schemas by their JSON, the form in which schemas travel in the state of a call. */
const compiled = /* @__PURE__ */ new Memo((json): Compiled => {
  const schema: JsonSchemaObject = JSON.parse(json);
  return { properties: schema.properties as Compiled["properties"], check: compileJsonSchema(schema) };
});
