import type {
  Annotations,
  ContentBlock,
  EmbedBlock,
  LinkBlock,
  MediaBlock,
  Meta,
  PromptMessage,
  ResourceDescription,
  TextBlock,
} from "../protocol/model.ts";
import { toBase64 } from "../support/bytes.ts";

/** Marks what these functions make, so that a plain object that looks alike is still a plain object. */
const KIND: unique symbol = Symbol.for("proffer.kind");

type Marked<Kind extends string> = { readonly [KIND]: Kind };

interface BlockOptions {
  readonly annotations?: Annotations;
  readonly _meta?: Meta;
}

/** One block of content for a tool's result or a prompt's message. */
export type Content = ContentBlock & Marked<"block">;

/** A block of text. */
export function text(value: string, options: BlockOptions = {}): TextBlock & Marked<"block"> {
  return { type: "text", text: value, ...options, [KIND]: "block" };
}

/** A picture: bytes, or a string that is base64 already. */
export function image(
  data: Uint8Array | string,
  mimeType: string,
  options: BlockOptions = {},
): MediaBlock & Marked<"block"> {
  return { type: "image", data: encoded(data), mimeType, ...options, [KIND]: "block" };
}

/** A sound: bytes, or a string that is base64 already. */
export function audio(
  data: Uint8Array | string,
  mimeType: string,
  options: BlockOptions = {},
): MediaBlock & Marked<"block"> {
  return { type: "audio", data: encoded(data), mimeType, ...options, [KIND]: "block" };
}

/** A reference to a resource that the client may read. */
export function link(resource: ResourceDescription): LinkBlock & Marked<"block"> {
  return { type: "resource_link", ...resource, [KIND]: "block" };
}

/** The content of a resource, as text or as bytes. */
export interface ResourceContent {
  /** Default: the URI that is read. */
  readonly uri?: string;
  readonly mimeType?: string;
  readonly text?: string;
  /** Bytes, or a string that is base64 already. */
  readonly blob?: Uint8Array | string;
  readonly _meta?: Meta;
}

/** A resource's contents inside a result or a message. */
export function embed(
  resource: ResourceContent & { readonly uri: string },
  options: BlockOptions = {},
): EmbedBlock & Marked<"block"> {
  return { type: "resource", resource: toContents(resource), ...options, [KIND]: "block" };
}

/** Keeps the base64 that was made of bytes here: as long as the blob is that very text, it needs no escaping. */
const ENCODED: unique symbol = Symbol("proffer.encoded");

/** Contents whose blob was encoded here. */
type EncodedBlob = EmbedBlock["resource"] & { readonly blob: string; readonly [ENCODED]: string };

/** A resource's contents as they travel. */
export function toContents(content: ResourceContent & { readonly uri: string }): EmbedBlock["resource"] {
  const { blob, ...rest } = content;
  if (blob === undefined) return rest;
  if (typeof blob === "string") return { ...rest, blob };
  const base64 = toBase64(blob);
  return { ...rest, blob: base64, [ENCODED]: base64 } as EncodedBlob;
}

/** Whether the blob of these contents is what was made of bytes here, and not what somebody has put in its place. */
export function isEncoded(content: object): boolean {
  const { blob, [ENCODED]: base64 } = content as Partial<EncodedBlob>;
  return blob !== undefined && blob === base64;
}

/** A tool's failure that the model should see: `isError` with this text. */
export interface Failure extends Marked<"failure"> {
  readonly message: string;
}

/** Says that the tool failed, and why; return it, or throw a `ToolError`. */
export function fail(message: string): Failure {
  return { message, [KIND]: "failure" };
}

/** Throw it in a tool to tell the model what went wrong. Any other throw is told to nobody but the log. */
export class ToolError extends Error {
  override readonly name = "ToolError";
}

/** A message of a prompt. */
export type Message = PromptMessage & Marked<"message">;

/** A message in the user's voice. */
export function user(content: string | Content): Message {
  return { role: "user", content: typeof content === "string" ? text(content) : content, [KIND]: "message" };
}

/** A message in the assistant's voice. */
export function assistant(content: string | Content): Message {
  return { role: "assistant", content: typeof content === "string" ? text(content) : content, [KIND]: "message" };
}

/** Several contents of one resource, each with its own uri and type. */
export interface Contents extends Marked<"contents"> {
  readonly list: readonly ResourceContent[];
  readonly _meta?: Meta;
}

/** Answers a read with several contents, or with metadata. */
export function contents(list: readonly ResourceContent[], options: { readonly _meta?: Meta } = {}): Contents {
  return { list, ...options, [KIND]: "contents" };
}

interface ResultOptions {
  /**
   * What the model reads in place of the value's JSON. The value goes as structured content beside it: it must be an
   * object, or the tool must have an output schema.
   */
  readonly content?: string | Content | readonly Content[];
  readonly _meta?: Meta;
}

/** A tool's value with contents or metadata of its own. */
export interface Result<Value = unknown> extends Marked<"result">, ResultOptions {
  readonly value: Value;
}

/** Answers a call with a value, and with contents for the model or metadata. */
export function result<Value>(value: Value, options: ResultOptions = {}): Result<Value> {
  return { value, ...options, [KIND]: "result" };
}

/** A prompt's messages with a description or metadata. */
export interface Messages extends Marked<"messages"> {
  readonly list: readonly Message[];
  readonly description?: string;
  readonly _meta?: Meta;
}

/** Answers a prompt with messages and a description of what they are for. */
export function messages(
  list: readonly Message[],
  options: { readonly description?: string; readonly _meta?: Meta } = {},
): Messages {
  return { list, ...options, [KIND]: "messages" };
}

/** What a value was marked as by one of the functions above, if it was. */
export function kindOf(value: unknown): string | undefined {
  return typeof value === "object" && value !== null ? (value as Partial<Marked<string>>)[KIND] : undefined;
}

function encoded(data: Uint8Array | string): string {
  return typeof data === "string" ? data : toBase64(data);
}
