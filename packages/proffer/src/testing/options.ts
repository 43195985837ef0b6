import type { DetailedTask } from "../features/tasks/protocol.ts";
import type { JsonObject } from "../protocol/messages.ts";
import type { CallResult, ClientCapabilities, Implementation, LogLevel } from "../protocol/model.ts";
import type { Tool } from "../tools/define.ts";
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

/** A question that the server sent to the client. */
export interface Asked {
  readonly method: "elicitation/create" | "sampling/createMessage" | "roots/list";
  readonly params: { readonly [key: string]: unknown };
}

/**
 * The answer to one question: "decline", "cancel", or an object. For a form, the object is its content, unless it has
 * an `action`; for sampling and roots, it is the whole response.
 */
export type ScriptedAnswer = "decline" | "cancel" | { readonly [key: string]: unknown };

/** The answers in the order of the questions, or a function that answers each question. */
export type ScriptedAnswers = readonly ScriptedAnswer[] | ((asked: Asked) => ScriptedAnswer | Promise<ScriptedAnswer>);

/** Creates a function that answers questions with the responses of the protocol. */
export function createAnswerer(answers: ScriptedAnswers | undefined): (asked: Asked) => Promise<object> {
  let next = 0;
  return async (asked) => {
    const answer = typeof answers === "function" ? await answers(asked) : answers?.[next++];
    if (answer === undefined) {
      throw new Error(
        `The server asked ${JSON.stringify(asked)}, but the test has no answer for it. Add one to the answers option.`,
      );
    }
    if (answer === "decline" || answer === "cancel") return { action: answer };
    if (asked.method !== "elicitation/create" || "action" in answer) return answer;
    return { action: "accept", content: answer };
  };
}

/** The questions of a response, by key. */
export type Questions = { readonly [key: string]: Asked };

/** Answers the questions in their order. */
export async function answerAll(
  questions: Questions = {},
  answer: (asked: Asked) => Promise<object>,
): Promise<{ readonly [key: string]: object }> {
  const responses: Record<string, object> = {};
  for (const [key, asked] of Object.entries(questions)) responses[key] = await answer(asked);
  return responses;
}
