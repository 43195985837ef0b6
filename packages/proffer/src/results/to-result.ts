import { RpcError } from "../protocol/errors.ts";
import type { CallResult, ContentBlock, PromptResult, ReadResult } from "../protocol/model.ts";
import { toBase64 } from "../support/bytes.ts";
import { whenReady } from "../support/when-ready.ts";
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
import { collect, isStream, MAX_STREAM_BYTES } from "./stream.ts";

/** Whether a value must be waited for or read to its end before it can be answered with. */
export function isDeferred(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (typeof (value as { then?: unknown }).then === "function" || value instanceof Blob || isStream(value)) return true;
  return kindOf(value) === "result" && isDeferred((value as Result).value);
}

/** What turning a tool's value into a result needs to know about the tool. */
export interface CallShape {
  readonly name: string;
  /** The tool declared what it returns, so that values of any type are structured content. */
  readonly structured: boolean;
}

/** A tool's return value as the result of the call. */
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
      return failureResult((value as Failure).message);
    case "result":
      return fromResult(value as Result, shape, streamBytes);
    case undefined:
      break;
    default:
      throw unusable(`tool "${shape.name}"`, value);
  }
  if (Array.isArray(value) && value.some(isMarked)) return { content: value.map((item) => toBlock(item, shape)) };
  if (value instanceof Uint8Array) return { content: [bytesBlock(value, "", shape)] };
  if (value instanceof Blob) return blobResult(value, shape);
  if (isStream(value)) return collect(value, streamBytes).then((whole) => toCallResult(whole, shape));
  const json = toJson(value, `tool "${shape.name}"`);
  const content: ContentBlock[] = [{ type: "text", text: json }];
  return Array.isArray(value) && !shape.structured ? { content } : { content, structuredContent: value };
}

/** The result that tells the model of a failure. */
export function failureResult(message: string): CallResult {
  return { content: [{ type: "text", text: message }], isError: true };
}

function scalarResult(value: unknown, shape: CallShape): CallResult {
  if (value === undefined) return { content: [] };
  const structured = shape.structured ? { structuredContent: typeof value === "bigint" ? String(value) : value } : {};
  const written = typeof value === "string" ? value : toJson(value, `tool "${shape.name}"`);
  return { content: [{ type: "text", text: written }], ...structured };
}

function isMarked(value: unknown): boolean {
  return kindOf(value) !== undefined;
}

function toBlock(value: unknown, shape: CallShape): ContentBlock {
  switch (kindOf(value)) {
    case "block":
      return value as ContentBlock;
    case "failure":
      return text((value as Failure).message);
    default:
      throw unusable(`tool "${shape.name}"`, value, `a list with ${describe(value)} among contents`);
  }
}

function fromResult(
  { value, content, _meta }: Result,
  shape: CallShape,
  streamBytes: number,
): CallResult | Promise<CallResult> {
  const made = whenReady(value, (own) => toCallResult(own, shape, streamBytes));
  const whole = content === undefined ? made : whenReady(made, (own) => worded(own, content, shape));
  return _meta === undefined ? whole : whenReady(whole, (own) => ({ ...own, _meta }));
}

/** Marks a result whose contents are the author's and not the JSON of its value. A symbol is never sent. */
const WORDED = Symbol("worded");

function worded(whole: CallResult, content: unknown, shape: CallShape): CallResult | Promise<CallResult> {
  if (whole.isError) return whole;
  if (!("structuredContent" in whole)) {
    throw unusable(`tool "${shape.name}"`, content, "content beside a value that is not structured; see output");
  }
  const read = toCallResult(content, { name: shape.name, structured: false });
  return whenReady(read, (own) => ({ ...whole, content: own.content, [WORDED]: true }));
}

/** A result with what a schema has made of its value. */
export function withParsedValue(
  result: CallResult,
  value: unknown,
  shape: CallShape,
): CallResult | Promise<CallResult> {
  if (value === result.structuredContent) return result;
  if (WORDED in result) return { ...result, structuredContent: value };
  return whenReady(toCallResult(value, shape), (again) => ({ ...result, ...again }));
}

