import type { RecordFields } from "../../nodes/ports.ts";
import type { ErrorObject } from "../../protocol/errors.ts";
import type { JsonObject } from "../../protocol/messages.ts";
import type { CreatedTask, DetailedTask, Task, TaskStatus } from "./protocol.ts";
import type { TaskQuestion } from "./record.ts";
import type { Vault } from "./vault.ts";

/** Milliseconds to which the interval of polls grows with the age of a task. */
const MAX_POLL = 15_000;
/** The interval doubles with each of these milliseconds. */
const POLL_GROWTH = 60_000;

export function createdTask(id: string, fields: RecordFields): CreatedTask {
  return { resultType: "task", ...toTask(id, fields) };
}

/** The task as `tasks/get` returns it; undefined if a field that it needs cannot be opened. */
export async function detailedTask(vault: Vault, id: string, fields: RecordFields): Promise<DetailedTask | undefined> {
  const statusMessage = await vault.open(id, "message", fields);
  const task = { ...toTask(id, fields), ...(statusMessage === undefined ? {} : { statusMessage }) };
  switch (task.status) {
    case "input_required": {
      const questions = await vault.openJson<TaskQuestion[]>(id, "questions", fields);
      if (questions === undefined) return undefined;
      const shown = questions.map(({ key, method, params }) => [key, { method, params }] as const);
      return { ...task, inputRequests: Object.fromEntries(shown) };
    }
    case "completed": {
      const result = await vault.openJson<JsonObject>(id, "result", fields);
      return result && { ...task, result };
    }
    case "failed": {
      const error = await vault.openJson<ErrorObject>(id, "error", fields);
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
