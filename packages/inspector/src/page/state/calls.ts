import type { Draft } from "../../protocol/api.ts";
import type { Answer, CallMethod, CallState } from "../../protocol/call.ts";
import type { JsonObject } from "../../protocol/json.ts";
import type { Item, ItemKind } from "../../protocol/offer.ts";
import { itemId } from "./draft.ts";

export const METHODS: { readonly [Kind in ItemKind]: CallMethod } = {
  tool: "tools/call",
  prompt: "prompts/get",
  resource: "resources/read",
  template: "resources/read",
};

export function isCallMethod(method: string | undefined): method is CallMethod {
  return Object.values(METHODS).includes(method as CallMethod);
}

/** The params of a call of an item; undefined for a template, whose URI only its form can expand. */
export function paramsFor({ kind, key }: Item, value: JsonObject): JsonObject | undefined {
  if (kind === "resource") return { uri: key };
  return kind === "template" ? undefined : { name: key, arguments: value };
}

/**
 * The calls of an item, the last one last, without rounds that were sent again: they are shown with the call that they are
 * of. `made` knows what the calls of this page were made for.
 */
export function callsOf(
  item: { readonly kind: ItemKind; readonly key: string },
  calls: ReadonlyMap<string, CallState>,
  made: ReadonlyMap<string, string>,
): CallState[] {
  const id = itemId(item);
  return [...calls.values()]
    .filter(({ resent }) => resent === undefined)
    .filter((call) => {
      const known = made.get(call.id) ?? made.get(call.from?.call ?? "");
      return known === undefined ? isCallOf(item, call) : known === id;
    });
}

function isCallOf({ kind, key }: { readonly kind: ItemKind; readonly key: string }, call: CallState): boolean {
  if (kind === "template" || call.method !== METHODS[kind]) return false;
  return (kind === "resource" ? call.params.uri : call.params.name) === key;
}

/** The item that a call is about, as far as its params tell. */
export function itemOfCall({ method, params }: Pick<CallState, "method" | "params">): { kind: ItemKind; key: string } {
  const kind = (Object.keys(METHODS) as ItemKind[]).find((kind) => METHODS[kind] === method) ?? "tool";
  return { kind, key: String((kind === "resource" ? params.uri : params.name) ?? "") };
}

/** A call as something to copy, save or make again: with the answers that were given and the result. */
export function draftOfCall({ revision, method, params, asks, result }: CallState): Draft {
  const answers = asks.map(({ answer }) => answer).filter((answer): answer is Answer => answer !== undefined);
  return { revision, method, params, answers, ...(result === undefined ? {} : { result }) };
}

/** The values of the form that a call was made with. */
export function valueOfCall({ params }: Pick<CallState, "params">): JsonObject {
  const { arguments: value } = params;
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}
