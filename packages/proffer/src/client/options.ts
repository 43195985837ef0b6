import type { DetailedTask } from "../features/tasks/protocol.ts";
import type { JsonObject } from "../protocol/messages.ts";
import type { CallResult, ClientCapabilities, Implementation, LogLevel } from "../protocol/model.ts";
import { REVISIONS as TABLE } from "../protocol/revisions/table.ts";
import type { Tool } from "../tools/define.ts";

/** The protocol revisions that the client speaks, newest first. */
export const REVISIONS: readonly string[] = TABLE.versions;

/** A notification of the server. */
export interface Notification {
  readonly method: string;
  readonly params: JsonObject;
}

/** A folder or a file that the user lets the server work with. */
export interface Root {
  /** A `file://` URI. */
  readonly uri: string;
  readonly name?: string;
}

/** Options of every client. */
export interface ClientOptions {
  /** The protocol revision to use. Default: the newest that the server supports. */
  readonly revision?: string;
  /** The answers to the server's questions. Without any, the server is told not to ask. */
  readonly answers?: ScriptedAnswers;
  /** The folders that the server may work with. Change them with `client.setRoots()`. */
  readonly roots?: readonly Root[];
  /** The capabilities that the client declares. Default: those that `answers` and `roots` can serve, and tasks. */
  readonly capabilities?: ClientCapabilities;
  /** The name and version that the client declares. Default: `proffer-client`. */
  readonly info?: Implementation;
  /** Receives each notification of the server when it arrives. */
  readonly onNotification?: (notification: Notification) => void;
  /** The lowest level of log messages to send. They arrive as `notifications/message`. */
  readonly logLevel?: LogLevel;
  /** Milliseconds for each response; 0 for no limit. Wanted progress and questions start it again. Default: five minutes. */
  readonly timeout?: number;
  /** False ignores the hints of the server about how long its lists and resources may be kept. Default: true. */
  readonly cache?: boolean;
}

/** Options for one request. */
export interface RequestOptions {
  /** Requests progress and receives it. */
  readonly onProgress?: (progress: JsonObject) => void;
  /** Cancels the request when it aborts. */
  readonly signal?: AbortSignal;
  /** Milliseconds for each response; 0 for no limit. Default: that of the client. */
  readonly timeout?: number;
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
        `The server asked ${JSON.stringify(asked)}, but the client has no answer for it. Add one to the answers option.`,
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
