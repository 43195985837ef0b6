import { CallView, type MiddlewareCall } from "../calls/call-view.ts";
import { callerOf } from "../calls/caller.ts";
import { UsageError } from "../support/usage-error.ts";

/**
 * The calls that share one limit. "principal": the caller's id, or the address of an anonymous caller. "client": the network
 * address. "tool": the tool, prompt or resource, for all callers
 * together. A function returns a text; undefined means no limit for this call.
 */
export type Per = "principal" | "client" | "tool" | ((call: MiddlewareCall) => string | undefined);

/** The methods that run a handler of the author. */
export const CALLS: readonly string[] = ["tools/call", "prompts/get", "resources/read", "completion/complete"];

type Key = (call: MiddlewareCall, where: string) => string;

const KEYS: { readonly [Name in Exclude<Per, (...values: never) => unknown>]: Key } = {
  principal: (call, where) => callerOf({ principal: call.principal, address: addressOf(call) }) ?? only(call, where),
  client: (call, where) => callerOf({ address: addressOf(call) }) ?? only(call, where),
  // Names that do not exist share one key: a client could invent any number of them.
  tool: (call) => (call.item === undefined ? "" : `${call.method} ${call.item.name}`),
};

/**
 * Returns the function that finds the key of a call; undefined for one without a limit. Only calls of these methods have
 * one. @throws {UsageError} for unknown values.
 */
export function toKeyFunction(
  where: string,
  per: Per | readonly Per[],
  methods: readonly string[],
): (call: MiddlewareCall) => string | undefined {
  checkNames(where, "methods", methods);
  const counted = new Set(methods);
  const list = Array.isArray(per) ? (per as readonly Per[]) : [per as Per];
  const functions = list.map((each) => {
    if (typeof each === "function") return each;
    const known = Object.hasOwn(KEYS, each) ? KEYS[each] : undefined;
    if (known !== undefined) return (call: MiddlewareCall) => known(call, where);
    const names = Object.keys(KEYS).map(show).join(", ");
    throw new UsageError(`${where}: per must be ${names}, a function or a list of them, not ${show(per)}.`);
  });
  if (functions.length === 0) throw new UsageError(`${where}: per must not be an empty list.`);
  return (call) => {
    if (!counted.has(call.method)) return undefined;
    const parts: string[] = [];
    for (const part of functions) {
      const key: unknown = part(call);
      if (key === undefined) return undefined;
      if (typeof key !== "string") throw wrongReturn(`per of ${where}`, key, "a text or undefined");
      parts.push(key);
    }
    return JSON.stringify(parts);
  };
}

/**
 * The key of a caller without a mark. Over HTTP, one key for all of them would let one caller use up the limit of the
 * others, and a key for each session none at all: a new session is a request away. @throws {UsageError} there.
 */
function only(call: MiddlewareCall, where: string): string {
  if (CallView.callOf(call)?.origin.transport !== "http") return "";
  const problem = "cannot count an anonymous caller, because this run-time does not know its address";
  throw new UsageError(
    `${where} ${problem}. Name callers with the option caller of the handler, or authenticate them.`,
  );
}

function addressOf(call: MiddlewareCall): string | undefined {
  return CallView.callOf(call)?.origin.address;
}

/** @throws {UsageError} for a name that is not an option: a typo would switch the policy off. */
export function checkOptions(where: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== "object" || options === null) {
    throw new UsageError(`${where} needs an object of options, not ${show(options)}.`);
  }
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new UsageError(`${where}: unknown option ${show(unknown)}. The options are ${known.join(", ")}.`);
}

/** @throws {UsageError} for a value that is not a positive number, or not a whole one if `whole` is set. */
export function checkPositive(where: string, name: string, value: unknown, whole = false): void {
  if (typeof value === "number" && Number.isFinite(value) && value > 0 && (!whole || Number.isInteger(value))) return;
  const kind = whole ? "a whole number of at least 1" : "a positive number";
  throw new UsageError(`${where}: ${name} must be ${kind}, not ${show(value)}.`);
}

/** @throws {UsageError} for a value that is not a list of texts with at least one. */
export function checkNames(where: string, name: string, value: unknown): void {
  if (Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === "string")) return;
  throw new UsageError(`${where}: ${name} must be a list of at least one text, not ${show(value)}.`);
}

/** @throws {UsageError} for a value that is neither undefined nor a function. */
export function checkFunction(where: string, name: string, value: unknown): void {
  if (value === undefined || typeof value === "function") return;
  throw new UsageError(`${where}: ${name} must be a function, not ${show(value)}.`);
}

/** The error for a hook that returned a value of the wrong type: a promise, for example, would permit everything. */
export function wrongReturn(hook: string, returned: unknown, expected: string): TypeError {
  // The rejection of a promise must not end the process.
  Promise.resolve(returned).catch(() => undefined);
  return new TypeError(`${hook} returned a value of type ${typeof returned}, not ${expected}`);
}

/** Writes a wrong value in a message. */
export function show(value: unknown): string {
  return typeof value === "function" ? "a function" : (JSON.stringify(value) ?? String(value));
}
