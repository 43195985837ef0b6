import { isObject } from "../protocol/messages.ts";
import { UsageError } from "../support/usage-error.ts";

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
  if (!isObject(given)) {
    throw bad(`${where}: task must be true, "required" or options such as { ttl: 1000 }, not ${JSON.stringify(task)}.`);
  }
  const settings: Record<string, unknown> = { ...DEFAULTS };
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(DEFAULTS, name)) throw bad(`${where}: task has no option ${JSON.stringify(name)}.`);
    const problem = problemOf(name, value);
    if (problem) throw bad(`${where}: task.${name} must be ${problem}, not ${String(value)}.`);
    settings[name] = value;
  }
  return settings as unknown as TaskSettings;
}

/** Completes the sentence "must be"; undefined for a valid value. */
function problemOf(name: string, value: unknown): string | undefined {
  if (name === "required") return typeof value === "boolean" ? undefined : "true or false";
  if (name === "after")
    return (value as number) >= 0 && typeof value === "number" ? undefined : "milliseconds or Infinity";
  return Number.isSafeInteger(value) && (value as number) > 0 ? undefined : "a positive whole number of milliseconds";
}

function bad(message: string): UsageError {
  return new UsageError("bad_option", message);
}
