import { type Cluster, defineServer, defineTool, field, type LogEntry, type ServerOptions } from "proffer";
import { rateLimit } from "proffer/policy";
import { connect, memoryCluster } from "proffer/testing";
import { describe, expect, it } from "vitest";
import { stateOf } from "../../src/server/server.ts";

const key = new Uint8Array(32).fill(1);
const busy = { code: -31000 };

let asked = 0;
function node(options: Partial<ServerOptions>) {
  return defineServer({
    ...{ name: "nodes", version: "1", keys: [key], log: () => {} },
    tools: [
      defineTool({ name: "t", handle: () => "done" }),
      defineTool({
        name: "pay",
        singleUse: true,
        handle: async (_, ctx) => {
          await ctx.ask("Sure?", { sure: field.boolean() });
          return `paid ${++asked}`;
        },
      }),
    ],
    ...options,
  });
}

/** Asks one node, and returns the request with the answer, for any node. */
async function answered(cluster: Cluster) {
  const client = await connect(node({ cluster }), { capabilities: { elicitation: {} } });
  const { requestState, inputRequests } = (await client.requestOnce("tools/call", { name: "pay" })) as {
    requestState: string;
    inputRequests: object;
  };
  const [question] = Object.keys(inputRequests);
  const answer = { action: "accept", content: { sure: true } };
  return { name: "pay", requestState, inputResponses: { [question as string]: answer } };
}

/** A cluster whose store fails while `isAway`. */
function failing() {
  const cluster = memoryCluster();
  const state = { isAway: true };
  const { claim, count } = cluster.store;
  const away = () => Promise.reject(new Error("away"));
  Object.assign(cluster.store, {
    claim: (...args: Parameters<typeof claim>) => (state.isAway ? away() : claim.apply(cluster.store, args)),
    count: (...args: Parameters<typeof count>) => (state.isAway ? away() : count.apply(cluster.store, args)),
  });
  return { cluster, state };
}

describe("single-use answers", () => {
  it("are accepted by one of the nodes, once", async () => {
    const cluster = memoryCluster();
    const request = await answered(cluster);
    const nodes = await Promise.all([1, 2, 3].map(() => connect(node({ cluster }))));
    const outcomes = await Promise.allSettled(nodes.map((client) => client.requestOnce("tools/call", request)));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected", "rejected"]);
  });

  it("are refused while the store is away, and accepted afterwards", async () => {
    const { cluster, state } = failing();
    const request = await answered(cluster);
    const client = await connect(node({ cluster }));
    const before = asked;
    await expect(client.requestOnce("tools/call", request)).rejects.toThrow();
    expect(asked).toBe(before);
    state.isAway = false;
    expect(await client.requestOnce("tools/call", request)).toMatchObject({ content: [{ type: "text" }] });
  });
});

describe("rateLimit", () => {
  const middleware = () => rateLimit({ per: "tool", rate: 0.01, burst: 2 });

  it("limits the calls of all nodes together", async () => {
    const cluster = memoryCluster();
    const [one, two] = [
      await connect(node({ cluster, middleware: middleware() })),
      await connect(node({ cluster, middleware: middleware() })),
    ];
    await one.call("t");
    await two.call("t");
    await expect(one.call("t")).rejects.toMatchObject(busy);
    await expect(two.call("t")).rejects.toMatchObject(busy);
  });

  it("limits each node on its own while the store is away, and logs that once per outage", async () => {
    const { cluster, state } = failing();
    const log: LogEntry[] = [];
    const options = { cluster, middleware: middleware(), log: (entry: LogEntry) => log.push(entry) };
    const [one, two] = [await connect(node(options)), await connect(node({ cluster, middleware: middleware() }))];
    for (const client of [one, two]) {
      await client.call("t");
      await client.call("t");
      await expect(client.call("t")).rejects.toMatchObject(busy);
    }
    expect(log.filter(({ message }) => message.includes("this node limits the rate"))).toHaveLength(1);
    state.isAway = false;
    await one.call("t");
    await two.call("t");
    await expect(one.call("t")).rejects.toMatchObject(busy);
  });
});

describe("the metrics of the store", () => {
  it("count operations, errors and their durations", async () => {
    const { cluster, state } = failing();
    const server = node({ cluster });
    const { store } = stateOf(server);
    await stateOf(server).features.loading;
    const measured = stateOf(server).store;
    expect(measured).not.toBe(store);
    await expect(measured.count?.("k", 1000)).rejects.toThrow("away");
    state.isAway = false;
    expect(await measured.count?.("k", 1000)).toBe(1);
    expect(measured.claim("c", 1000)).toBe(true);
    expect(measured.claim("c", 1000)).toBe(false);
    const { operations, errors, milliseconds, within1000 } = server.metrics().store ?? {};
    expect({ operations, errors, within1000 }).toEqual({ operations: 4, errors: 1, within1000: 4 });
    expect(milliseconds).toBeGreaterThanOrEqual(0);
  });
});
