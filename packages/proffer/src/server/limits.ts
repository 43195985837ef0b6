import { MAX_ITEMS } from "../protocol/parse.ts";
import { MAX_STREAM_BYTES } from "../results/return-value.ts";
import { badOption } from "../support/usage-error.ts";

/** Limits for one client and one result. */
export interface ServerLimits extends TaskLimits {
  /** Resources that a client may subscribe to. Default: 10,000. */
  readonly subscriptions?: number;
  /** Entries of a list that are scanned to complete a variable. Default: 10,000. */
  readonly completionScan?: number;
  /** Keys and elements in a message, all its objects and arrays together. Default: 250,000. */
  readonly messageItems?: number;
  /** Milliseconds that a question may wait for its answer, on revisions that keep the request open. Default: 10 minutes. */
  readonly questionTimeout?: number;
  /** Bytes, or characters, of a stream that are collected for one result. Default: 64 MiB. */
  readonly streamBytes?: number;
  /**
   * Milliseconds for `list`, `complete`, `exists`, `authenticate`, and the schemas of a resource's parameters; then the
   * request fails. Default: 30,000.
   */
  readonly hookTimeout?: number;
  /** Milliseconds for `onStart`; then the start has failed. Default: 60,000. */
  readonly startTimeout?: number;
}

/** Limits for tasks; `tasks/record.ts` has their defaults, which a server without tasks does not load. */
export interface TaskLimits {
  /** Tasks of one caller that have not ended: of a principal, or of an address without one. Default: 1,000. */
  readonly tasks?: number;
  /** Tasks that one node works on at once; one caller leaves a tenth of them to others. Default: 100. */
  readonly taskConcurrency?: number;
  /** Characters of all answers and step results of a task. Default: 1,048,576. */
  readonly taskJournal?: number;
  /** Answers and steps of a task. Default: 10,000. */
  readonly taskEntries?: number;
  /** Characters of the result of a task. Default: 4,194,304. */
  readonly taskResult?: number;
  /** Runs of a task in a row without a new answer or step; then it has failed. Default: 10. */
  readonly taskRuns?: number;
}

/** The limits of a server; those of tasks as far as they were given. */
export type SetLimits = Required<Omit<ServerLimits, keyof TaskLimits>> & TaskLimits;

const DEFAULTS: SetLimits = {
  subscriptions: 10_000,
  completionScan: 10_000,
  messageItems: MAX_ITEMS,
  questionTimeout: 10 * 60 * 1000,
  streamBytes: MAX_STREAM_BYTES,
  hookTimeout: 30_000,
  startTimeout: 60_000,
};

/** Fills in the defaults. @throws {UsageError} for a limit that is not a positive number. */
export function toServerLimits(given: ServerLimits | undefined, where: string): SetLimits {
  const limits = { ...DEFAULTS, ...given };
  for (const [name, value] of Object.entries(limits)) {
    if (typeof value === "number" && value > 0) continue;
    throw badOption(where, `limits.${name}`, "a positive number", value);
  }
  return limits;
}
