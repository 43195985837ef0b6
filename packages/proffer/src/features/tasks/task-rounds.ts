import type { Call } from "../../calls/call.ts";
import type { Later } from "../../nodes/ports.ts";
import { RpcError } from "../../protocol/errors.ts";
import type { Question, TaskOfRun } from "../../questions/question.ts";
import { Replay } from "../../questions/replay.ts";
import type { ReplayLog } from "../../questions/replay-log.ts";
import { UNSTABLE } from "../../questions/rounds.ts";

/** The record of a task, as its run writes it. */
export interface TaskJournal extends TaskOfRun {
  /** The number of runs before this one. */
  readonly round: number;
  record(operation: string, json: string): Later<string>;
  park(asked: ReadonlyMap<string, Question>): Promise<object>;
}

/** Questions in a task. The run ends with a question, and the answer starts another run, on any node. */
export class TaskRounds extends Replay {
  readonly task: TaskJournal;

  constructor(call: Call, log: ReplayLog, task: TaskJournal) {
    super(call, log);
    this.task = task;
  }

  get round(): number {
    return this.task.round;
  }

  /** Nothing that this run still does counts. */
  abandon(): void {
    this.over = true;
  }

  protected record(operation: string, json: string): Later<string> {
    return this.task.record(operation, json);
  }

  park(asked: ReadonlyMap<string, Question>): Promise<object> {
    return this.task.park(asked);
  }

  /** The client did nothing wrong: the code has changed between two runs, or is not stable. */
  protected mismatch(): Error {
    return new RpcError("internal_error", "The tool no longer asks a question that was already answered.", {
      cause: new Error(UNSTABLE),
    });
  }
}
