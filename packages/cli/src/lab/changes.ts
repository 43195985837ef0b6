import type { CallResult, ToolDescription } from "proffer";
import { isObject } from "../terminal/json.ts";
import { objectsOf, type ShownTool, textsIn } from "./model/dialect.ts";

const MAX_CHANGES = 20;
/** Of a result of which the model got no part. */
export const NOTHING = "the whole result";

/** Returns the differences between a tool in the server's list and the same tool as its model sees it. */
export function toolChanges({ description, inputSchema }: ToolDescription, shown: ShownTool): string[] {
  const changes: string[] = [];
  const seen = shown.description;
  if (description !== undefined && seen !== description) {
    if (seen === undefined) changes.push("drops the description");
    else if (seen.includes(description)) changes.push("adds to the description");
    else changes.push(`cuts the description of ${description.length} characters to ${seen.length}`);
  }
  const found = differences(inputSchema, shown.schema, "");
  const rest = found.length - MAX_CHANGES;
  return [...changes, ...found.slice(0, MAX_CHANGES), ...(rest > 0 ? [`${rest} more`] : [])];
}

/** The places where two values of JSON differ. */
function differences(from: unknown, to: unknown, at: string): string[] {
  if (isObject(from) && isObject(to)) {
    const names = new Set([...Object.keys(from), ...Object.keys(to)]);
    return [...names].flatMap((name) => {
      const path = `${at}/${name}`;
      if (!Object.hasOwn(to, name)) return [`drops ${path}`];
      return Object.hasOwn(from, name) ? differences(from[name], to[name], path) : [`adds ${path}`];
    });
  }
  if (Array.isArray(from) && Array.isArray(to) && from.length === to.length)
    return from.flatMap((each, index) => differences(each, to[index], `${at}/${index}`));
  return JSON.stringify(from) === JSON.stringify(to) ? [] : [`changes ${at || "/"}`];
}

/** Returns the parts of a result that did not reach the model. */
export function resultLosses(result: CallResult, seen: readonly unknown[]): string[] {
  const texts = textsIn(seen);
  const has = (part: string) => part === "" || texts.some((text) => isIn(text, part));
  const { content, structuredContent } = result;
  const blocks = objectsOf(content);
  const lost: string[] = [];
  let kept = 0;
  const structured = structuredContent !== undefined && valuesIn(structuredContent).every(has);
  for (const block of blocks) {
    const loss = blockLoss(block, has, seen);
    if (loss !== undefined) lost.push(loss);
    if (loss === undefined || loss.startsWith("the end")) kept += 1;
  }
  if (structuredContent !== undefined && !structured) lost.push("structured content");
  else if (structured) kept += 1;
  const isEmpty = blocks.length === 0 && structuredContent === undefined;
  return kept === 0 && !isEmpty ? [NOTHING] : lost;
}

/** Clients quote texts, and show them inside of JSON. */
function isIn(text: string, part: string): boolean {
  if (text.includes(part)) return true;
  const quoted = JSON.stringify(part).slice(1, -1);
  return text.includes(quoted) || text.includes(JSON.stringify(quoted).slice(1, -1));
}

/** The texts of the values of structured content. */
function valuesIn(value: unknown): string[] {
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(valuesIn);
  return [String(value)];
}

const START = 100;

function blockLoss(
  { type, text, data, uri, resource }: { readonly [name: string]: unknown },
  has: (part: string) => boolean,
  seen: readonly unknown[],
): string | undefined {
  if (type === "text" && typeof text === "string") {
    if (has(text)) return undefined;
    return has(text.slice(0, START)) && text.length > START
      ? `the end of a text of ${text.length} characters`
      : "a text";
  }
  if (type === "image" || type === "audio") {
    // Clients scale images down.
    const isOther = type === "image" && /"(?:input_)?image(?:_url)?"|"inlineData"/.test(JSON.stringify(seen));
    return isOther || has(String(data).slice(0, START)) ? undefined : `an ${type}`;
  }
  if (type === "resource_link") return has(String(uri)) ? undefined : "a link";
  const [contents = {}] = objectsOf([resource]);
  return has(String(contents.text ?? contents.blob).slice(0, START)) ? undefined : `a block of type ${String(type)}`;
}
