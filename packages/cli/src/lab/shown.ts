import type { ToolDescription } from "proffer";
import type { WireRecord } from "../recordings/record.ts";
import { isObject, parseJson } from "../terminal/json.ts";
import { objectsOf, type ShownTool } from "./model/dialect.ts";

/** The tools that the server has listed, by their names. */
export function listedTools(record: WireRecord): Map<string, ToolDescription> {
  const tools = new Map<string, ToolDescription>();
  for (const { method, kind, text } of record.messages()) {
    if (method !== "tools/list" || kind !== "result") continue;
    const [result = {}] = objectsOf([resultIn(text)]);
    for (const tool of objectsOf(result.tools)) tools.set(String(tool.name), tool as never);
  }
  return tools;
}

/** Finds a tool of the server among those that a model was shown: clients rename them. */
export function findShown(
  record: WireRecord,
  server: string,
  tool: string,
  shown: readonly ShownTool[],
): ShownTool | undefined {
  const listed = listedTools(record).get(tool);
  if (listed === undefined) return undefined;
  const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "_");
  const full = ({ namespace = "", name }: ShownTool) => plain(`${namespace}_${name}`);
  const own = shown.filter((each) => full(each).includes(plain(server)));
  const named = [...own, ...shown].find((each) => full(each).endsWith(`_${plain(tool)}`));
  const { description } = listed;
  // A name that was too long has lost its end.
  return named ?? own.find((each) => description !== undefined && each.description?.includes(description) === true);
}

/** The result or the error in a response. */
export function resultIn(text: string): unknown {
  const message = parseJson(text);
  return isObject(message) ? (message.result ?? message.error) : undefined;
}
