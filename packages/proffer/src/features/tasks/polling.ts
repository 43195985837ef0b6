import type { Call, Conversion } from "../../calls/call.ts";
import { missingCapabilities } from "../../calls/client.ts";
import type { ProfileId } from "../../calls/client-profile.ts";
import type { Entry } from "../../catalog/registry.ts";
import type { Context } from "../../questions/context.ts";
import type { AddedEntries } from "../../server/feature.ts";
import { defineTool, type Tool } from "../../tools/define.ts";
import type { TaskEngine } from "./engine.ts";
import { cancelPolled, follow } from "./polled-call.ts";
import { TASKS } from "./protocol.ts";

/** Seconds after which clients give up a call. The sources are in the table of clients of @proffer/cli. */
export const CALL_LIMITS: { readonly [Id in ProfileId]?: number } = {
  "claude-code": 120,
  claude: 60,
  codex: 300,
  "gemini-cli": 600,
  zed: 60,
  goose: 300,
};

/** Milliseconds in which a call may still answer plainly, and for which `task_status` waits, in a client without a known limit. */
const FIRST_WAIT = 20_000;
const LONGEST_WAIT = 45_000;
/** Milliseconds that are left of a client's limit: for the way, and for a slow store. */
const MARGIN = 10_000;

/** Whether calls of a tool are polled by the client of a call: one that does not support tasks. */
export function isPolled(call: Call, tool: Tool): boolean {
  const { polling, after } = tool.task ?? {};
  if (!polling || after === Number.POSITIVE_INFINITY || declaresTasks(call)) return false;
  return polling === "always" || call.origin.transport === "http" || limitOf(call) !== undefined;
}

/** Whether the request declares that its client supports tasks. An earlier declaration counts for nothing. */
export function declaresTasks(call: Call): boolean {
  return call.revision.extensions && missingCapabilities(TASKS, call.client.capabilities) === undefined;
}

/** Milliseconds for which a call waits before it answers with the id of its task: fewer if the author says so. */
export function firstWait(call: Call, { task }: Tool): number {
  return Math.min(task?.after || FIRST_WAIT, (limitOf(call) ?? Number.POSITIVE_INFINITY) / 2);
}

/** In milliseconds. */
function limitOf({ client }: Call): number | undefined {
  const seconds = client.profile && CALL_LIMITS[client.profile.id];
  return seconds === undefined ? undefined : seconds * 1000;
}

/** Lists the polled tools without their output schemas: the id of a running task would not match them. */
export function withoutOutputs(call: Call): Conversion | undefined {
  const { tools } = call.server;
  const polled = [...tools.entries()].filter(({ item }) => isPolled(call, item)).map(({ item }) => item.name);
  if (polled.length === 0) return undefined;
  const inner = call.conversion;
  return {
    key: `${inner?.key ?? ""} polled ${JSON.stringify(polled)}`,
    tool(description) {
      const { outputSchema: _, ...rest } = description;
      const listed = polled.includes(description.name) ? rest : description;
      return inner === undefined ? listed : inner.tool(listed);
    },
    result: (result) => inner?.result(result) ?? result,
  };
}

const ID = {
  type: "object",
  properties: { id: { type: "string", description: "The id of the task, from the answer of the call that began it." } },
  required: ["id"],
  additionalProperties: false,
} as const;

const unused = () => undefined;
const status = /* @__PURE__ */ defineTool({
  name: "task_status",
  title: "Wait for a task",
  description:
    "Waits for the result of a call that is still running, and returns it, or its progress. It starts nothing, and can be called again and again.",
  input: ID,
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  handle: unused,
});
const cancel = /* @__PURE__ */ defineTool({
  name: "task_cancel",
  title: "Cancel a task",
  description: "Ends a call that is still running. Steps that have ended stay as they are.",
  input: ID,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  handle: unused,
});
/** After all tools of the author and of other features. */
const LAST = Number.MAX_SAFE_INTEGER - 1;
const ENTRIES: readonly Entry<Tool>[] = [
  { item: status, position: LAST - 1 },
  { item: cancel, position: LAST },
];

/** The tools for a client that polls; none if no tool that it sees is polled. */
export function pollingTools(call: Call): AddedEntries {
  const { tools, access } = call.server;
  const isShown = [...tools.entries()].some(({ item }) => isPolled(call, item) && (access?.sees(call, item) ?? true));
  // A tool of the author keeps its name.
  return { key: `polling ${isShown}`, entries: isShown ? ENTRIES.filter(({ item }) => !tools.get(item.name)) : [] };
}

/** The tool that a client which polls calls under a name. */
export function findPollingTool(call: Call, name: string, engineOf: () => Promise<TaskEngine>): Tool | undefined {
  const tool = pollingTools(call).entries.find(({ item }) => item.name === name)?.item as Tool | undefined;
  if (tool === undefined) return undefined;
  const wait = Math.max(MARGIN, Math.min(LONGEST_WAIT, (limitOf(call) ?? Number.POSITIVE_INFINITY) - MARGIN));
  const handle = async (input: unknown, ctx: Context) => {
    const { id } = input as { readonly id: string };
    const engine = await engineOf();
    return tool === cancel ? cancelPolled(engine, call, id) : follow(engine, call, id, wait, ctx);
  };
  return { ...tool, handle };
}
