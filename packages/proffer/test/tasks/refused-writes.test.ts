import { defineServer, defineTool, type Tool } from "proffer";
import { memoryCluster, type TestClient } from "proffer/testing";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type RecordChange, StoreUnavailable } from "../../src/nodes/ports.ts";
import { begin, connectWithTasks, end, refused } from "./desk.ts";

const clients: TestClient[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

const input = { type: "object" } as const;

/** A node on ports that a test can let fail. */
async function serve(tools: readonly Tool[]) {
  const cluster = memoryCluster();
  const { queue } = cluster;
  const work = queue.work.bind(queue);
  const delivered: string[] = [];
  queue.work = (run, options) =>
    work((job, signal) => {
      delivered.push(job);
      return run(job, signal);
    }, options);
  const keys = [new Uint8Array(32).fill(7)];
  const server = defineServer({ name: "refused", version: "1", keys, cluster, tools: [...tools], log: () => {} });
  const client = await connectWithTasks(server);
  clients.push(client);
  return { cluster, client, delivered };
}

const isLease = ({ add, set }: RecordChange) => add?.epoch === 1 && set?.lease !== undefined;

describe("a task whose store or queue refuses writes", () => {
  it("begins in its first delivery when the store has room again", async () => {
    const tools = [defineTool({ name: "run", task: true, input, handle: () => "done" })];
    const { cluster, client, delivered } = await serve(tools);
    const { store } = cluster;
    const change = store.change.bind(store);
    let refusals = 0;
    vi.spyOn(store, "change").mockImplementation((key: string, wanted: RecordChange) => {
      if (!isLease(wanted) || refusals === 3) return change(key, wanted);
      refusals++;
      return Promise.reject(new StoreUnavailable("full"));
    });
    const id = await begin(client, "run");
    await end(client, id);
    expect({ refusals, delivered }).toEqual({ refusals: 3, delivered: [`${id}.1`] });
  });

  it("is not taken again if nobody knows whether it was", async () => {
    const tools = [defineTool({ name: "run", task: true, input, handle: () => "done" })];
    const { cluster, client, delivered } = await serve(tools);
    const { store } = cluster;
    const change = store.change.bind(store);
    let leases = 0;
    vi.spyOn(store, "change").mockImplementation((key: string, wanted: RecordChange) => {
      if (!isLease(wanted)) return change(key, wanted);
      leases++;
      return leases === 1 ? Promise.reject(new StoreUnavailable("timeout")) : change(key, wanted);
    });
    await end(client, await begin(client, "run"));
    expect(delivered).toHaveLength(leases);
  });

  it("does not run plainly a call whose wake-up was pushed after all", async () => {
    let runs = 0;
    const handle = () => String(++runs);
    const { cluster, client } = await serve([defineTool({ name: "run", task: true, input, handle })]);
    const { queue } = cluster;
    const push = queue.push.bind(queue);
    // As a Redis that was frozen: it executes the command after the time limit.
    vi.spyOn(queue, "push").mockImplementationOnce(async (job: string) => {
      await push(job, "refused");
      await expect.poll(() => runs).toBe(1);
      throw new StoreUnavailable("timeout");
    });
    const done = await end(client, await begin(client, "run"));
    expect(done.result?.content[0]?.text).toBe("1");
    expect(runs).toBe(1);
  });

  it("does not run as a task a call that was answered without one", async () => {
    let runs = 0;
    const handle = () => String(++runs);
    const { cluster, client, delivered } = await serve([defineTool({ name: "run", task: true, input, handle })]);
    const { queue } = cluster;
    const push = queue.push.bind(queue);
    const jobs: string[] = [];
    vi.spyOn(queue, "push").mockImplementationOnce((job: string) => {
      jobs.push(job);
      return Promise.reject(new StoreUnavailable("timeout"));
    });
    expect(await client.call("run")).toMatchObject({ content: [{ text: "1" }] });
    await push(jobs[0] as string, "refused");
    await expect.poll(() => delivered).toEqual(jobs);
    expect(await cluster.store.read(`refused task ${jobs[0]?.split(".")[0]}`)).toBeUndefined();
    expect(runs).toBe(1);
  });

  it("refuses a call if nobody can know whether its task runs", async () => {
    let runs = 0;
    const handle = () => String(++runs);
    const { cluster, client } = await serve([defineTool({ name: "run", task: true, input, handle })]);
    const { store, queue } = cluster;
    const change = store.change.bind(store);
    vi.spyOn(queue, "push").mockImplementationOnce(() => {
      vi.spyOn(store, "change").mockRejectedValue(new StoreUnavailable("timeout"));
      return Promise.reject(new StoreUnavailable("timeout"));
    });
    expect(await refused(client.requestOnce("tools/call", { name: "run" }))).toMatchObject({ code: -31000 });
    vi.spyOn(store, "change").mockImplementation(change);
    expect(runs).toBe(0);
  });

  it("does not count a task that could not be created", async () => {
    const { cluster, client } = await serve([
      defineTool({ name: "run", task: { required: true }, input, handle: () => "done" }),
    ]);
    const { store, queue } = cluster;
    const push = vi.spyOn(queue, "push").mockRejectedValue(new StoreUnavailable("full"));
    const change = vi.spyOn(store, "change");
    await refused(client.requestOnce("tools/call", { name: "run" }));
    push.mockRestore();
    const [count = ""] = change.mock.calls.map(([key]) => key).filter((key) => key.startsWith("refused tasks"));
    expect(Object.values((await store.read(count)) ?? {})).toEqual(["0"]);
  });
});
