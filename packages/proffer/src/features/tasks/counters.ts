import type { MetricValues } from "../../server/metrics.ts";

/** Numbers about the tasks of one node, since its start. */
export class TaskCounters {
  created = 0;
  completed = 0;
  failed = 0;
  cancelled = 0;
  runs = 0;
  /** Runs that continued one which had not ended: its node died, stopped, or lost its lock. */
  restarted = 0;
  /** Writes of a run that were refused, because another run had written something, or the task was cancelled. */
  refused = 0;
  /** Steps that were recorded. */
  steps = 0;
}

/** The numbers of the tasks in `server.metrics()`. */
export interface TaskMetrics extends MetricValues {
  readonly created: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly runs: number;
  readonly restarted: number;
  readonly refused: number;
  readonly steps: number;
  /** The runs on this node now. */
  readonly running: number;
}
