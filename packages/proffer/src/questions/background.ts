import type { Call } from "../calls/call.ts";
import { declaresTasks } from "../calls/capabilities.ts";
import { UsageError } from "../support/usage-error.ts";
import { questionsOf } from "./questions-of.ts";
import type { Rounds } from "./rounds.ts";

/** Continues a call as a task, if it is not one and can become one. @throws {UsageError} without the option `task`. */
export async function background(call: Call): Promise<void> {
  const { server, revision } = call;
  const tool = call.method === "tools/call" ? server.tools.get(String(call.params.name)) : undefined;
  if (tool?.task === undefined) {
    throw new UsageError("wrong_use", "ctx.background() works only in a tool with the option task.");
  }
  const questions = questionsOf(call);
  if (questions.task !== undefined) return questions.task.promote();
  if (!revision.tasks || !declaresTasks(call)) return;
  await (questions as Rounds).leave(async () => (await server.tasks?.engine)?.create(call, tool));
}
