import type { Call } from "../calls/call.ts";
import { limitHook } from "../calls/timeout.ts";
import { type Complete, MAX_COMPLETIONS, matching } from "../catalog/completion.ts";
import { findItem, templatesOf } from "../catalog/find.ts";
import { InvalidParams } from "../protocol/errors.ts";
import { isObject, type JsonObject } from "../protocol/messages.ts";
import { CallContext } from "../questions/context.ts";
import type { Resource } from "./define.ts";
import { forEachEntry, type ListEntry } from "./list.ts";

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

/** The argument or variable to complete. */
interface CompletionTarget {
  readonly name: string;
  /** The text typed so far; matched case-insensitively. */
  readonly value: string;
  /** The arguments that already have a value. */
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
    return { all: await completeFromList(call, resource, target), isComplete: false };
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

/** Returns the distinct values of a variable in the listed URIs of a template, in list order. */
async function completeFromList(call: Call, resource: Resource, target: CompletionTarget): Promise<string[]> {
  const { template, list } = resource;
  const found = new Set<string>();
  if (template === undefined || list === undefined) return [];
  const ctx = new CallContext(call);
  const start = target.value.toLowerCase();
  const limit = call.server.limits.completionScan;
  let left = limit;
  const isOpen = () => found.size <= MAX_COMPLETIONS && --left > 0;
  const add = (entry: ListEntry): boolean => {
    const values: Readonly<Record<string, unknown>> = template.match(entry.uri, resource.rules.match)?.values ?? {};
    const value = values[target.name];
    const matches = typeof value === "string" && value.toLowerCase().startsWith(start) && matchesKnown(values, target);
    if (matches) found.add(value);
    return isOpen();
  };
  let cursor: string | undefined;
  do {
    const given = await list({ after: undefined, cursor, limit }, ctx);
    const isPage = "items" in given;
    await forEachEntry(isPage ? given.items : given, ctx, add);
    cursor = isPage ? given.nextCursor : undefined;
    // A page counts too: a list whose empty pages always have a next one would be read forever.
  } while (cursor !== undefined && isOpen());
  return [...found];
}

function matchesKnown(values: Readonly<Record<string, unknown>>, { name, known }: CompletionTarget): boolean {
  return Object.entries(known).every(
    ([key, value]) => key === name || values[key] === undefined || values[key] === value,
  );
}
