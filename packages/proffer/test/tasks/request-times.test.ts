import { type Cluster, defineServer, defineTool, field } from "proffer";
import { memoryCluster, type TestClient } from "proffer/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { begin, connectWithTasks, end, reach, refused } from "./desk.ts";

type Port = "read" | "change" | "push";

/** The client of a node without a limit, which runs the tasks. */
let calm: TestClient;
/** The client of a node whose store and queue may never answer. */
let client: TestClient;
/** How many calls of the second node's ports are answered, by name; the others never are. */
let answered: Partial<Record<Port, number>>;
let runs: number;

beforeEach(async () => {
  answered = {};
  runs = 0;
  const { store, bus, queue } = memoryCluster();
  const connect = (cluster: Cluster) => {
    const tool = defineTool({
      ...{ name: "run", task: true, input: { type: "object" } },
      async handle(_, ctx) {
        runs++;
        return (await ctx.ask("Go?", { on: field.boolean() })).action;
      },
    });
    const keys = [new Uint8Array(32).fill(7)];
    return connectWithTasks(defineServer({ name: "slow", version: "1", keys, cluster, tools: [tool], log: () => {} }));
  };
  const passes = <Args extends unknown[], Value>(port: Port, call: (...args: Args) => Value) => {
    return (...args: Args): Value | Promise<never> => {
      const left = answered[port] ?? 0;
      answered[port] = left - 1;
      return left > 0 ? call(...args) : new Promise(() => {});
    };
  };
  // No call has a limit of its own: only that of the request can answer it.
  const slow = {
    timeLimit: 20,
    read: passes("read", store.read.bind(store)),
    change: passes("change", store.change.bind(store)),
    ...{ claim: store.claim.bind(store), count: store.count.bind(store), remove: store.remove.bind(store) },
    ...{ append: store.append.bind(store), since: store.since.bind(store) },
  };
  const push = passes("push", queue.push.bind(queue));
  calm = await connect({ store, bus, queue });
  client = await connect({ store: slow, bus, queue: { push, work: () => ({ stop: async () => {} }) } });
});

afterEach(() => Promise.all([calm.close(), client.close()]));

const BUSY = { code: -31000 };

describe("a request about a task has one time limit for all calls of the store and the queue", () => {
  it.each([
    ["tasks/get", {}],
    ["tasks/update", {}],
    ["tasks/update", { read: 1 }],
    ["tasks/update", { read: 1, change: 1 }],
    ["tasks/cancel", {}],
    ["tasks/cancel", { read: 1 }],
  ])("%s is refused if of the calls only %j are answered", async (method, calls) => {
    const taskId = await begin(calm, "run");
    await reach(calm, taskId, "input_required");
    const inputResponses = { q1: { action: "decline" } };
    answered = calls;
    expect(await refused(client.requestOnce(method, { taskId, inputResponses }))).toMatchObject(BUSY);
    await calm.requestOnce("tasks/update", { taskId, inputResponses });
    expect((await end(calm, taskId)).result?.content[0]?.text).toBe("decline");
  });

  it("a listener is refused if its tasks cannot be read in time", async () => {
    const taskIds = [await begin(calm, "run"), await begin(calm, "run")];
    answered = { read: 1 };
    const listening = client.requestOnce("subscriptions/listen", { notifications: { taskIds } });
    expect(await refused(listening)).toMatchObject(BUSY);
  });

  it("a call runs without a task if its record cannot be written in time", async () => {
    expect(await client.requestOnce("tools/call", { name: "run" })).toMatchObject({ resultType: "input_required" });
    expect(runs).toBe(1);
  });

  it("a call is refused if its wake-up may be pushed too late", async () => {
    // On a machine that is too slow for even the record, the call runs without a task.
    let outcome: { code?: number };
    do {
      runs = 0;
      answered = { change: 2 };
      outcome = await client.requestOnce("tools/call", { name: "run" }).catch((error) => error);
    } while (runs === 1);
    expect(outcome).toMatchObject(BUSY);
  });
});
