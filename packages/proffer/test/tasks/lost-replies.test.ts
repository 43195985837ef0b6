import { type Context, defineServer, defineTool, field } from "proffer";
import { memoryCluster, type TestClient } from "proffer/testing";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { RecordChange } from "../../src/nodes/ports.ts";
import { begin, connectWithTasks, end, get, reach, reply } from "./desk.ts";

let client: TestClient;

afterEach(() => client.close());

/** A node whose store loses the reply to the first change that sets this status. */
async function serve(status: string, handle: (ctx: Context) => unknown) {
  const cluster = memoryCluster();
  const { store } = cluster;
  const change = store.change.bind(store);
  const written: unknown[] = [];
  vi.spyOn(store, "change").mockImplementation((key: string, wanted: RecordChange) => {
    const changed = change(key, wanted);
    if (wanted.set?.status !== status) return changed;
    written.push(changed);
    return written.length === 1 ? Promise.reject(new Error("the reply was lost")) : changed;
  });
  const tool = defineTool({ name: "run", task: true, input: { type: "object" }, handle: (_, ctx) => handle(ctx) });
  const keys = [new Uint8Array(32).fill(7)];
  client = await connectWithTasks(
    defineServer({ name: "lost", version: "1", keys, cluster, tools: [tool], log: () => {} }),
  );
  return { cluster, written };
}

describe("a task whose store loses a reply", () => {
  it("ends once: the write that is repeated does not change the end", async () => {
    const { written } = await serve("completed", () => "done");
    const id = await begin(client, "run");
    const done = await end(client, id);
    await expect.poll(() => written.length).toBe(2);
    expect(await get(client, id)).toEqual(done);
    expect(written[1]).toMatchObject({ made: false });
  });

  it("does not repeat a question that was answered before the write was repeated", async () => {
    const { cluster, written } = await serve("input_required", async (ctx) => {
      const { action } = await ctx.ask("Go?", { on: field.boolean() });
      return action;
    });
    const id = await begin(client, "run");
    await reach(client, id, "input_required");
    const push = vi.spyOn(cluster.queue, "push").mockImplementation(() => {});
    await reply(client, id, { on: true });
    expect(written).toHaveLength(1);
    await expect.poll(() => written.length).toBe(2);
    expect(await get(client, id)).toMatchObject({ status: "working" });
    push.mockRestore();
    await cluster.queue.push(`${id}.2`, "lost");
    expect((await end(client, id)).result?.content[0]?.text).toBe("accept");
  });

  it("continues at once if the client repeats answers whose wake-up could not be pushed", async () => {
    const { cluster } = await serve("none", async (ctx) => {
      const { action } = await ctx.ask("Go?", { on: field.boolean() });
      return action;
    });
    const taskId = await begin(client, "run");
    await reach(client, taskId, "input_required");
    const push = vi.spyOn(cluster.queue, "push").mockRejectedValue(new Error("no connection"));
    const inputResponses = { q1: { action: "decline" } };
    await expect(client.requestOnce("tasks/update", { taskId, inputResponses })).rejects.toThrow();
    push.mockRestore();
    expect(await get(client, taskId)).toMatchObject({ status: "working" });
    await client.requestOnce("tasks/update", { taskId, inputResponses });
    expect((await end(client, taskId)).result?.content[0]?.text).toBe("decline");
  });
});
