import { RpcError } from "../protocol/errors.ts";
import { isObject } from "../protocol/messages.ts";
import type { CallResult, ContentBlock, PromptResult, ReadResult } from "../protocol/model.ts";
import { whenReady } from "../support/async.ts";
import { concat, toBase64 } from "../support/bytes.ts";
import { forClients, withoutSecrets } from "../support/log.ts";
import { defined } from "../support/objects.ts";
import {
  type Contents,
  embed,
  type Failure,
  kindOf,
  type Message,
  type Messages,
  type Result,
  text,
  toContents,
} from "./content.ts";

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
  if (structuredContent === undefined) return { content, isError: true };
  return { content, structuredContent: forClients(structuredContent), isError: true };
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

/** Whether a handler's return value must be awaited or read to its end before it can be converted. */
export function isDeferred(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (typeof (value as { then?: unknown }).then === "function" || value instanceof Blob || isStream(value)) return true;
  return kindOf(value) === "result" && isDeferred((value as Result).value);
}

/** Whether a value was created by one of the functions of content.ts. */
function isMarked(value: unknown): boolean {
  return kindOf(value) !== undefined;
}

/** Serializes a return value as JSON. A bigint is written as a number. */
function toJson(value: unknown, where: string): string {
  if (typeof value === "bigint") return String(value);
  let json: string | undefined;
  try {
    json = JSON.stringify(value);
  } catch (cause) {
    throw new RpcError("internal_error", `The return value of ${where} cannot be serialized as JSON.`, { cause });
  }
  if (json === undefined) throw unsupportedValue(where, value);
  return json;
}

/** Creates the error for an unsupported return value. Its cause, which describes the value, goes to the log only. */
function unsupportedValue(where: string, value: unknown, what = describeKind(value)): RpcError {
  return new RpcError("internal_error", `The ${where} returned an unsupported value.`, {
    cause: new TypeError(`${where} returned ${what}; see the return values in docs/results.md`),
  });
}

function describeKind(value: unknown): string {
  return `a ${kindOf(value) ?? typeof value}`;
}

/** The default limit for a stream that is collected into one result. */
export const MAX_STREAM_BYTES = 64 * 1024 * 1024;

type Stream = AsyncIterable<unknown>;

export function isStream(value: unknown): value is Stream {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

/** Reads a stream to its end: chunks of bytes become bytes, texts become one text, and anything else an array. */
export async function collect(stream: Stream, maxBytes: number): Promise<Uint8Array | string | unknown[]> {
  const items: unknown[] = [];
  let size = 0;
  for await (const item of stream) {
    if (item instanceof Uint8Array || typeof item === "string") size += item.length;
    if (size > maxBytes) throw new RpcError("internal_error", `The result is larger than ${maxBytes} bytes.`);
    items.push(item);
  }
  if (items.length > 0 && items.every((item) => typeof item === "string")) return items.join("");
  if (items.length > 0 && items.every((item) => item instanceof Uint8Array)) return concat(items);
  return items;
}

/** The properties of a resource that its contents take over. */
interface ReadShape {
  readonly uri: string;
  readonly mimeType?: string | undefined;
}

/** Converts the return value of a resource to the result of a read. */
export function toReadResult(
  value: unknown,
  shape: ReadShape,
  streamBytes = MAX_STREAM_BYTES,
): ReadResult | Promise<ReadResult> {
  const { uri } = shape;
  if (typeof value === "string" || value === undefined) {
    return { contents: [{ uri, mimeType: shape.mimeType ?? "text/plain", text: value ?? "" }] };
  }
  if (kindOf(value) === "contents") return contentsResult(value as Contents, shape);
  if (kindOf(value) !== undefined) throw unsupportedValue(`resource ${uri}`, value);
  if (Array.isArray(value) && value.some(isMarked)) {
    throw unsupportedValue(`resource ${uri}`, value, `an array that includes ${describeKind(value.find(isMarked))}`);
  }
  if (value instanceof Uint8Array) {
    const mimeType = shape.mimeType ?? "application/octet-stream";
    return { contents: [toContents({ uri, mimeType, blob: value })] };
  }
  if (value instanceof Blob) {
    const mimeType = shape.mimeType ?? (value.type || "application/octet-stream");
    return value.arrayBuffer().then((buffer) => toReadResult(new Uint8Array(buffer), { uri, mimeType }));
  }
  if (isStream(value)) return collect(value, streamBytes).then((whole) => toReadResult(whole, shape));
  const mimeType = shape.mimeType ?? "application/json";
  return { contents: [{ uri, mimeType, text: toJson(value, `resource ${uri}`) }] };
}

/** Converts `contents()`. An item without its own URI or type takes that of the resource. */
function contentsResult(value: Contents, { uri, mimeType }: ReadShape): ReadResult {
  const { list, _meta } = value;
  if (list.length === 0)
    throw unsupportedValue(`resource ${uri}`, value, "an empty list of contents; throw NotFound instead");
  const contents = list.map((item) => {
    if (item.text === undefined && item.blob === undefined) {
      throw unsupportedValue(`resource ${uri}`, value, "contents with neither text nor blob");
    }
    return toContents({ uri, ...(mimeType === undefined ? {} : { mimeType }), ...item });
  });
  return _meta === undefined ? { contents } : { contents, _meta };
}

/** Converts the return value of a prompt to messages. */
export function toPromptResult(value: unknown, name: string): PromptResult {
  if (typeof value === "string") return { messages: [{ role: "user", content: text(value) }] };
  switch (kindOf(value)) {
    case "block":
      return { messages: [{ role: "user", content: value as ContentBlock }] };
    case "message":
      return { messages: [value as Message] };
    case "messages": {
      const { list, description, _meta } = value as Messages;
      return defined({ description, messages: list, _meta });
    }
  }
  if (Array.isArray(value) && value.length > 0) {
    if (value.every((item) => kindOf(item) === "message")) return { messages: value };
    if (value.every((item) => kindOf(item) === "block"))
      return { messages: value.map((content) => ({ role: "user", content })) };
  }
  throw unsupportedValue(`prompt "${name}"`, value);
}
