import type { Call } from "../calls/call.ts";
import { limitHook } from "../calls/timeout.ts";
import { findItem, templatesOf } from "../calls/uses.ts";
import { type Complete, MAX_COMPLETIONS, matching } from "../catalog/completion.ts";
import { InvalidParams } from "../protocol/errors.ts";
import { isObject, type JsonObject } from "../protocol/messages.ts";
import { CallContext } from "../questions/context.ts";
import { completeFromList } from "./complete-from-list.ts";

export async function complete(call: Call): Promise<object> {
  const { ref, argument, context } = call.params;
  if (!isObject(ref)) throw new InvalidParams("completion/complete needs params.ref, a prompt or a resource template.");
  if (!isObject(argument) || typeof argument.name !== "string" || typeof argument.value !== "string") {
    throw new InvalidParams("completion/complete needs params.argument with a name and a value, both strings.");
  }
  const target = { name: argument.name, value: argument.value, known: knownArguments(context) };
  const { all, isComplete } = await limitHook(call, suggestions(call, ref, target));
  const values = all.slice(0, MAX_COMPLETIONS);
  const hasMore = all.length > values.length;
  return { completion: { values, ...(isComplete || !hasMore ? { total: all.length } : {}), hasMore } };
}

interface Suggestions {
  readonly all: readonly string[];
  /** Whether `all` is complete; otherwise the total is unknown. */
  readonly isComplete: boolean;
}

interface CompletionTarget {
  readonly name: string;
  readonly value: string;
  readonly known: Readonly<Record<string, string>>;
}

/** Returns the suggestions, empty without a source. @throws {InvalidParams} for an unknown reference or argument. */
async function suggestions(call: Call, ref: JsonObject, target: CompletionTarget): Promise<Suggestions> {
  if (ref.type === "ref/prompt" && typeof ref.name === "string") {
    const prompt = findItem(call, call.server.prompts, ref.name);
    if (prompt === undefined) throw new InvalidParams(`Unknown prompt ${JSON.stringify(ref.name.slice(0, 128))}.`);
    const argument = prompt.arguments.get(target.name);
    if (argument === undefined) throw unknownArgument(target.name);
    return { all: await suggest(call, argument.complete ?? [], target), isComplete: true };
  }
  if (ref.type === "ref/resource" && typeof ref.uri === "string") {
    const resource = findItem(call, templatesOf(call), ref.uri);
    if (resource === undefined)
      throw new InvalidParams(`Unknown resource template ${JSON.stringify(ref.uri.slice(0, 512))}.`);
    if (!resource.template?.variables.some((variable) => variable.name === target.name)) {
      throw unknownArgument(target.name);
    }
    const own = resource.complete.get(target.name);
    if (own !== undefined) return { all: await suggest(call, own, target), isComplete: true };
    const bounds = { limit: MAX_COMPLETIONS + 1, scan: call.server.limits.completionScan };
    return {
      all: await completeFromList(resource, { ...target, ...bounds }, new CallContext(call)),
      isComplete: false,
    };
  }
  throw new InvalidParams('params.ref must be { type: "ref/prompt", name } or { type: "ref/resource", uri }.');
}

async function suggest(call: Call, complete: Complete, { value, known }: CompletionTarget): Promise<readonly string[]> {
  if (typeof complete === "function") {
    const given: unknown = await complete(value, { arguments: known }, new CallContext(call));
    if (Array.isArray(given) && given.every((item) => typeof item === "string")) return given;
    throw new TypeError("a complete function must return an array of strings");
  }
  return matching(complete, value);
}

/** Returns the arguments that the client has already filled in; values other than strings are ignored. */
function knownArguments(context: unknown): Record<string, string> {
  const given = isObject(context) ? context.arguments : undefined;
  if (!isObject(given)) return {};
  const strings = Object.entries(given).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return Object.fromEntries(strings);
}

function unknownArgument(name: string): InvalidParams {
  return new InvalidParams(`Unknown argument ${JSON.stringify(name.slice(0, 128))}.`);
}
