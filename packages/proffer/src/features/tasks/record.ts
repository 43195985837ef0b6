import type { TransportName } from "../../calls/call.ts";
import { FieldSealer } from "../../nodes/field-sealer.ts";
import type { RecordFields, SharedStore } from "../../nodes/ports.ts";
import type { JsonObject } from "../../protocol/messages.ts";
import type { ClientCapabilities, Implementation } from "../../protocol/model.ts";
import { ReplayLog } from "../../questions/replay.ts";
import type { Outstanding } from "../../questions/rounds.ts";
import { sha256 } from "../../support/run-time.ts";

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

/** Milliseconds between the ends of two slots, for short and for long lives. */
const SHORT = 600_000;
const LONG = 14_400_000;
const DAY = 86_400_000;

/**
 * Counts the tasks of each caller by the time at which they would expire, so that tasks that were abandoned are not
 * counted forever. A task that changes late may outlive its slot: the count protects the store and need not be exact.
 */
export class Quota {
  readonly #store: SharedStore;
  readonly #max: number;

  constructor(store: SharedStore, max: number) {
    this.#store = store;
    this.#max = max;
  }

  /** The slot of a task that begins now. */
  slotOf(ttl: number): string {
    const interval = intervalOf(ttl);
    return String(Math.ceil((Date.now() + ttl) / interval) * interval);
  }

  /** Counts one more task of a slot; false if the caller has too many. */
  async take(owner: string | null, slot: string, ttl: number): Promise<boolean> {
    const now = Date.now();
    const key = await quotaKey(owner);
    const { fields } = await this.#store.change(key, {
      add: { [slot]: 1 },
      expire: Math.max(ttl + intervalOf(ttl), DAY),
    });
    const ended = Object.keys(fields).filter((end) => Number(end) <= now);
    if (ended.length > 0) await this.#store.change(key, { remove: ended, returning: [] });
    const live = Object.entries(fields).reduce((sum, [end, count]) => sum + (Number(end) > now ? Number(count) : 0), 0);
    if (live <= this.#max) return true;
    await this.release(owner, slot);
    return false;
  }

  /** A task of that slot has ended. */
  async release(owner: string | null, slot: string): Promise<void> {
    const key = await quotaKey(owner);
    // Not if the count has expired: it would begin below zero.
    const known = await this.#store.read(key, [slot]);
    if (known?.[slot] !== undefined) await this.#store.change(key, { add: { [slot]: -1 }, returning: [] });
  }
}

function intervalOf(ttl: number): number {
  return ttl > 24 * SHORT ? LONG : SHORT;
}

/** The store holds no principal's id in plain text. */
async function quotaKey(owner: string | null): Promise<string> {
  return owner === null ? "tasks" : `tasks ${await sha256(owner)}`;
}