async function blobResult(blob: Blob, shape: CallShape): Promise<CallResult> {
  return { content: [bytesBlock(new Uint8Array(await blob.arrayBuffer()), blob.type, shape)] };
}

function bytesBlock(bytes: Uint8Array, mimeType: string, shape: CallShape): ContentBlock {
  const family = mimeType.slice(0, mimeType.indexOf("/"));
  if (family === "image" || family === "audio") return { type: family, data: toBase64(bytes), mimeType };
  // An embedded resource must have a URI; this one names where the bytes came from.
  return embed({ uri: `tool:${shape.name}`, mimeType: mimeType || "application/octet-stream", blob: bytes });
}

/** What turning a resource's value into contents needs to know. */
export interface ReadShape {
  readonly uri: string;
  readonly mimeType?: string | undefined;
}

/** A resource's return value as the result of a read. */
export function toReadResult(
  value: unknown,
  shape: ReadShape,
  streamBytes = MAX_STREAM_BYTES,
): ReadResult | Promise<ReadResult> {
  const { uri } = shape;
  if (typeof value === "string" || value === undefined) {
    return { contents: [{ uri, mimeType: shape.mimeType ?? "text/plain", text: value ?? "" }] };
  }
  if (kindOf(value) === "contents") return severalContents(value as Contents, shape);
  if (kindOf(value) !== undefined) throw unusable(`resource ${uri}`, value);
  if (Array.isArray(value) && value.some(isMarked)) {
    throw unusable(`resource ${uri}`, value, `a list with ${describe(value.find(isMarked))} in it`);
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

/** Contents as the author lists them; what they leave out is that of the resource. */
function severalContents(value: Contents, { uri, mimeType }: ReadShape): ReadResult {
  const { list, _meta } = value;
  if (list.length === 0) throw unusable(`resource ${uri}`, value, "an empty list of contents; throw NotFound instead");
  const contents = list.map((item) => {
    if (item.text === undefined && item.blob === undefined) {
      throw unusable(`resource ${uri}`, value, "contents with neither text nor blob");
    }
    return toContents({ uri, ...(mimeType === undefined ? {} : { mimeType }), ...item });
  });
  return _meta === undefined ? { contents } : { contents, _meta };
}

/** A prompt's return value as messages. */
export function toPromptResult(value: unknown, name: string): PromptResult {
  const where = `prompt "${name}"`;
  if (typeof value === "string") return { messages: [{ role: "user", content: text(value) }] };
  switch (kindOf(value)) {
    case "block":
      return { messages: [{ role: "user", content: value as ContentBlock }] };
    case "message":
      return { messages: [value as Message] };
    case "messages": {
      const { list, description, _meta } = value as Messages;
      return {
        ...(description === undefined ? {} : { description }),
        messages: list,
        ...(_meta === undefined ? {} : { _meta }),
      };
    }
  }
  if (Array.isArray(value) && value.length > 0) {
    if (value.every((item) => kindOf(item) === "message")) return { messages: value };
    if (value.every((item) => kindOf(item) === "block"))
      return { messages: value.map((content) => ({ role: "user", content })) };
  }
  throw unusable(where, value);
}

/** JSON text of a value; a bigint alone is written bare. */
function toJson(value: unknown, where: string): string {
  if (typeof value === "bigint") return String(value);
  let json: string | undefined;
  try {
    json = JSON.stringify(value);
  } catch (cause) {
    throw new RpcError("internal_error", `The answer of ${where} cannot be written as JSON.`, { cause });
  }
  if (json === undefined) throw unusable(where, value);
  return json;
}

function unusable(where: string, value: unknown, what = describe(value)): RpcError {
  return new RpcError("internal_error", `The ${where} gave an answer that it cannot give.`, {
    cause: new TypeError(`${where} returned ${what}; docs/tools.md lists what each handler may return`),
  });
}

function describe(value: unknown): string {
  return `a ${kindOf(value) ?? typeof value}`;
}
