import type { Call } from "../calls/call.ts";
import { type Complete, MAX_COMPLETIONS } from "../catalog/completion.ts";
import { InvalidParams } from "../protocol/errors.ts";
import { isObject, type JsonObject } from "../protocol/messages.ts";
import { CallContext } from "../questions/context.ts";
import { completeFromList } from "./completion.ts";

export async function complete(call: Call): Promise<object> {
  const { ref, argument, context } = call.params;
  if (!isObject(ref)) throw new InvalidParams("completion/complete needs params.ref, a prompt or a resource template.");
  if (!isObject(argument) || typeof argument.name !== "string" || typeof argument.value !== "string") {
    throw new InvalidParams("completion/complete needs params.argument with a name and a value, both strings.");
  }
  const wanted = { name: argument.name, value: argument.value, known: knownArguments(context) };
  const { all, counted } = await suggestions(call, ref, wanted);
  const values = all.slice(0, MAX_COMPLETIONS);
  const hasMore = all.length > values.length;
  return { completion: { values, ...(counted || !hasMore ? { total: all.length } : {}), hasMore } };
}

interface Suggestions {
  readonly all: readonly string[];
  /** Whether that is all there is; otherwise nobody knows how many there are. */
  readonly counted: boolean;
}

interface Wanted {
  readonly name: string;
  readonly value: string;
  readonly known: Readonly<Record<string, string>>;
}

/** What to suggest; nothing if nobody said. @throws {InvalidParams} for what does not exist. */
async function suggestions(call: Call, ref: JsonObject, wanted: Wanted): Promise<Suggestions> {
  if (ref.type === "ref/prompt" && typeof ref.name === "string") {
    const prompt = call.server.prompts.get(ref.name);
    if (prompt === undefined)
      throw new InvalidParams(`There is no prompt named ${JSON.stringify(ref.name.slice(0, 128))}.`);
    const argument = prompt.arguments.get(wanted.name);
    if (argument === undefined) throw unknownArgument(wanted.name);
    return { all: await suggest(call, argument.complete ?? [], wanted), counted: true };
  }
  if (ref.type === "ref/resource" && typeof ref.uri === "string") {
    const resource = call.server.resources.template(ref.uri);
    if (resource === undefined)
      throw new InvalidParams(`There is no resource template ${JSON.stringify(ref.uri.slice(0, 512))}.`);
    if (!resource.template?.variables.some((variable) => variable.name === wanted.name)) {
      throw unknownArgument(wanted.name);
    }
    const own = resource.complete.get(wanted.name);
    if (own !== undefined) return { all: await suggest(call, own, wanted), counted: true };
    const bounds = { limit: MAX_COMPLETIONS + 1, scan: call.server.limits.completionScan };
    return { all: await completeFromList(resource, { ...wanted, ...bounds }, new CallContext(call)), counted: false };
  }
  throw new InvalidParams('params.ref must be { type: "ref/prompt", name } or { type: "ref/resource", uri }.');
}

async function suggest(call: Call, complete: Complete, { value, known }: Wanted): Promise<readonly string[]> {
  if (typeof complete === "function") return await complete(value, { arguments: known }, new CallContext(call));
  const start = value.toLowerCase();
  return complete.filter((item) => item.toLowerCase().startsWith(start));
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
