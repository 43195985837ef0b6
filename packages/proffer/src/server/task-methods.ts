import type { Call } from "../calls/call.ts";
import { requireTasks } from "../calls/capabilities.ts";
import type { Tasks } from "./tasks.ts";

/** Answers `tasks/get`, `tasks/update` and `tasks/cancel`. The capability comes first: an unknown id changes nothing. */
export async function serveTask(call: Call): Promise<object> {
  requireTasks(call, call.method);
  return (await (call.server.tasks as Tasks).engine).serve(call);
}
