import type { RecordFields } from "../../nodes/ports.ts";
import type { ErrorObject } from "../../protocol/errors.ts";
import type { TaskEngine } from "./engine.ts";
import { keyOf, type TaskCall, type TaskHead } from "./record.ts";
import { TaskRun } from "./run.ts";

const UNREADABLE = "The record of the task cannot be read: its key was removed, or it was changed.";

/** Creates the run of a task, or ends the task if it cannot run. */
export async function prepareRun(engine: TaskEngine, id: string, fields: RecordFields): Promise<TaskRun | undefined> {
  const { server } = engine;
  const head = await engine.vault.openJson<TaskHead>(id, "head", fields);
  const source = await engine.vault.openJson<TaskCall>(id, "call", fields);
  const log = await engine.vault.openJournal(id, fields);
  const tool = head && server.tools.get(head.tool);
  const { taskRuns } = engine.limits;
  let problem: string | undefined;
  if (head === undefined || source === undefined || log === undefined) problem = UNREADABLE;
  else if (tool === undefined) problem = "The tool of the task no longer exists.";
  else if (server.revisions.get(source.revision) === undefined) problem = UNREADABLE;
  else if (Number(fields.idle) > taskRuns) {
    problem = `The task ended after ${taskRuns} runs without a new answer or step (limits.taskRuns).`;
  } else return new TaskRun(engine, { id, fields, head, source, log, tool });
  const error: ErrorObject = { code: -32603, message: problem };
  server.log({ level: "error", message: problem, ...(head && { name: head.tool }) });
  const change = await engine.ending(id, "failed", "error", JSON.stringify(error), problem);
  const { made } = await engine.store.change(keyOf(id), {
    ...change,
    if: { epoch: fields.epoch, lease: fields.lease },
    expire: Number(fields.ttl),
    returning: [],
  });
  if (made) engine.ended(id, head ?? { owner: null, tool: "", given: [] }, head ? fields : {}, "failed");
  return undefined;
}
