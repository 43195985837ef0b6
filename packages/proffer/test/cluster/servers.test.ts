import { type CallResult, defineResource, defineServer, defineTool, field, type Server } from "proffer";
import { serveHttp } from "proffer/http";
import { rateLimit } from "proffer/policy";
import { connect, memoryCluster, type TestClient } from "proffer/testing";
import { afterEach, describe, expect, it } from "vitest";
import { overrideOptions } from "../../src/server/overrides.ts";
import { legacy, openSession, post } from "../http/http-client.ts";
import { cursorOf } from "../max-result/collect.ts";
import { begin, connectWithTasks, end, get, reach, refused } from "../tasks/desk.ts";

const UNKNOWN = { code: -32602, message: expect.stringContaining("Unknown task") };
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Two servers with the same items, keys and engine: only their names differ. */
function twoServers() {
  const cluster = memoryCluster();
  const runs: string[] = [];
  const define = (name: string): Server =>
    defineServer({
      ...{ name, version: "1", cluster, keys: [new Uint8Array(32).fill(7)], log: () => {}, maxResult: { bytes: 1000 } },
      middleware: rateLimit({ per: "tool", rate: 1000, methods: ["tools/call"] }),
      resources: [defineResource({ uri: "a://b", name: "b", read: () => "" })],
      tools: [
        defineTool({
          name: "ask",
          task: true,
          async handle(_, ctx) {
            runs.push(name);
            await ctx.ask("Go?", { go: field.boolean() });
            return name;
          },
        }),
        defineTool({ name: "log", handle: () => `a line of ${name}\n`.repeat(500) }),
        defineTool({ name: "set", handle: (_, ctx) => ctx.session?.set("of", name) }),
      ],
    });
  return { cluster, runs, payroll: define("payroll"), weather: define("weather") };
}

async function open(server: Server): Promise<TestClient> {
  const client = await connectWithTasks(server, { principal: { id: "ada" } });
  closing.push(() => client.close());
  return client;
}

describe("two servers with one engine and one key", () => {
  it("do not find each other's tasks, and a record that is copied does not open", async () => {
    const { cluster, payroll, weather } = twoServers();
    const [one, two] = [await open(payroll), await open(weather)];
    const id = await begin(one, "ask");
    await reach(one, id, "input_required");
    expect(await refused(get(two, id))).toMatchObject(UNKNOWN);
    const record = await cluster.store.read(`payroll task ${id}`);
    expect(record).toMatchObject({ status: "input_required" });
    await cluster.store.change(`weather task ${id}`, { set: record ?? {} });
    expect(await refused(get(two, id))).toMatchObject(UNKNOWN);
  });

  it("do not run each other's tasks, and do not fail them", async () => {
    const { runs, payroll, weather } = twoServers();
    overrideOptions(payroll, { tasks: "serve" });
    const [one, two] = [await open(payroll), await open(weather)];
    const id = await begin(one, "ask");
    const own = await begin(two, "ask");
    await reach(two, own, "input_required");
    expect(runs).toEqual(["weather"]);
    expect(await get(one, id)).toMatchObject({ status: "working" });
    overrideOptions(payroll, { tasks: "both" });
    await reach(one, id, "input_required");
    await one.requestOnce("tasks/update", { taskId: id, inputResponses: { q1: { action: "decline" } } });
    expect((await end(one, id)).result?.content[0]?.text).toBe("payroll");
    expect(runs).toEqual(["weather", "payroll", "payroll"]);
  });

  it("do not know each other's sessions, and do not end them", async () => {
    const { cluster, payroll, weather } = twoServers();
    const services = await Promise.all([payroll, weather].map((server) => serveHttp(server, { port: 0 })));
    for (const service of services) closing.push(() => service.close(0));
    const [one, two] = services.map(({ url }) => url) as [string, string];
    const session = await openSession(one);
    await post(one, legacy("tools/call", { name: "set" }), session);
    expect((await post(two, legacy("ping"), session)).status).toBe(404);
    const id = session["mcp-session-id"];
    await cluster.store.change(`weather session ${id}`, {
      set: (await cluster.store.read(`payroll session ${id}`)) ?? {},
    });
    expect((await post(two, legacy("ping"), session)).status).toBe(404);
    expect((await post(one, legacy("ping"), session)).status).toBe(200);
  });

  it("do not read the rest of each other's results", async () => {
    const { payroll, weather } = twoServers();
    const [one, two] = [await open(payroll), await open(weather)];
    const cursor = cursorOf((await one.call("log")) as CallResult);
    expect(await two.call("more", { cursor })).toMatchObject({ isError: true });
    expect(await one.call("more", { cursor })).not.toHaveProperty("isError");
  });

  it("do not hear of each other's changes", async () => {
    const { payroll, weather } = twoServers();
    await Promise.all([payroll, weather].map((server) => connect(server)));
    payroll.notify("a://b");
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(payroll.metrics().changes).toMatchObject({ published: 1 });
    expect(weather.metrics().changes).toMatchObject({ heard: 0 });
  });

  it("count the calls of a rate limit on their own", async () => {
    const { cluster, payroll, weather } = twoServers();
    const counted: string[] = [];
    const count = cluster.store.count.bind(cluster.store);
    cluster.store.count = (key, milliseconds) => {
      counted.push(key);
      return count(key, milliseconds);
    };
    for (const server of [payroll, weather]) await (await open(server)).call("set");
    expect(counted.map((key) => key.split(" ")[0])).toEqual(["payroll", "weather"]);
  });

  it("have keys of their own, whatever characters are in their names", async () => {
    const cluster = memoryCluster();
    const keys: string[] = [];
    const change = cluster.store.change.bind(cluster.store);
    cluster.store.change = (key, wanted) => {
      keys.push(key);
      return change(key, wanted);
    };
    for (const name of ["a b", "a", "a%20b", "{a}", "a:b", "\ud800"]) {
      const server = defineServer({
        ...{ name, version: "1", cluster, keys: [new Uint8Array(32).fill(7)], log: () => {} },
        tools: [defineTool({ name: "run", task: "required", handle: () => "" })],
      });
      const client = await open(server);
      await end(client, await begin(client, "run"));
    }
    const names = new Set(keys.map((key) => key.split(" ")[0]));
    expect([...names]).toEqual(["a%20b", "a", "a%2520b", "%7Ba%7D", "a%3Ab", "%5Cud800"]);
  });
});
