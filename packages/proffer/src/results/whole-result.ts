import { isObject } from "../protocol/messages.ts";
import type { CallResult } from "../protocol/model.ts";

/** The properties of a result. An object with any other property is data. */
const PROPERTIES = new Set(["content", "structuredContent", "isError", "_meta"]);

/**
 * Whether a value that a tool returned is the result of the call itself, as handlers of other frameworks return it.
 * Anything else is data: an object with more properties, or with a block that no client could show.
 */
export function isWholeResult(value: object): value is CallResult {
  const { content, isError, _meta } = value as Partial<Record<keyof CallResult, unknown>>;
  if (!Array.isArray(content) || !Object.keys(value).every((key) => PROPERTIES.has(key))) return false;
  const isComplete = isOptional(isError, typeof isError === "boolean") && isOptional(_meta, isObject(_meta));
  return isComplete && content.every(isBlock);
}

function isBlock(block: unknown): boolean {
  if (!isObject(block) || !isOptional(block._meta, isObject(block._meta))) return false;
  const { type, resource } = block;
  if (!isOptional(block.annotations, isObject(block.annotations))) return false;
  if (type === "text") return hasTexts(block, "text");
  if (type === "image" || type === "audio") return hasTexts(block, "data", "mimeType");
  if (type === "resource_link") return hasTexts(block, "uri", "name");
  if (type !== "resource" || !isObject(resource) || !hasTexts(resource, "uri")) return false;
  return hasTexts(resource, "text") || hasTexts(resource, "blob");
}

function hasTexts(value: { readonly [name: string]: unknown }, ...names: string[]): boolean {
  return names.every((name) => typeof value[name] === "string");
}

function isOptional(value: unknown, isValid: boolean): boolean {
  return value === undefined || isValid;
}
