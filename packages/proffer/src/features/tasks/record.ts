import type { TransportName } from "../../calls/call.ts";
import type { JsonObject } from "../../protocol/messages.ts";
import type { ClientCapabilities, Implementation } from "../../protocol/model.ts";
import type { Outstanding } from "../../questions/state.ts";

/**
 * The record of a task. Fields that conditions compare and that decide its life are plain: `status`, `epoch` (moved by
 * each delivery and by a cancellation, so that writes of an older run are refused), `lease` (the name of the run, with its
 * node), `leg` (the number of its wake-up), `idle` (deliveries without a new entry), `last` (the name of the last step),
 * `late` (the epoch in which an older run recorded a step), `beat`, `created`, `updated`, `ttl`, `poll`, `slot`, `asked`
 * (the number of its last question). The others are sealed: `head`, `call`, `message`, `questions`, `result`, `error`, and
 * the journal, a field for each answer and step.
 */
export const JOURNAL = "j:";

/** The leg of a run that began before its task. */
export const UNQUEUED = "0";

/** The fields that a poll reads: neither the arguments nor the journal. */
export const SHOWN: readonly string[] = [
  ...["status", "epoch", "leg", "lease", "beat", "created", "updated", "ttl", "poll", "slot"],
  ...["head", "message", "questions", "result", "error"],
];

/** Whom a task belongs to. */
export interface TaskHead {
  /** The principal's id; null for anonymous callers. */
  readonly owner: string | null;
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

export function keyOf(id: string): string {
  return `task ${id}`;
}
