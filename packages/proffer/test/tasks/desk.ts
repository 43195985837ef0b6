import type { ClientCapabilities, Server } from "proffer";
import { type ConnectOptions, connect, type TestClient } from "proffer/testing";
import { expect } from "vitest";

export const TASKS = "io.modelcontextprotocol/tasks";

/** The declaration of a client that supports tasks and forms. */
export const DECLARED: ClientCapabilities = { elicitation: { form: {} }, extensions: { [TASKS]: {} } };

/** The task as a client sees it. */
export interface SeenTask {
  readonly taskId: string;
  readonly status: string;
  readonly statusMessage?: string;
  readonly lastUpdatedAt: string;
  readonly ttlMs: number;
  readonly pollIntervalMs?: number;
  readonly inputRequests?: Record<string, { readonly method: string; readonly params: Record<string, unknown> }>;
  readonly result?: Record<string, unknown> & { readonly content: readonly { readonly text: string }[] };
  readonly error?: { readonly code: number; readonly message: string };
}

export function connectWithTasks(server: Server, options: ConnectOptions = {}): Promise<TestClient> {
  return connect(server, { capabilities: DECLARED, ...options });
}

/** Calls a tool that becomes a task, and returns its id. */
export async function begin(client: TestClient, name: string, input: object = {}): Promise<string> {
  const created = await client.requestOnce("tools/call", { name, arguments: input });
  expect(created).toMatchObject({ resultType: "task", status: "working" });
  return created.taskId as string;
}

export async function get(client: TestClient, taskId: string): Promise<SeenTask> {
  return (await client.requestOnce("tasks/get", { taskId })) as never;
}

const ENDED = ["completed", "failed", "cancelled"];

/** Polls until the task has this state, or has ended. */
export async function reach(client: TestClient, taskId: string, status: string): Promise<SeenTask> {
  let task = await get(client, taskId);
  const poll = async () => {
    task = await get(client, taskId);
    return task.status;
  };
  await expect.poll(poll, { interval: 5 }).toBeOneOf([status, ...ENDED]);
  expect(ENDED.includes(status) ? status : task.status).toBe(status);
  return task;
}

/** The end of a task. */
export function end(client: TestClient, taskId: string): Promise<SeenTask> {
  return reach(client, taskId, "completed");
}

/** Answers every question of a task in the same way. */
export async function reply(client: TestClient, taskId: string, content: object): Promise<void> {
  const { inputRequests = {} } = await reach(client, taskId, "input_required");
  const answers = Object.keys(inputRequests).map((key) => [key, { action: "accept", content }]);
  await client.requestOnce("tasks/update", { taskId, inputResponses: Object.fromEntries(answers) });
}

/** The error of a request. */
export async function refused(request: Promise<unknown>): Promise<{ code: number; message: string; data?: unknown }> {
  return request.then(
    () => expect.unreachable("the request succeeded"),
    (error) => error,
  );
}
