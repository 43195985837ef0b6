import type { Call } from "../calls/call.ts";
import { findItem, visibleKeys } from "../catalog/find.ts";
import { type List, page } from "../catalog/pages.ts";
import { unknownName } from "../catalog/registry.ts";
import { InvalidParams, NotFound } from "../protocol/errors.ts";
import { isObject, type JsonObject } from "../protocol/messages.ts";
import type { PromptResult } from "../protocol/model.ts";
import { convert, type Revision } from "../protocol/revisions/revision.ts";
import { CallContext } from "../questions/context.ts";
import type { SerializedResult } from "../results/encode.ts";
import { isDeferred, toPromptResult } from "../results/return-value.ts";
import type { Prompt } from "./define.ts";

const PROMPTS: List<Prompt> = {
  name: "prompts",
  entries: (call) => call.server.prompts.entries(),
  describe: (prompt, call) => convert(call.revision, "prompt", prompt.description),
};

export function listPrompts(call: Call): SerializedResult | Promise<SerializedResult> {
  return page(call, PROMPTS);
}

export function getPrompt(call: Call): object | Promise<object> {
  const { name, arguments: given = {} } = call.params;
  if (typeof name !== "string") throw new InvalidParams("params.name must be the name of a prompt.");
  const prompt = findItem(call, call.server.prompts, name);
  if (prompt === undefined) throw unknownName("prompt", name, visibleKeys(call, call.server.prompts));
  if (!isObject(given)) throw new InvalidParams("params.arguments must be an object of strings.");
  const ctx = new CallContext(call);
  try {
    const value = prompt.get(checkArguments(prompt, given), ctx);
    if (!isDeferred(value)) return deliver(call.revision, ctx, toPromptResult(value, name));
    return finish(call, prompt, ctx, value);
  } catch (error) {
    throw inPrompt(error);
  }
}

function finish(call: Call, prompt: Prompt, ctx: CallContext, pending: unknown): Promise<object> {
  return call.outcome(
    pending,
    (value) => deliver(call.revision, ctx, toPromptResult(value, prompt.name)),
    (error) => {
      throw inPrompt(error);
    },
  );
}

/** The "not found" code is reserved for resources; in a prompt, NotFound means that an argument is wrong. */
function inPrompt(error: unknown): unknown {
  return error instanceof NotFound ? new InvalidParams(error.message, error.data) : error;
}

function checkArguments(prompt: Prompt, given: JsonObject): Record<string, string | undefined> {
  const values: Record<string, string | undefined> = {};
  for (const [name, { required }] of prompt.arguments) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value === undefined && required) {
      throw new InvalidParams(`Missing argument "${name}" of prompt "${prompt.name}".`);
    }
    if (value !== undefined && typeof value !== "string") {
      throw new InvalidParams(`The argument "${name}" of prompt "${prompt.name}" must be a string.`);
    }
    values[name] = value;
  }
  return values;
}

function deliver(revision: Revision, ctx: CallContext, result: PromptResult): PromptResult {
  ctx.flush();
  if (revision.convert.block === undefined) return result;
  const messages = result.messages.map(({ role, content }) => ({ role, content: convert(revision, "block", content) }));
  return { ...result, messages };
}
