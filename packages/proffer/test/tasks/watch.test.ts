import { type Context, defineServer, defineTool, field, type Server } from "proffer";
import { connect, memoryCluster, type TestClient } from "proffer/testing";
import { afterEach, describe, expect, it } from "vitest";
import { openGate } from "../gate.ts";
import { begin, connectWithTasks, end, reach, refused, reply } from "./desk.ts";

const GO = { on: field.boolean() };
const clients: TestClient[] = [];
const cluster = memoryCluster();

function serve(handle: (ctx: Context) => unknown, shared = false): Server {
  const tools = [defineTool({ name: "run", task: true, handle: (_, ctx) => handle(ctx) })];
  const keys = [new Uint8Array(32).fill(7)];
  return defineServer({ name: "watch", version: "1", tools, log: () => {}, ...(shared ? { cluster, keys } : {}) });
}

async function open(server: Server, options = {}): Promise<TestClient> {
  const client = await connectWithTasks(server, options);
  clients.push(client);
  return client;
}

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

/** Subscribes to tasks; returns the acknowledged ids. */
async function listen(client: TestClient, taskIds: readonly string[]): Promise<unknown> {
  void client.requestOnce("subscriptions/listen", { notifications: { taskIds } }).catch(() => {});
  const { params } = await client.waitFor("notifications/subscriptions/acknowledged");
  return (params.notifications as { taskIds?: unknown }).taskIds;
}

const statuses = (client: TestClient) =>
  client.notifications.filter(({ method }) => method === "notifications/tasks").map(({ params }) => params.status);

describe("notifications of tasks", () => {
  it("need the declaration of the request", async () => {
    const client = await connect(
      serve(() => "done"),
      { capabilities: {} },
    );
    const listening = client.requestOnce("subscriptions/listen", { notifications: { taskIds: [] } });
    expect(await refused(listening)).toMatchObject({ code: -32021 });
  });

  it("are left out by a server without tasks", async () => {
    const client = await open(defineServer({ name: "none", version: "1", tools: [] }));
    expect(await listen(client, ["x"])).toBeUndefined();
  });

  it("tell the present state after the acknowledgement, then each change with all details", async () => {
    const gate = openGate();
    const client = await open(
      serve(async (ctx) => {
        await gate.opened;
        await ctx.ask("Go?", GO);
        return "done";
      }),
    );
    const id = await begin(client, "run");
    expect(await listen(client, [id, "unknown", "x".repeat(24), id])).toEqual([id]);
    await client.waitFor("notifications/tasks", ({ params }) => params.status === "working");
    gate.open();
    const asked = await client.waitFor("notifications/tasks", ({ params }) => params.status === "input_required");
    expect(asked.params.inputRequests).toMatchObject({ q1: { params: { message: "Go?" } } });
    await reply(client, id, { on: true });
    const done = await client.waitFor("notifications/tasks", ({ params }) => params.status === "completed");
    const { _meta, resultType: _, ...task } = (await end(client, id)) as never as Record<string, unknown>;
    expect(done.params).toEqual({ ...task, _meta: expect.anything() });
    expect(done.params._meta).toEqual({ "io.modelcontextprotocol/subscriptionId": expect.any(Number) });
    expect(statuses(client)).toEqual(["working", "input_required", "working", "completed"]);
  });

  it("tell the end of a task that ended before the subscription, once", async () => {
    const client = await open(serve(() => "done"));
    const id = await begin(client, "run");
    await end(client, id);
    expect(await listen(client, [id])).toEqual([id]);
    await client.waitFor("notifications/tasks", ({ params }) => params.status === "completed");
    expect(statuses(client)).toEqual(["completed"]);
  });

  it("carry neither progress nor log messages", async () => {
    const gate = openGate();
    const client = await open(
      serve(async (ctx) => {
        ctx.progress(1, 2, "half");
        ctx.log("error", "loud");
        await gate.opened;
        return "done";
      }),
    );
    const { taskId } = await client.requestOnce("tools/call", { name: "run" }, { onProgress() {}, logLevel: "debug" });
    await listen(client, [taskId as string]);
    await client.waitFor("notifications/tasks", ({ params }) => params.statusMessage === "half");
    gate.open();
    await client.waitFor("notifications/tasks", ({ params }) => params.status === "completed");
    expect(new Set(client.notifications.map(({ method }) => method))).toEqual(
      new Set(["notifications/subscriptions/acknowledged", "notifications/tasks"]),
    );
  });

  it("come from any node, and after a gap in the messages between nodes", async () => {
    const run = async (ctx: Context) => {
      await ctx.ask("Go?", GO);
      return "done";
    };
    const [one, two] = [await open(serve(run, true)), await open(serve(run, true))];
    const id = await begin(one, "run");
    await listen(two, [id]);
    await two.waitFor("notifications/tasks", ({ params }) => params.status === "input_required");
    const { publish, subscribe } = cluster.bus;
    cluster.bus.publish = () => {};
    const missed: (() => void)[] = [];
    cluster.bus.subscribe = (topic, listener) => {
      missed.push(() => listener.missed());
      return subscribe.call(cluster.bus, topic, listener);
    };
    await listen(two, [id]);
    await reply(one, id, { on: true });
    await end(one, id);
    cluster.bus.publish = publish;
    cluster.bus.subscribe = subscribe;
    expect(statuses(two)).not.toContain("completed");
    for (const each of missed) each();
    await two.waitFor("notifications/tasks", ({ params }) => params.status === "completed");
  });

  it("are refused for too many or malformed ids, and never tell of another caller's task", async () => {
    const server = serve(() => "done");
    const [ada, eve] = [
      await open(server, { principal: { id: "ada" } }),
      await open(server, { principal: { id: "eve" } }),
    ];
    const id = await begin(ada, "run");
    expect(await listen(eve, [id])).toEqual([]);
    await reach(ada, id, "completed");
    expect(statuses(eve)).toEqual([]);
    for (const taskIds of ["x", [1], Array.from({ length: 10_001 }, () => "x")]) {
      const listening = ada.requestOnce("subscriptions/listen", { notifications: { taskIds } });
      expect(await refused(listening)).toMatchObject({ code: -32602 });
    }
  });
});
