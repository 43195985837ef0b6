import {
  type Cluster,
  type Context,
  defineServer,
  defineTool,
  type Principal,
  type Server,
  type ServerOptions,
  type ToolOptions,
} from "proffer";
import { serveHttp } from "proffer/http";
import { memoryCluster, type TestClient } from "proffer/testing";
import { afterEach, describe, expect, it } from "vitest";
import { engineOf } from "../../src/features/tasks/feature.ts";
import { stateOf } from "../../src/server/server.ts";
import { openGate } from "../gate.ts";
import { modern, postModern } from "../http/http-client.ts";
import { begin, connectWithTasks, DECLARED, end, get } from "./desk.ts";

const input = { type: "object", properties: { name: { type: "string" } } } as const;
const keys = [new Uint8Array(32).fill(7)];
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A server whose tool `wait` runs until the test says so. */
function openServer(cluster?: Cluster, options: Partial<ServerOptions> = {}) {
  const { opened, open } = openGate();
  closing.push(open);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const server = defineServer({
    ...{
      name: "fair",
      version: "1",
      log: () => {},
      limits: { taskConcurrency: 10 },
      ...(cluster && { cluster, keys }),
    },
    tools: [
      defineTool({
        ...{ name: "wait", task: "required", input },
        async handle({ name = "" }) {
          begun.push(name);
          await Promise.race([opened, new Promise<void>((resolve) => ends.set(name, resolve))]);
          return name;
        },
      }),
      defineTool({ name: "quick", task: "required", input, handle: ({ name }) => `quick ${name}` }),
    ],
    ...options,
  });
  return { server, begun, ends, open };
}

async function open(server: Server, principal: Principal): Promise<TestClient> {
  const client = await connectWithTasks(server, { principal });
  closing.push(() => client.close());
  return client;
}

const startAll = (client: TestClient, count: number, tool = "wait") =>
  Promise.all(Array.from({ length: count }, (_, at) => begin(client, tool, { name: `${at}` })));
const textOf = async (client: TestClient, id: string) => (await end(client, id)).result?.content[0]?.text;
const [ada, mallory] = [{ id: "ada" }, { id: "mallory" }];

