/**
 * The wire format of the extension `io.modelcontextprotocol/tasks`, which changes independently of the revisions: a call
 * that outlives its request. Only `tools/call` may become a task.
 */

import type { RecordFields } from "../../nodes/ports.ts";
import type { ErrorObject } from "../../protocol/errors.ts";
import type { JsonObject } from "../../protocol/messages.ts";
import type { ClientCapabilities } from "../../protocol/model.ts";
import type { TaskQuestion, TaskSealer } from "./record.ts";

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

/** Milliseconds to which the interval of polls grows with the age of a task. */
const MAX_POLL = 15_000;
/** The interval doubles with each of these milliseconds. */
const POLL_GROWTH = 60_000;

export function createdTask(id: string, fields: RecordFields): CreatedTask {
  return { resultType: "task", ...toTask(id, fields) };
}

/** The task as `tasks/get` returns it; undefined if a field that it needs cannot be opened. */
export async function detailedTask(
  sealer: TaskSealer,
  id: string,
  fields: RecordFields,
): Promise<DetailedTask | undefined> {
  const statusMessage = await sealer.open(id, "message", fields);
  const task = { ...toTask(id, fields), ...(statusMessage === undefined ? {} : { statusMessage }) };
  switch (task.status) {
    case "input_required": {
      const questions = await sealer.openJson<TaskQuestion[]>(id, "questions", fields);
      if (questions === undefined) return undefined;
      const shown = questions.map(({ key, method, params }) => [key, { method, params }] as const);
      return { ...task, inputRequests: Object.fromEntries(shown) };
    }
    case "completed": {
      const result = await sealer.openJson<JsonObject>(id, "result", fields);
      return result && { ...task, result };
    }
    case "failed": {
      const error = await sealer.openJson<ErrorObject>(id, "error", fields);
      return error && { ...task, error };
    }
    default:
      return task;
  }
}

function toTask(id: string, { status, created, updated, ttl, poll }: RecordFields): Task {
  const [from, to] = [Number(created), Number(updated)];
  const age = Math.max(0, Date.now() - from);
  const interval = Number(poll) * 2 ** Math.floor(age / POLL_GROWTH);
  const isOver = isTerminal(status);
  return {
    taskId: id,
    status: status as TaskStatus,
    createdAt: new Date(from).toISOString(),
    lastUpdatedAt: new Date(to).toISOString(),
    // It stays for `ttl` after its last change, and the wire counts from its creation.
    ttlMs: to - from + Number(ttl),
    ...(isOver ? {} : { pollIntervalMs: Math.min(interval, Math.max(MAX_POLL, Number(poll))) }),
  };
}

export function isTerminal(status: string | undefined): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}
