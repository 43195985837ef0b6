import { isObject } from "../protocol/messages.ts";
import type { CallResult, ContentBlock } from "../protocol/model.ts";
import { whenReady } from "../support/async.ts";
import { toBase64 } from "../support/bytes.ts";
import { withoutSecrets } from "../support/log.ts";
import { embed, type Failure, kindOf, type Result, text } from "./content.ts";
import {
  collect,
  describeKind,
  isMarked,
  isStream,
  MAX_STREAM_BYTES,
  toJson,
  unsupportedValue,
} from "./return-value.ts";

/** The properties of a tool that decide how its return value is converted. */
interface CallShape {
  readonly name: string;
  /** The tool has an output schema, so a value of any type becomes structured content. */
  readonly structured: boolean;
}

/** Converts the return value of a tool to the result of the call. */
export function toCallResult(
  value: unknown,
  shape: CallShape,
  streamBytes = MAX_STREAM_BYTES,
): CallResult | Promise<CallResult> {
  if (typeof value === "string" && !shape.structured) return { content: [{ type: "text", text: value }] };
  if (typeof value !== "object" || value === null) return scalarResult(value, shape);
  switch (kindOf(value)) {
    case "block":
      return { content: [value as ContentBlock] };
    case "failure":
      return failureResult((value as Failure).message, (value as Failure).structured);
    case "result":
      return fromResult(value as Result, shape, streamBytes);
    case undefined:
      break;
    default:
      throw unsupportedValue(`tool "${shape.name}"`, value);
  }
  if (Array.isArray(value) && value.some(isMarked)) return { content: value.map((item) => toBlock(item, shape)) };
  if (value instanceof Uint8Array) return { content: [bytesBlock(value, "", shape)] };
  if (value instanceof Blob) return blobResult(value, shape);
  if (isStream(value)) return collect(value, streamBytes).then((whole) => toCallResult(whole, shape));
  // One property read for all other objects.
  if (!shape.structured && "content" in value && isWholeResult(value)) return { ...value };
  const json = toJson(value, `tool "${shape.name}"`);
  const content: ContentBlock[] = [{ type: "text", text: json }];
  return Array.isArray(value) && !shape.structured ? { content } : { content, structuredContent: value };
}

/** Returns the result that reports a failure to the model. */
export function failureResult(message: string, structuredContent?: object): CallResult {
  const content: ContentBlock[] = [{ type: "text", text: withoutSecrets(message) }];
  return structuredContent === undefined ? { content, isError: true } : { content, structuredContent, isError: true };
}

/** Replaces the structured content of a result with the value that the output schema parsed from it. */
export function withParsedValue(
  result: CallResult,
  value: unknown,
  shape: CallShape,
): CallResult | Promise<CallResult> {
  if (value === result.structuredContent) return result;
  if (OWN_CONTENT in result) return { ...result, structuredContent: value };
  return whenReady(toCallResult(value, shape), (again) => ({ ...result, ...again }));
}

function scalarResult(value: unknown, shape: CallShape): CallResult {
  if (value === undefined) return { content: [] };
  const structured = shape.structured ? { structuredContent: typeof value === "bigint" ? String(value) : value } : {};
  const written = typeof value === "string" ? value : toJson(value, `tool "${shape.name}"`);
  return { content: [{ type: "text", text: written }], ...structured };
}

function toBlock(value: unknown, shape: CallShape): ContentBlock {
  switch (kindOf(value)) {
    case "block":
      return value as ContentBlock;
    case "failure":
      return text((value as Failure).message);
    default:
      throw unsupportedValue(`tool "${shape.name}"`, value, `a list of contents that includes ${describeKind(value)}`);
  }
}

function fromResult(
  { value, content, _meta }: Result,
  shape: CallShape,
  streamBytes: number,
): CallResult | Promise<CallResult> {
  const converted = whenReady(value, (own) => toCallResult(own, shape, streamBytes));
  const whole = content === undefined ? converted : whenReady(converted, (own) => withContent(own, content, shape));
  return _meta === undefined ? whole : whenReady(whole, (own) => ({ ...own, _meta }));
}

/** Marks a result whose content the author wrote, as opposed to the JSON of its value. A symbol is never serialized. */
const OWN_CONTENT = Symbol("proffer.own-content");

function withContent(whole: CallResult, content: unknown, shape: CallShape): CallResult | Promise<CallResult> {
  if (whole.isError) return whole;
  if (!("structuredContent" in whole)) {
    throw unsupportedValue(
      `tool "${shape.name}"`,
      content,
      "a result() with content whose value is not structured; return an object or declare an output schema",
    );
  }
  const converted = toCallResult(content, { name: shape.name, structured: false });
  return whenReady(converted, (own) => ({ ...whole, content: own.content, [OWN_CONTENT]: true }));
}

async function blobResult(blob: Blob, shape: CallShape): Promise<CallResult> {
  return { content: [bytesBlock(new Uint8Array(await blob.arrayBuffer()), blob.type, shape)] };
}

function bytesBlock(bytes: Uint8Array, mimeType: string, shape: CallShape): ContentBlock {
  const family = mimeType.slice(0, mimeType.indexOf("/"));
  if (family === "image" || family === "audio") return { type: family, data: toBase64(bytes), mimeType };
  // An embedded resource must have a URI; this one names the tool that returned the bytes.
  return embed({ uri: `tool:${shape.name}`, mimeType: mimeType || "application/octet-stream", blob: bytes });
}

/** The properties of a result. An object with any other property is data. */
const RESULT_PROPERTIES = new Set(["content", "structuredContent", "isError", "_meta"]);

/**
 * Whether a value that a tool returned is the result of the call itself, as handlers of other frameworks return it.
 * Anything else is data: an object with more properties, or with a block that no client could show.
 */
export function isWholeResult(value: object): value is CallResult {
  const { content, isError, _meta } = value as Partial<Record<keyof CallResult, unknown>>;
  if (!Array.isArray(content) || !Object.keys(value).every((key) => RESULT_PROPERTIES.has(key))) return false;
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
