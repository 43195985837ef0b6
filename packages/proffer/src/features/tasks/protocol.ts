/**
 * The wire format of the extension `io.modelcontextprotocol/tasks`, which changes independently of the revisions: a call
 * that outlives its request. Only `tools/call` may become a task.
 */
import type { ErrorObject } from "../../protocol/errors.ts";
import type { JsonObject } from "../../protocol/messages.ts";
import type { ClientCapabilities } from "../../protocol/model.ts";

/**
 * The extension in the capabilities of a server, and of a request whose client supports tasks. It has no settings: the
 * official client ignores a server with any.
 */
export const TASKS: Required<Pick<ClientCapabilities, "extensions">> = {
  extensions: { "io.modelcontextprotocol/tasks": {} },
};

export type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";

/** The members that a task has in every message. */
export interface Task {
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly statusMessage?: string;
  /** ISO 8601, as is `lastUpdatedAt`. */
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  /** Milliseconds from its creation for which the task exists at least. */
  readonly ttlMs: number;
  /** Milliseconds to wait between two `tasks/get`. */
  readonly pollIntervalMs?: number;
}

/** The result of a `tools/call` that became a task. */
export interface CreatedTask extends Task {
  readonly resultType: "task";
}

/** The result of `tasks/get`, and the parameters of `notifications/tasks`: only the member of its status exists. */
export interface DetailedTask extends Task {
  /** All questions without an answer, by key; for `input_required`. */
  readonly inputRequests?: { readonly [key: string]: { readonly method: string; readonly params: JsonObject } };
  /** The result of the call; for `completed`. */
  readonly result?: JsonObject;
  /** The error of the call; for `failed`. */
  readonly error?: ErrorObject;
}
