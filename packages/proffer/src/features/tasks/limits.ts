import type { ServerLimits, TaskLimits } from "../../server/limits.ts";

const DEFAULTS: Required<TaskLimits> = {
  tasks: 1000,
  taskConcurrency: 100,
  taskJournal: 1_048_576,
  taskEntries: 10_000,
  taskResult: 4_194_304,
  taskQuestions: 64,
  taskRuns: 10,
};

/** Fills in the defaults. */
export function toTaskLimits(limits: ServerLimits): Required<TaskLimits> {
  return { ...DEFAULTS, ...limits };
}
