import type { Call, Method } from "../../calls/call.ts";
import { missingCapability } from "../../calls/client.ts";
import { questionsOf, type Rounds } from "../../questions/rounds.ts";
import type { Feature } from "../../server/feature.ts";
import type { ServerState } from "../../server/server.ts";
import { TaskEngine } from "./engine.ts";
import { callPolled } from "./polled-call.ts";
import { declaresTasks, findPollingTool, firstWait, isPolled, pollingTools, withoutOutputs } from "./polling.ts";
import { TASKS } from "./protocol.ts";
import { watchTasks } from "./requests.ts";

/** The engines by their servers, from their first use on: until then the environment may choose the ports that the nodes share. */
const engines = new WeakMap<ServerState, Promise<TaskEngine>>();

export function engineOf(server: ServerState): Promise<TaskEngine> {
  let engine = engines.get(server);
  if (engine === undefined) {
    engine = TaskEngine.create(server);
    engines.set(server, engine);
  }
  return engine;
}

/** Answers a request about a task. The capability comes first: an unknown id changes nothing. */
async function serveTask(call: Call): Promise<object> {
  requireTasks(call, call.method);
  return (await engineOf(call.server)).serve(call);
}

const METHOD: Method = { handle: serveTask, isIn: ({ extensions }) => extensions, mirrored: "taskId" };

/** The option `task` of tools: calls that outlive their requests. */
export const feature: Feature = {
  capabilities: (_server, { extensions }) => (extensions ? TASKS : undefined),
  methods: { "tasks/get": METHOD, "tasks/update": METHOD, "tasks/cancel": METHOD },

  /** A node works on the tasks of others as soon as it is served. */
  open(server) {
    if (server.cluster === undefined) return;
    engineOf(server).then(
      (engine) => engine.start(),
      (error) => server.log({ level: "error", message: "The tasks could not start", error }),
    );
  },

  async drain(server, milliseconds) {
    await (await engines.get(server))?.stop(milliseconds);
  },

  /** Before the arguments are looked at, so that they make no difference for clients that do not support tasks. */
  runTool(call, tool) {
    const { task, name } = tool;
    if (task === undefined) return undefined;
    if (isPolled(call, tool))
      return async () => callPolled(await engineOf(call.server), call, tool, firstWait(call, tool));
    if (!call.revision.extensions) return undefined;
    if (task.required) requireTasks(call, `Tool "${name}"`);
    if (task.after === Number.POSITIVE_INFINITY || !declaresTasks(call)) return undefined;
    // At a limit, a call that need not be a task is an ordinary one.
    return async () => (await engineOf(call.server)).create(call, tool);
  },

  list(call, list) {
    if (list !== "tools") return undefined;
    // Not for each call by the hook `before`: only lists have schemas.
    call.conversion = withoutOutputs(call) ?? call.conversion;
    return pollingTools(call);
  },
  findTool: (call, name) => findPollingTool(call, name, () => engineOf(call.server)),

  async background(call) {
    const { server, method, params } = call;
    const tool = method === "tools/call" ? server.tools.get(String(params.name)) : undefined;
    if (tool?.task === undefined) return false;
    const questions = questionsOf(call);
    if (questions.task !== undefined) await questions.task.promote();
    else if (declaresTasks(call))
      await (questions as Rounds).leave(async () => (await engineOf(server)).create(call, tool));
    return true;
  },

  /** Reports those of the tasks that the caller may read. */
  async listen(call, { taskIds }, notify) {
    if (taskIds === undefined) return undefined;
    requireTasks(call, call.method);
    const engine = await engineOf(call.server);
    return engine.inTime(() => watchTasks(engine, call, taskIds, (task) => notify("notifications/tasks", task)));
  },
};

/** @throws {RpcError} unless the request declares that its client supports tasks. */
function requireTasks(call: Call, subject: string): void {
  if (!declaresTasks(call)) throw missingCapability(call.revision, TASKS, subject);
}

/** Leaves all runs of a server behind, as if its process had died. For tests. */
export async function crashTasks(server: ServerState): Promise<void> {
  await (await engines.get(server))?.crash();
}
