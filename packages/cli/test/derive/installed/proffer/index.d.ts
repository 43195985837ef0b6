// The types of the run-time that matter for derivation.
export interface Context {
  readonly signal: AbortSignal;
  progress(done: number, total?: number): void;
  ask<Schema extends { readonly type: "object" }>(message: string, schema: Schema): Promise<Answer<unknown>>;
  ask<Content extends object>(message: string, schema?: undefined, options?: AskOptions): Promise<Answer<Content>>;
}

export interface AskOptions {
  readonly key?: string;
}

export type Answer<Content> = { action: "accept"; content: Content } | { action: "decline" } | { action: "cancel" };

/** A whole number. */
export type Integer = number & { readonly __integer?: never };

declare const KIND: unique symbol;
type Marked<Kind extends string> = { readonly [KIND]: Kind };

export type Content = { readonly type: string; readonly text?: string; readonly data?: string } & Marked<"block">;
export type Message = { readonly role: string; readonly content: unknown } & Marked<"message">;
export interface Failure extends Marked<"failure"> {
  readonly message: string;
}
export interface Result<Value = unknown> extends Marked<"result"> {
  readonly value: Value;
}
export interface Contents extends Marked<"contents"> {
  readonly list: readonly unknown[];
}
export interface Messages extends Marked<"messages"> {
  readonly list: readonly Message[];
}

export function text(value: string): Content;
export function image(data: Uint8Array, mimeType: string): Content;
export function fail(message: string): Failure;
export function result<Value>(value: Value, options?: object): Result<Value>;
export function contents(list: readonly unknown[]): Contents;
export function user(content: string): Message;
export function assistant(content: string): Message;
export function messages(list: readonly Message[]): Messages;

export class RpcError extends Error {
  readonly kind: string;
}
export class NotFound extends RpcError {}
export class ToolError extends Error {
  override readonly name: "ToolError";
}

export interface Server {
  readonly name: string;
  close(): Promise<void>;
}
export function defineServer(options: { name: string; version: string; errors?: string }): Server;

export interface CompanionOptions {
  readonly complete?: { readonly [name: string]: readonly string[] | ((value: string) => readonly string[]) };
  readonly list?: () => readonly { uri: string }[];
  readonly exists?: (...values: never[]) => boolean;
  readonly watch?: () => () => void;
}
export function companion(target: (...values: never[]) => unknown, options: CompanionOptions): void;

export interface CodecOptions<Value, Json> {
  readonly schema?: { readonly [keyword: string]: unknown };
  readonly decode: (json: Json) => Value;
  readonly encode: (value: Value) => Json;
  readonly is?: (value: unknown) => boolean;
}
declare const CODEC: unique symbol;
export interface CustomCodec<Value, Json> {
  readonly [CODEC]: CodecOptions<Value, Json>;
}
export function defineCodec<Value, Json>(options: CodecOptions<Value, Json>): CustomCodec<Value, Json>;
