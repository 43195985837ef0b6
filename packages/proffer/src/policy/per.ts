import { CallView, type MiddlewareCall } from "../calls/call-view.ts";
import { UsageError } from "../support/usage-error.ts";
import { show, wrongReturn } from "./options.ts";

/**
 * What shares one limit. "principal": the caller's id, or the address of an anonymous caller. "client": the network
 * address, or the session if the transport knows no address. "tool": the tool, prompt or resource, for all callers
 * together. A function returns a text; undefined means no limit for this call.
 */
export type Per = "principal" | "client" | "tool" | ((call: MiddlewareCall) => string | undefined);

/** The methods that run a handler of the author. */
export const CALLS: readonly string[] = ["tools/call", "prompts/get", "resources/read", "completion/complete"];

/** @throws {UsageError} for an unknown value. */
export function toKeyFunction(where: string, per: Per | readonly Per[]): (call: MiddlewareCall) => string | undefined {
  const list = Array.isArray(per) ? (per as readonly Per[]) : [per as Per];
  const functions = list.map((each) => {
    if (typeof each === "function") return each;
    const known = Object.hasOwn(KEYS, each) ? KEYS[each] : undefined;
    if (known !== undefined) return known;
    const names = Object.keys(KEYS).map(show).join(", ");
    throw new UsageError(
      "bad_option",
      `${where}: per must be ${names}, a function or a list of them, not ${show(per)}.`,
    );
  });
  if (functions.length === 0) throw new UsageError("bad_option", `${where}: per must not be an empty list.`);
  return (call) => {
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

const KEYS: { readonly [Name in Exclude<Per, (...values: never) => unknown>]: (call: MiddlewareCall) => string } = {
  // The prefix keeps an anonymous caller from taking the key of a principal.
  principal: (call) => (call.principal === undefined ? `address ${addressOf(call)}` : `id ${call.principal.id}`),
  client: (call) => addressOf(call) || (CallView.callOf(call)?.origin.session?.id ?? ""),
  // Names that do not exist share one key: a client could invent any number of them.
  tool: (call) => (call.item === undefined ? "" : `${call.method} ${call.item.name}`),
};

/** Callers without an address share one key. */
function addressOf(call: MiddlewareCall): string {
  return CallView.callOf(call)?.origin.address ?? "";
}
