import type { DetailedTask } from "../features/tasks/protocol.ts";
import type { JsonObject } from "../protocol/messages.ts";
import type { CallResult, ClientCapabilities, Implementation, LogLevel } from "../protocol/model.ts";
import type { Tool } from "../tools/define.ts";
import type { ScriptedAnswers } from "./answers.ts";
import type { Notification } from "./messages.ts";

/**
 * Connects a client to a server. It receives a callback for messages from the server and returns functions that send a
 * message and close the connection. `crash` is for `client.crash()`: it ends the process of the server without a warning,
 * and resolves when `send` reaches another one.
 */
export type Link = (receive: (text: string) => void) => {
  send(text: string): void;
  close(): void | Promise<void>;
  crash?(): void | Promise<void>;
};

/** Options for `connectOver`. */
export interface ClientOptions {
  /** The protocol revision to use. Default: the newest. */
  readonly revision?: string;
  /** The answers to the server's questions. */
  readonly answers?: ScriptedAnswers;
  /** The capabilities that the client declares. Default: all that `answers` can serve, and tasks. */
  readonly capabilities?: ClientCapabilities;
  /** The name and version that the client declares. Default: `proffer-testing`. */
  readonly info?: Implementation;
  /** Receives each notification of the server when it arrives. */
  readonly onNotification?: (notification: Notification) => void;
  /** False keeps neither the transcript nor the notifications, for a connection that stays open for long. Default: true. */
  readonly keepsMessages?: boolean;
}

/** The description of a client whose options have none. */
export const DEFAULTS = {
  info: { name: "proffer-testing", version: "1" },
  capabilities: { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} },
};

/** Options for one request. */
export interface RequestOptions {
  /** Requests progress and receives it. */
  readonly onProgress?: (progress: JsonObject) => void;
  /** Cancels the request when it aborts. */
  readonly signal?: AbortSignal;
  /** The lowest level of log messages to send during this request, in revisions that set it per request. */
  readonly logLevel?: LogLevel;
  /** Receives each response: questions on the way, and finally the result. */
  readonly onRound?: (result: JsonObject) => void;
  /** Receives each state of the task that a call became. */
  readonly onTask?: (task: DetailedTask) => void;
  readonly _meta?: JsonObject;
}

/** The arguments of `call` after the tool: the input is optional for a name and for a tool without required input. */
export type CallArguments<Called> =
  Called extends Tool<infer Input>
    ? undefined extends Input
      ? [input?: Input, options?: RequestOptions]
      : [input: Input, options?: RequestOptions]
    : [input?: object, options?: RequestOptions];

/** The result of `call`: the structured content has the type of the tool's output. */
export type ToolCallResult<Called> =
  Called extends Tool<unknown, infer Output> ? CallResult & { readonly structuredContent?: Output } : CallResult;

/** The parameters of `tools/call`. */
export function callParams(tool: string | Tool, values: unknown): { readonly name: string } {
  const name = typeof tool === "string" ? tool : tool.name;
  return { name, ...(values === undefined ? {} : { arguments: values }) };
}
