import type { TransportName } from "../../calls/call.ts";
import { FieldSealer } from "../../nodes/field-sealer.ts";
import type { RecordFields } from "../../nodes/ports.ts";
import type { JsonObject } from "../../protocol/messages.ts";
import type { ClientCapabilities, Implementation } from "../../protocol/model.ts";
import { ReplayLog } from "../../questions/replay.ts";
import type { Outstanding } from "../../questions/rounds.ts";
import type { TaskLimits } from "../../server/limits.ts";

/**
 * The record of a task. Fields that conditions compare and that decide its life are plain: `status`, `epoch` (moved by
 * each delivery and by a cancellation, so that writes of an older run are refused), `lease` (the name of the run, with its
 * node), `wakeup` (the number of its wake-up), `idle` (deliveries without a new entry), `last` (the name of the last step),
 * `late` (the epoch in which an older run recorded a step), `heartbeat`, `created`, `updated`, `ttl`, `poll`, `slot`, `asked`
 * (the number of its last question). The others are sealed: `head`, `call`, `message`, `questions`, `result`, `error`, and
 * the journal, a field for each answer and step.
 */
export const JOURNAL = "j:";

/** The `wakeup` of a run that began before its task: no queue knows it. */
export const UNQUEUED = "0";

/** The fields that a poll reads: neither the arguments nor the journal. */
export const SHOWN: readonly string[] = [
  ...["status", "epoch", "wakeup", "lease", "heartbeat", "created", "updated", "ttl", "poll", "slot"],
  ...["head", "message", "questions", "result", "error"],
];

/** Whom a task belongs to. */
export interface TaskHead {
  /** The principal's id; null for anonymous callers. */
  readonly owner: string | null;
  /** By whom the task and its runs are counted (`callerOf`); null if nothing is known. */
  readonly caller: string | null;
  readonly tool: string;
  /** The names of the arguments, some of which may need scopes. */
  readonly given: readonly string[];
}

/** The call that became the task. Neither its headers nor the caller's token are stored. */
export interface TaskCall {
  readonly arguments: JsonObject;
  readonly chain: string;
  readonly revision: string;
  readonly transport: TransportName;
  readonly client: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  readonly scopes: readonly string[] | undefined;
}

/** A question of a task without an answer. */
export interface TaskQuestion extends Outstanding {
  readonly params: JsonObject;
}

/** The defaults of `TaskLimits`. */
export const TASK_LIMITS: Required<TaskLimits> = {
  tasks: 1000,
  taskConcurrency: 100,
  taskJournal: 1_048_576,
  taskEntries: 10_000,
  taskResult: 4_194_304,
  taskRuns: 10,
};

export function keyOf(id: string): string {
  return `task ${id}`;
}

/** Seals the fields of tasks, and their journals. */
export class TaskSealer extends FieldSealer {
  /** The answers and steps of a task; undefined if one of them cannot be opened. */
  async openJournal(id: string, fields: RecordFields): Promise<ReplayLog | undefined> {
    const log = new ReplayLog();
    for (const field of Object.keys(fields)) {
      if (!field.startsWith(JOURNAL)) continue;
      const json = await this.open(id, field, fields);
      if (json === undefined) return undefined;
      log.add(field.slice(JOURNAL.length), json);
    }
    return log;
  }

  /** The entries of a log as fields. */
  async sealJournal(id: string, log: ReplayLog): Promise<Record<string, string>> {
    const fields: Record<string, string> = {};
    for (const line of log.text.split("\n").slice(1)) {
      const end = line.indexOf("\t");
      const field = JOURNAL + line.slice(0, end);
      fields[field] = await this.seal(id, field, line.slice(end + 1));
    }
    return fields;
  }
}
