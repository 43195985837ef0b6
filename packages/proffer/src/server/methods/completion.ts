import { InvalidParams } from "../../protocol/errors.ts";
import { isObject, type JsonObject } from "../../protocol/messages.ts";
import type { Call } from "../call.ts";
import { type Complete, MAX_COMPLETIONS } from "../completion.ts";
import { CallContext } from "../context.ts";

export async function complete(call: Call): Promise<object> {
  const { ref, argument, context } = call.params;
  if (!isObject(ref)) throw new InvalidParams("completion/complete needs params.ref, a prompt or a resource template.");
  if (!isObject(argument) || typeof argument.name !== "string" || typeof argument.value !== "string") {
    throw new InvalidParams("completion/complete needs params.argument with a name and a value, both strings.");
  }
  const suggest = findComplete(call, ref, argument.name);
  const all = suggest === undefined ? [] : await suggestions(suggest, argument.value, context, call);
  const values = all.slice(0, MAX_COMPLETIONS);
  return { completion: { values, total: all.length, hasMore: all.length > values.length } };
}

/** How to complete the argument; undefined if nobody said. @throws {InvalidParams} for what does not exist. */
function findComplete(call: Call, ref: JsonObject, name: string): Complete | undefined {
  if (ref.type === "ref/prompt" && typeof ref.name === "string") {
    const prompt = call.server.prompts.get(ref.name);
    if (prompt === undefined)
      throw new InvalidParams(`There is no prompt named ${JSON.stringify(ref.name.slice(0, 128))}.`);
    const argument = prompt.arguments.get(name);
    if (argument === undefined) throw unknownArgument(name);
    return argument.complete;
  }
  if (ref.type === "ref/resource" && typeof ref.uri === "string") {
    const resource = call.server.resources.get(ref.uri);
    if (resource === undefined)
      throw new InvalidParams(`There is no resource template ${JSON.stringify(ref.uri.slice(0, 512))}.`);
    if (!resource.template?.variables.some((variable) => variable.name === name)) throw unknownArgument(name);
    return resource.complete.get(name);
  }
  throw new InvalidParams('params.ref must be { type: "ref/prompt", name } or { type: "ref/resource", uri }.');
}

async function suggestions(suggest: Complete, value: string, context: unknown, call: Call): Promise<readonly string[]> {
  if (typeof suggest !== "function") {
    const start = value.toLowerCase();
    return suggest.filter((item) => item.toLowerCase().startsWith(start));
  }
  return await suggest(value, { arguments: knownArguments(context) }, new CallContext(call));
}

/** What the client says was already filled in; anything but strings is left out. */
function knownArguments(context: unknown): Record<string, string> {
  const given = isObject(context) ? context.arguments : undefined;
  if (!isObject(given)) return {};
  const strings = Object.entries(given).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return Object.fromEntries(strings);
}

function unknownArgument(name: string): InvalidParams {
  return new InvalidParams(`It has no argument named ${JSON.stringify(name.slice(0, 128))}.`);
}
