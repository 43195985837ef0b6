import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import { defineServer, defineTool, field, type Server } from "proffer";
import { bullmq } from "proffer/bullmq";
import { redis } from "proffer/redis";
import type { TestClient } from "proffer/testing";
import { afterAll, expect, it } from "vitest";
import { describeWithEngine, sharedEngine } from "../ports/engine.ts";
import { begin, connectWithTasks, end, get, reach, reply } from "./desk.ts";

const engine = await sharedEngine();
const prefix = `tasks.${Math.random().toString(36).slice(2)}`;

describeWithEngine("tasks on Redis and BullMQ", engine, ({ host, port }) => {
  const closing: (() => unknown)[] = [];
  afterAll(async () => {
    for (const close of closing.reverse()) await close();
  });

  const aborted: string[] = [];
  const effects: string[] = [];

  function node(name: string, own = prefix): Server {
    const client = new Redis({ host, port, maxRetriesPerRequest: 1 });
    const shared = redis(client, { prefix: own, commandTimeout: 60_000 });
    const options = { Queue, Worker, connection: { host, port }, prefix: own, commandTimeout: 60_000 };
    const queue = bullmq(options);
    closing.push(
      () => client.disconnect(),
      () => queue.close(),
      () => shared.close?.(),
    );
    return defineServer({
      name: "tasks",
      version: "1",
      keys: [new Uint8Array(32).fill(7)],
      cluster: { ...shared, queue },
      limits: { taskConcurrency: 10 },
      log: () => {},
      tools: [
        defineTool({
          name: "move",
          task: true,
          async handle(_, ctx) {
            const rooms = await ctx.step("pack", (key) => {
              effects.push(key);
              return 5;
            });
            const piano = await ctx.ask("Sell the piano?", { sell: field.boolean() });
            await ctx.step("drive", (key) => void effects.push(key));
            return `${rooms} rooms, ${piano.action}`;
          },
        }),
        defineTool({
          name: "hang",
          task: true,
          handle(_, ctx) {
            ctx.progress(1, 2, "hanging");
            return new Promise<void>((resolve) =>
              ctx.signal.addEventListener("abort", () => {
                aborted.push(name);
                resolve();
              }),
            );
          },
        }),
      ],
    });
  }

  async function open(server: Server, id?: string): Promise<TestClient> {
    const client = await connectWithTasks(server, id === undefined ? {} : { principal: { id } });
    closing.push(() => client.close());
    return client;
  }

  it("ask on one node and continue on any", async () => {
    const [one, two] = [await open(node("a")), await open(node("b"))];
    const ids = await Promise.all(Array.from({ length: 10 }, () => begin(one, "move")));
    for (const id of ids) expect((await get(two, id)).taskId).toBe(id);
    await Promise.all(ids.map((id) => reply(two, id, { sell: true })));
    for (const id of ids) expect((await end(one, id)).result?.content[0]?.text).toBe("5 rooms, accept");
    expect(effects).toHaveLength(20);
    expect(new Set(effects).size).toBe(20);
  });

  it("are watched and cancelled from another node than that of the run", async () => {
    const one = await open(node("c"));
    const id = await begin(one, "hang");
    const two = await open(node("d"));
    await expect.poll(async () => (await get(one, id)).statusMessage).toBe("hanging");
    void two.requestOnce("subscriptions/listen", { notifications: { taskIds: [id] } }).catch(() => {});
    await two.waitFor("notifications/tasks", ({ params }) => params.statusMessage === "hanging");
    await two.requestOnce("tasks/cancel", { taskId: id });
    expect(await reach(one, id, "cancelled")).toMatchObject({ status: "cancelled" });
    await two.waitFor("notifications/tasks", ({ params }) => params.status === "cancelled");
    await expect.poll(() => aborted).toHaveLength(1);
  });

  it("leave a tenth of a node to other callers, and follow each other at once", async () => {
    const server = node("e", `${prefix}.fair`);
    const [mallory, ada] = [await open(server, "mallory"), await open(server, "ada")];
    const running = () => server.metrics().tasks?.running;
    const ids = await Promise.all(Array.from({ length: 40 }, () => begin(mallory, "hang")));
    await expect.poll(running).toBe(9);
    await reply(ada, await begin(ada, "move"), { sell: true });
    expect(running()).toBe(9);
    // Each of those that were put back begins when one that runs has ended, long before its time is up.
    for (let ended = 0; ended < 31; ended++) {
      const states = await Promise.all(ids.map(async (id) => [id, await get(mallory, id)] as const));
      const [id] = states.find(([, { status, statusMessage }]) => status === "working" && statusMessage) ?? [];
      await mallory.requestOnce("tasks/cancel", { taskId: id });
      await expect.poll(() => server.metrics().tasks?.runs).toBe(2 + 10 + ended);
    }
    await Promise.all(ids.map((taskId) => mallory.requestOnce("tasks/cancel", { taskId })));
  });
});