describe.each([
  ["in memory", () => undefined],
  ["with a cluster", memoryCluster],
])("a caller with many long tasks %s", (_, create) => {
  it("leaves a tenth of the runs to others", async () => {
    const { server, begun } = openServer(create());
    const [one, other] = [await open(server, mallory), await open(server, ada)];
    await startAll(one, 12);
    await expect.poll(() => begun).toHaveLength(9);
    expect(await textOf(other, await begin(other, "quick", { name: "ada" }))).toBe("quick ada");
    expect(begun).toHaveLength(9);
  });

  it("begins the next one when one has ended, at once, and all of them in the end", async () => {
    const { server, begun, ends, open: release } = openServer(create());
    const one = await open(server, mallory);
    const ids = await startAll(one, 30);
    await expect.poll(() => begun).toHaveLength(9);
    ends.get(begun[0] as string)?.();
    await expect.poll(() => begun).toHaveLength(10);
    release();
    for (const id of ids) await end(one, id);
    expect(new Set(begun).size).toBe(30);
  });

  it("gets as many as another one who has many, too", async () => {
    const { server, begun, ends } = openServer(create(), { limits: { taskConcurrency: 21 } });
    const of = (name: string) => begun.filter((each) => each.startsWith(name)).length;
    const [one, other] = [await open(server, mallory), await open(server, ada)];
    await Promise.all(Array.from({ length: 60 }, (_, at) => begin(one, "wait", { name: `m${at}` })));
    await expect.poll(() => of("m")).toBe(18);
    await Promise.all(Array.from({ length: 60 }, (_, at) => begin(other, "wait", { name: `a${at}` })));
    const ended = { m: 0, a: 0 };
    for (let at = 0; at < 30; at++) {
      ends.get(`m${at}`)?.();
      ended.m++;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await expect.poll(() => Math.abs(of("m") - ended.m - of("a"))).toBeLessThanOrEqual(1);
    expect(of("m") - ended.m).toBeGreaterThanOrEqual(8);
  });
});

type Task = NonNullable<ToolOptions<undefined, undefined>["task"]>;

describe("a caller whose handlers run on after their tasks were cancelled", () => {
  const tool = (name: string, task: Task, handle: (ctx: Context) => unknown) =>
    defineTool({ name, task, handle: (_, ctx) => handle(ctx) as never });

  /** Twice as many calls as handlers may run on: `take` starts one and cancels it; false if it is refused or has to wait. */
  async function takeAll(task: Task, take: (client: TestClient, begun: () => number) => Promise<boolean>) {
    const { opened, open: release } = openGate();
    let begun = 0;
    const wait = () => {
      begun++;
      return opened;
    };
    const tools = [tool("wait", task, wait), tool("quick", task, () => "quick")];
    const server = defineServer({ name: "late", version: "1", log: () => {}, limits: { taskConcurrency: 10 }, tools });
    const [one, other] = [await open(server, mallory), await open(server, ada)];
    let taken = 0;
    while (taken < 20 && (await take(one, () => begun))) taken++;
    expect(taken).toBe(10);
    return { one, other, release };
  }

  it("waits with further tasks until they end, and others do not", async () => {
    const { one, other, release } = await takeAll("required", async (client, begun) => {
      const before = begun();
      const taskId = await begin(client, "wait");
      await new Promise((resolve) => setTimeout(resolve, 5));
      await client.requestOnce("tasks/cancel", { taskId });
      return begun() > before;
    });
    const id = await begin(one, "quick");
    expect(await textOf(other, await begin(other, "quick"))).toBe("quick");
    expect((await get(one, id)).status).toBe("working");
    release();
    expect(await textOf(one, id)).toBe("quick");
  });

  it.each<[string, number, (client: TestClient) => Promise<unknown>]>([
    [
      "the call was cancelled before it was a task",
      60_000,
      async (client) => {
        const stop = new AbortController();
        const options = { signal: stop.signal };
        const called = client.requestOnce("tools/call", { name: "wait", arguments: {} }, options);
        setTimeout(() => stop.abort(), 5);
        const error = await called.catch((thrown) => thrown);
        if (error.code !== undefined && error.code !== 20) throw error;
      },
    ],
    [
      "it had become a task",
      1,
      async (client) => client.requestOnce("tasks/cancel", { taskId: await begin(client, "wait") }),
    ],
  ])("is refused until they end, and others are not, if %s", async (_, after, cancel) => {
    const { one, other, release } = await takeAll({ after }, (client) =>
      cancel(client).then(
        () => true,
        (error) => {
          expect(error).toMatchObject({ code: -31000, message: expect.stringContaining("run on") });
          return false;
        },
      ),
    );
    const call = (client: TestClient) => client.requestOnce("tools/call", { name: "quick", arguments: {} });
    await call(other);
    await expect(call(one)).rejects.toMatchObject({ code: -31000 });
    release();
    await expect
      .poll(() =>
        call(one).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
  });
});

it("one run at a time is enough for the tasks of several callers", async () => {
  const { server } = openServer(undefined, { limits: { taskConcurrency: 1 } });
  const [one, other] = [await open(server, mallory), await open(server, ada)];
  const ids = [...(await startAll(one, 5, "quick")), ...(await startAll(one, 5, "quick"))];
  await textOf(other, await begin(other, "quick"));
  for (const id of ids) await end(one, id);
});

it("a node that stops leaves the tasks that wait to another one, at once", async () => {
  const cluster = memoryCluster();
  const nodes = [openServer(cluster), openServer(cluster)] as const;
  const one = await open(nodes[0].server, mallory);
  const ids = await startAll(one, 12);
  await expect.poll(() => nodes[0].begun).toHaveLength(9);
  const two = await open(nodes[1].server, mallory);
  nodes[1].open();
  await (await engineOf(stateOf(nodes[0].server))).stop(0);
  for (const id of ids) await end(two, id);
  expect(nodes[1].begun).toHaveLength(12);
});

describe("the caller of a task", () => {
  const DEADLINE = { limits: { tasks: 2 } };

  it("is counted once with all of its ids, and decides nothing about who may read the task", async () => {
    const { server } = openServer(undefined, DEADLINE);
    const as = (id: string, caller?: string) => open(server, { id, ...(caller && { caller }) });
    const [laptop, phone, other] = [await as("ada:laptop", "ada"), await as("ada:phone", "ada"), await as("eve")];
    const [id = ""] = [await begin(laptop, "wait"), await begin(phone, "wait")];
    await expect(laptop.requestOnce("tools/call", { name: "wait" })).rejects.toThrow("This caller has 2 tasks");
    await expect(phone.requestOnce("tools/call", { name: "wait" })).rejects.toThrow("This caller has 2 tasks");
    await begin(other, "wait");
    await expect(get(phone, id)).rejects.toThrow("Unknown task");
    expect(await get(laptop, id)).toMatchObject({ status: "working" });
    await laptop.requestOnce("tasks/cancel", { taskId: id });
    await expect.poll(() => phone.requestOnce("tools/call", { name: "wait" })).toMatchObject({ resultType: "task" });
  });

  it("is the address of an anonymous caller, or its network, and another address is another caller", async () => {
    const { server } = openServer(undefined, { limits: { tasks: 2, taskConcurrency: 10 } });
    const service = await serveHttp(server, { port: 0, trustedProxies: ["127.0.0.0/8"] });
    closing.push(() => service.close(0));
    const call = async (address: string) => {
      const message = modern("tools/call", { name: "wait", arguments: {} }, DECLARED);
      const { json } = await postModern(service.url, message, { "x-forwarded-for": address });
      return json.result?.resultType ?? json.error.message;
    };
    for (const address of ["203.0.113.1", "203.0.113.1"]) expect(await call(address)).toBe("task");
    expect(await call("203.0.113.1")).toContain("This caller has 2 tasks");
    expect(await call("203.0.113.2")).toBe("task");
    for (const address of ["2001:db8::1", "2001:db8::2"]) expect(await call(address)).toBe("task");
    expect(await call("2001:db8::3")).toContain("This caller has 2 tasks");
    expect(await call("2001:db8:0:1::1")).toBe("task");
  });

  it("keeps large results of its tasks within its share, also as an anonymous address", async () => {
    const big = `${"a long line ".repeat(10)}\n`.repeat(35_000);
    const tools = [defineTool({ name: "big", task: "required", handle: () => big })];
    const { server } = openServer(undefined, { tools, maxResult: { bytes: 1_000_000 } });
    const service = await serveHttp(server, { port: 0, trustedProxies: ["127.0.0.0/8"] });
    closing.push(() => service.close(0));
    const texts: string[] = [];
    for (const address of ["203.0.113.1", "203.0.113.1", "203.0.113.1", "203.0.113.2"]) {
      const send = async (method: string, params: object) =>
        (await postModern(service.url, modern(method, params, DECLARED), { "x-forwarded-for": address })).json.result;
      const { taskId } = await send("tools/call", { name: "big", arguments: {} });
      await expect.poll(async () => (await send("tasks/get", { taskId })).status).toBe("completed");
      texts.push(JSON.stringify((await send("tasks/get", { taskId })).result.content.slice(1)));
    }
    expect(texts.map((text) => text.includes("cursor"))).toEqual([true, true, false, true]);
  });

  it("is in the store only as a digest that needs a key", async () => {
    const cluster = memoryCluster();
    const counts: string[] = [];
    const change = cluster.store.change.bind(cluster.store);
    cluster.store.change = (key, wanted) => {
      if (key.startsWith("fair tasks")) counts.push(key);
      return change(key, wanted);
    };
    for (const key of [7, 8]) {
      const { server } = openServer(cluster, { keys: [new Uint8Array(32).fill(key)] });
      await begin(await open(server, ada), "quick");
    }
    const names = new Set(counts);
    expect(names.size).toBe(2);
    for (const name of names) expect(name).toMatch(/^fair tasks [0-9a-f]{64}$/);
  });
});
