import type { Draft } from "../../protocol/api.ts";
import type { CallMethod, CallState, Item, ItemKind, JsonObject } from "../../protocol/data.ts";
import { isObject, listOf, stringOf } from "../text/json.ts";

export const METHODS: { readonly [Kind in ItemKind]: CallMethod } = {
  tool: "tools/call",
  prompt: "prompts/get",
  resource: "resources/read",
  template: "resources/read",
};

/** Identifies an item within the page, also after it has left the offer. */
export function itemId(item: { readonly kind: ItemKind; readonly key: string }): string {
  return `${item.kind} ${item.key}`;
}

export function isCallMethod(method: string | undefined): method is CallMethod {
  return Object.values(METHODS).includes(method as CallMethod);
}

/** The params of a call of an item; undefined for a template, whose URI only its form can expand. */
export function paramsFor({ kind, key }: Item, value: JsonObject): JsonObject | undefined {
  if (kind === "resource") return { uri: key };
  return kind === "template" ? undefined : { name: key, arguments: value };
}

/**
 * The calls of an item, the last one last, without rounds that were sent again: they are shown with their call.
 * @param made - the items that the calls of this page were made for.
 */
export function callsOf(
  item: { readonly kind: ItemKind; readonly key: string },
  calls: ReadonlyMap<string, CallState>,
  made: ReadonlyMap<string, string>,
): CallState[] {
  const itemOf = (call: CallState) => made.get(call.id) ?? made.get(call.from?.call ?? "") ?? itemId(itemOfCall(call));
  return [...calls.values()].filter((call) => call.resent === undefined && itemOf(call) === itemId(item));
}

/** The item that a call is about, as far as its params name it. */
export function itemOfCall({ method, params }: Pick<CallState, "method" | "params">): { kind: ItemKind; key: string } {
  const kind = (Object.keys(METHODS) as ItemKind[]).find((kind) => METHODS[kind] === method) ?? "tool";
  return { kind, key: String((kind === "resource" ? params.uri : params.name) ?? "") };
}

/** A call as something to copy, save or make again: with the answers that were given and the result. */
export function draftOfCall({ revision, method, params, asks, result }: CallState): Draft {
  const answers = asks.flatMap(({ answer }) => answer ?? []);
  return { revision, method, params, answers, ...(result === undefined ? {} : { result }) };
}

/** The values of the form that a call was made with. */
export function valueOfCall({ params }: Pick<CallState, "params">): JsonObject {
  return isObject(params.arguments) ? params.arguments : {};
}

/** The arguments of a prompt as a schema: texts, some of them required. */
export function promptSchema(description: JsonObject): JsonObject {
  const known = listOf(description.arguments).filter(isObject);
  const properties = known.flatMap((argument): [string, JsonObject][] => {
    const { name, title, description: about } = argument;
    if (typeof name !== "string") return [];
    const texts = { ...(stringOf(title) && { title }), ...(stringOf(about) && { description: about }) } as JsonObject;
    return [[name, { type: "string", ...texts }]];
  });
  const required = known.flatMap(({ name, required }) => (required === true && typeof name === "string" ? [name] : []));
  return { type: "object", properties: Object.fromEntries(properties), required, additionalProperties: false };
}

const EXPRESSION = /\{([+#./;?&]?)([^{}]*)\}/g;
const MAX_VARIABLES = 100;

/** The variables of a URI template as a schema: texts, and lists for those that can have several values. */
export function templateSchema(template: string): JsonObject {
  const expressions = [...template.matchAll(EXPRESSION)];
  const properties = expressions.flatMap(([, operator, variables = ""]) =>
    variables.split(",").map((variable): [string, JsonObject] => {
      const name = variable.replace(/\*$|:\d+$/, "");
      const text: JsonObject = { type: "string" };
      const optional =
        operator === "?" || operator === "&" ? { description: "left out of the URI if it has no value" } : {};
      return [name, { ...(variable.endsWith("*") ? { type: "array", items: text } : text), ...optional }];
    }),
  );
  const shown = Object.fromEntries(properties.slice(0, MAX_VARIABLES));
  return { type: "object", properties: shown, additionalProperties: false };
}
