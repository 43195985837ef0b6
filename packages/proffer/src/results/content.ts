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

/** Marks the values that these functions create, so that a plain object of the same shape stays a plain object. */
const KIND: unique symbol = Symbol.for("proffer.kind");

/** A value that one of these functions created. */
export type Marked<Kind extends string> = { readonly [KIND]: Kind };

/** Options for a block of content. */
export interface BlockOptions {
  readonly annotations?: Annotations;
  readonly _meta?: Meta;
}

/** One block of content for a tool's result or a prompt's message. */
export type Content = ContentBlock & Marked<"block">;

/**
 * Creates a block of text.
 *
 * @example
 * handle: () => [text("The chart:"), image(png, "image/png")]
 */
export function text(value: string, options: BlockOptions = {}): TextBlock & Marked<"block"> {
  return { type: "text", text: value, ...options, [KIND]: "block" };
}

/**
 * Creates an image from bytes or from a base64 string.
 *
 * @example
 * handle: async () => image(await readFile("chart.png"), "image/png")
 */
export function image(
  data: Uint8Array | string,
  mimeType: string,
  options: BlockOptions = {},
): MediaBlock & Marked<"block"> {
  return { type: "image", data: encoded(data), mimeType, ...options, [KIND]: "block" };
}

/** Creates an audio clip from bytes or from a base64 string. */
export function audio(
  data: Uint8Array | string,
  mimeType: string,
  options: BlockOptions = {},
): MediaBlock & Marked<"block"> {
  return { type: "audio", data: encoded(data), mimeType, ...options, [KIND]: "block" };
}

/**
 * Creates a reference to a resource that the client can read.
 *
 * @example
 * handle: () => [text("Saved."), link({ uri: "notes://42", name: "note 42" })]
 */
export function link(resource: ResourceDescription): LinkBlock & Marked<"block"> {
  return { type: "resource_link", ...resource, [KIND]: "block" };
}

/** The content of a resource, as text or as bytes. */
export interface ResourceContent {
  /** Default: the URI of the request. */
  readonly uri?: string;
  readonly mimeType?: string;
  readonly text?: string;
  /** Bytes or a base64 string. */
  readonly blob?: Uint8Array | string;
  readonly _meta?: Meta;
}

/**
 * Embeds the contents of a resource in a result or a message.
 *
 * @example
 * handle: () => embed({ uri: "notes://42", mimeType: "text/markdown", text: "# Note 42" })
 */
export function embed(
  resource: ResourceContent & { readonly uri: string },
  options: BlockOptions = {},
): EmbedBlock & Marked<"block"> {
  return { type: "resource", resource: toContents(resource), ...options, [KIND]: "block" };
}

/** Holds the base64 that was encoded here. While the blob is the same string, it needs no escaping. */
const ENCODED: unique symbol = Symbol("proffer.encoded");

/** Contents whose blob was encoded here. */
type EncodedBlob = EmbedBlock["resource"] & { readonly blob: string; readonly [ENCODED]: string };

/** Converts contents to their form on the wire. */
export function toContents(content: ResourceContent & { readonly uri: string }): EmbedBlock["resource"] {
  const { blob, ...rest } = content;
  if (blob === undefined) return rest;
  if (typeof blob === "string") return { ...rest, blob };
  const base64 = toBase64(blob);
  return { ...rest, blob: base64, [ENCODED]: base64 } as EncodedBlob;
}

/** Whether the blob of these contents was encoded here, and no middleware has replaced it since. */
export function isEncoded(content: object): boolean {
  const { blob, [ENCODED]: base64 } = content as Partial<EncodedBlob>;
  return blob !== undefined && blob === base64;
}

/** Options for `fail`. */
export interface FailOptions {
  /**
   * Data for the client beside the text. If the tool has an output schema, clients of revisions before 2026-07-28 get it
   * only if it matches that schema.
   */
  readonly structured?: object;
}

/** A failure of a tool that the model sees: a result with `isError` and this text. */
export interface Failure extends Marked<"failure">, FailOptions {
  readonly message: string;
}

/**
 * Creates a failure that the model sees. Return it from a tool, or throw a `ToolError`.
 *
 * @example
 * handle: ({ id }) => orders.get(id) ?? fail(`There is no order ${id}.`, { structured: { code: "no_order", id } })
 */
export function fail(message: string, options: FailOptions = {}): Failure {
  return { message, ...options, [KIND]: "failure" };
}

/**
 * An error whose message the model sees. The details of any other error go to the log only.
 *
 * @example
 * throw new ToolError("The card was declined.");
 */
export class ToolError extends Error {
  override readonly name = "ToolError";
}

/** A message of a prompt. */
export type Message = PromptMessage & Marked<"message">;

/**
 * Creates a message of the user.
 *
 * @example
 * get: ({ topic }) => [user(`Explain ${topic}.`), assistant("Gladly. How much do you know already?")]
 */
export function user(content: string | Content): Message {
  return { role: "user", content: typeof content === "string" ? text(content) : content, [KIND]: "message" };
}

/** Creates a message of the assistant. */
export function assistant(content: string | Content): Message {
  return { role: "assistant", content: typeof content === "string" ? text(content) : content, [KIND]: "message" };
}

/** Several contents of one resource, each with its own URI and MIME type. */
export interface Contents extends Marked<"contents"> {
  readonly list: readonly ResourceContent[];
  readonly _meta?: Meta;
}

/**
 * Returns several contents from a resource, or adds metadata.
 *
 * @example
 * read: () => contents([
 *   { uri: "report://1", mimeType: "text/markdown", text: "# Report" },
 *   { uri: "report://1/chart", mimeType: "image/png", blob: png },
 * ])
 */
export function contents(list: readonly ResourceContent[], options: { readonly _meta?: Meta } = {}): Contents {
  return { list, ...options, [KIND]: "contents" };
}

/** Options for `result`. */
export interface ResultOptions {
  /**
   * The content that the model reads instead of the value's JSON. The value is sent as structured content beside it, so
   * it must be an object, or the tool must have an output schema.
   */
  readonly content?: string | Content | readonly Content[];
  readonly _meta?: Meta;
}

/** The value of a tool together with content or metadata. */
export interface Result<Value = unknown> extends Marked<"result">, ResultOptions {
  readonly value: Value;
}

/**
 * Returns a value from a tool together with content for the model or metadata.
 *
 * @example
 * handle: () => result({ celsius: 21 }, { content: "It is mild." })
 */
export function result<Value>(value: Value, options: ResultOptions = {}): Result<Value> {
  return { value, ...options, [KIND]: "result" };
}

/** The messages of a prompt with a description or metadata. */
export interface Messages extends Marked<"messages"> {
  readonly list: readonly Message[];
  readonly description?: string;
  readonly _meta?: Meta;
}

/**
 * Returns messages from a prompt together with a description or metadata.
 *
 * @example
 * get: () => messages([user("Plan my week.")], { description: "Plans a week" })
 */
export function messages(
  list: readonly Message[],
  options: { readonly description?: string; readonly _meta?: Meta } = {},
): Messages {
  return { list, ...options, [KIND]: "messages" };
}

/** Returns the mark of a value that one of these functions created; undefined for any other value. */
export function kindOf(value: unknown): string | undefined {
  return typeof value === "object" && value !== null ? (value as Partial<Marked<string>>)[KIND] : undefined;
}

function encoded(data: Uint8Array | string): string {
  return typeof data === "string" ? data : toBase64(data);
}
