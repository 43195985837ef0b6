import type { Call } from "../calls/call.ts";
import { declaresTasks, requireTasks } from "../calls/capabilities.ts";
import { isObject } from "../protocol/messages.ts";
import { UsageError } from "../support/usage-error.ts";
import type { Tool } from "./define.ts";

/** How calls of a tool become tasks. */
export interface TaskOption {
  /**
   * Milliseconds in which the handler may still answer plainly; then, or with its first question, the call becomes a
   * task. `Infinity`: only at `ctx.background()`. Default: 0, a task from the start.
   */
  readonly after?: number;
  /** Milliseconds for which a task exists after its last change. Default: an hour. */
  readonly ttl?: number;
  /** Milliseconds that clients should wait between two polls of a young task. Default: 1,000. */
  readonly pollInterval?: number;
  /** Refuses clients that do not support tasks, on revisions that have them. Default: false. */
  readonly required?: boolean;
}

/** The option with its defaults. */
export type TaskSettings = Required<TaskOption>;

const DEFAULTS: TaskSettings = { after: 0, ttl: 3_600_000, pollInterval: 1000, required: false };

/** Fills in the defaults; undefined without the option. @throws {UsageError} for invalid values. */
export function toTaskSettings(task: unknown, where: string): TaskSettings | undefined {
  if (task === undefined || task === false) return undefined;
  const given = task === true ? {} : task === "required" ? { required: true } : task;
  const settings = { ...DEFAULTS, ...(given as TaskOption) };
  const numbers = [settings.after, settings.ttl, settings.pollInterval];
  const isValid = numbers.every((number, index) => number >= 0 && (index === 0 || Number.isInteger(number)));
  if (isObject(given) && isValid && typeof settings.required === "boolean") return settings;
  throw new UsageError(
    "bad_option",
    `${where}: task must be true, "required" or options such as { ttl: 1000 }, not ${JSON.stringify(task)}.`,
  );
}

/**
 * Whether a call of the tool starts as a task. @throws {RpcError} if it must be one, but its client does not support
 * tasks: before the arguments are looked at, so that they make no difference.
 */
export function startsAsTask(call: Call, { name, task }: Tool): boolean {
  if (task === undefined || !call.revision.tasks) return false;
  if (task.required) requireTasks(call, `Tool "${name}"`);
  return task.after !== Number.POSITIVE_INFINITY && declaresTasks(call);
}
