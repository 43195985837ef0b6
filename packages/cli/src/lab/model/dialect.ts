import { isObject, type Members } from "../../terminal/json.ts";

/** A tool as it reached the model. */
export interface ShownTool {
  readonly name: string;
  /** Codex groups the tools of a server. */
  readonly namespace?: string;
  readonly description?: string;
  readonly schema?: unknown;
}

/** A part of a conversation: a turn of the model, or what the client has added. */
export interface Entry {
  readonly from: "model" | "client";
  /** Of a result: the id of its call. */
  readonly callId?: string;
  /** As it reached the model. */
  readonly content: unknown;
}

/** A request for the next turn. */
export interface ModelRequest {
  readonly tools: readonly ShownTool[];
  readonly entries: readonly Entry[];
}

export interface ModelCall {
  readonly id: string;
  readonly name: string;
  readonly namespace?: string;
  readonly arguments: object;
}

/** The next turn of the model: a call, or the end. Clients merge messages that have the same id. */
export type Turn = { readonly id: string } & ({ readonly call: ModelCall } | { readonly text: string });

/** An event of a stream: its name, if the API has names, and its data. */
export type ModelEvent = readonly [name: string | undefined, data: object | string];

/** The API of a vendor of models. */
export interface Dialect {
  /** The path of a request for a turn. */
  readonly path: RegExp;
  read(body: Members): ModelRequest;
  /** The response in one piece. */
  whole(turn: Turn, model: unknown): object;
  /** The same as a stream. */
  events(turn: Turn, model: unknown): readonly ModelEvent[];
  /** Whether the client asks for a stream. */
  isStream(body: Members, path: string): boolean;
}

/** The objects of a list; none if it is no list. */
export function objectsOf(value: unknown): Members[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The parts of a content, which may also be one text. */
export function partsOf(content: unknown): unknown[] {
  return Array.isArray(content) ? content : content === undefined || content === null ? [] : [content];
}

export function toShownTool({ name, description }: Members, schema: unknown, namespace?: unknown): ShownTool {
  return {
    name: String(name),
    ...(typeof namespace === "string" && { namespace }),
    ...(typeof description === "string" && { description }),
    ...(schema !== undefined && { schema }),
  };
}

/** All texts in a value. */
export function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** They name parts of a conversation, and are no part of what is said. */
const NAMES = new Set(["type", "id", "call_id", "tool_use_id", "tool_call_id", "name", "role", "cache_control"]);

/** The texts in the entries of a conversation that a model reads as content. */
export function contentTexts(value: unknown): string[] {
  if (!isObject(value)) return Array.isArray(value) ? value.flatMap(contentTexts) : textsIn(value);
  return Object.entries(value).flatMap(([name, each]) => (NAMES.has(name) ? [] : contentTexts(each)));
}
