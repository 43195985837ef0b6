import {
  type Context,
  defineServer,
  defineTool,
  field,
  type Principal,
  type Server,
  type ServerOptions,
} from "proffer";
import { memoryCluster, type TestClient } from "proffer/testing";
import { afterEach, describe, expect, it, vi } from "vitest";
import { begin, connectWithTasks, end, get, reach, refused, reply } from "./desk.ts";

const METHODS = ["tasks/get", "tasks/update", "tasks/cancel"];
const UNKNOWN = {
  code: -32602,
  message: "Unknown task: it does not exist, has expired, or belongs to another caller.",
};
const GO = { on: field.boolean() };
const input = { type: "object", properties: { admin: { type: "boolean" } } } as const;

function serve(handle: (ctx: Context) => unknown, options: Partial<ServerOptions> = {}, tool: object = {}): Server {
  const tools = [defineTool({ name: "run", task: true, input, ...tool, handle: (_, ctx) => handle(ctx) })];
  return defineServer({ name: "bad", version: "1", log: () => {}, tools, ...options });
}

const ask = async (ctx: Context) => {
  await ctx.ask("Go?", GO);
  return "done";
};

const send = (client: TestClient, method: string, taskId: unknown) =>
  refused(client.requestOnce(method, { taskId, inputResponses: {} }));

afterEach(() => {
  vi.useRealTimers();
});

describe("bad input to tasks", () => {
  it("foreign, guessed and malformed ids are unknown, with one text", async () => {
    const server = serve(ask);
    const as = (principal?: Principal) => connectWithTasks(server, principal ? { principal } : {});
    const [ada, eve, nobody] = [await as({ id: "ada" }), await as({ id: "eve" }), await as()];
    const id = await begin(ada, "run");
    for (const method of METHODS) {
      expect(await send(eve, method, id)).toMatchObject(UNKNOWN);
      expect(await send(nobody, method, id)).toMatchObject(UNKNOWN);
      for (const guess of ["", "x", "__proto__", "A".repeat(24), `${id}\n`, "x".repeat(100_000)]) {
        expect(await send(ada, method, guess)).toMatchObject(UNKNOWN);
      }
      for (const wrong of [undefined, null, 1, [id], { id }]) {
        expect(await send(ada, method, wrong)).toMatchObject({
          code: -32602,
          message: expect.stringContaining("taskId"),
        });
      }
    }
    expect(await reach(ada, id, "input_required")).toMatchObject({ taskId: id });
  });

  it("expired and deleted ids are unknown, with the same text", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const cluster = memoryCluster();
    const client = await connectWithTasks(serve(ask, { cluster }, { task: { ttl: 1000 } }));
    const [expired, deleted] = [await begin(client, "run"), await begin(client, "run")];
    await cluster.store.remove(`bad task ${deleted}`);
    vi.setSystemTime(Date.now() + 1001);
    for (const method of METHODS) {
      for (const id of [expired, deleted]) expect(await send(client, method, id)).toMatchObject(UNKNOWN);
    }
  });

  it("an error of the store is never a task, and the same for known and unknown ids", async () => {
    const cluster = memoryCluster();
    const server = serve(ask, { cluster });
    const client = await connectWithTasks(server, { principal: { id: "ada" } });
    const id = await begin(client, "run");
    await reach(client, id, "input_required");
    cluster.store.read = () => Promise.reject(new Error("out of reach"));
    for (const method of METHODS) {
      const known = await send(client, method, id);
      expect(known).toMatchObject({ code: -32603, message: "Internal error." });
      expect(await send(client, method, "A".repeat(24))).toEqual(known);
    }
  });

  it("each request needs the scopes of the tool and its arguments again", async () => {
    const tool = { scopes: ["run"], paramScopes: { admin: ["admin"] } };
    const server = serve(ask, {}, tool);
    const as = (...scopes: string[]) => connectWithTasks(server, { principal: { id: "ada", scopes } });
    const id = await begin(await as("run", "admin"), "run", { admin: true });
    const less = await as("run");
    for (const method of METHODS) {
      expect(await send(less, method, id)).toMatchObject({ code: -31001, data: { scopes: ["run", "admin"] } });
    }
  });

  it("a task of a tool that is hidden from the caller is unknown", async () => {
    let shown = true;
    const server = serve(ask, { shows: () => shown });
    const client = await connectWithTasks(server);
    const id = await begin(client, "run");
    await reach(client, id, "input_required");
    shown = false;
    for (const method of METHODS) expect(await send(client, method, id)).toMatchObject(UNKNOWN);
  });

  it("answers of the wrong shape are refused by key, and nothing of the update is taken", async () => {
    const client = await connectWithTasks(
      serve(async (ctx) => {
        const answers = await Promise.all([ctx.ask("One?", GO), ctx.ask("Two?", GO)]);
        return JSON.stringify(answers);
      }),
    );
    const id = await begin(client, "run");
    const before = await reach(client, id, "input_required");
    const good = { action: "accept", content: { on: true } };
    const update = (inputResponses: unknown) => client.requestOnce("tasks/update", { taskId: id, inputResponses });
    for (const bad of [null, 1, "yes", [], {}, { action: "maybe" }, { action: "accept", content: { on: "x" } }]) {
      const error = await refused(update({ q1: good, q2: bad }));
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining("params.inputResponses.q2") });
    }
    for (const bad of [undefined, null, [], "x"]) {
      expect(await refused(update(bad))).toMatchObject({ code: -32602 });
    }
    expect(await get(client, id)).toEqual(before);
  });

  it("answers to questions never asked are acknowledged and change nothing", async () => {
    const client = await connectWithTasks(serve(ask));
    const id = await begin(client, "run");
    const before = await reach(client, id, "input_required");
    const given = JSON.parse('{"q0":{},"q2":1,"toString":{},"__proto__":{"action":"accept"}}');
    const done = await client.requestOnce("tasks/update", { taskId: id, inputResponses: given });
    expect(done).toMatchObject({ resultType: "complete" });
    expect(await get(client, id)).toEqual(before);
  });

  it("asks only questions that the creating request declared", async () => {
    const client = await connectWithTasks(serve(ask), {
      capabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } },
    });
    const done = await end(client, await begin(client, "run"));
    expect(done).toMatchObject({ status: "failed", error: { code: -32021 } });
  });

  it.each([
    ["taskResult", { taskResult: 100 }, () => "x".repeat(101)],
    ["taskJournal", { taskJournal: 100 }, (ctx: Context) => ctx.step("big", () => "x".repeat(101))],
    [
      "taskEntries",
      { taskEntries: 2 },
      async (ctx: Context) => {
        for (let n = 0; n < 3; n++) await ctx.step("many", () => n);
      },
    ],
  ])("a task that exceeds limits.%s fails", async (name, limits, handle) => {
    const client = await connectWithTasks(serve(handle, { limits }));
    const done = await end(client, await begin(client, "run"));
    expect(done).toMatchObject({ status: "failed", error: { code: -32603, message: expect.stringContaining(name) } });
  });

  it("a task that asks more than 64 questions at once fails", async () => {
    const asks = (count: number) => (ctx: Context) =>
      Promise.all(Array.from({ length: count }, (_, n) => ctx.ask(`Question ${n}`, GO)));
    const server = serve(asks(65));
    server.tools.add(defineTool({ name: "fits", task: true, handle: (_, ctx) => asks(64)(ctx) }));
    const client = await connectWithTasks(server);
    const done = await end(client, await begin(client, "run"));
    expect(done).toMatchObject({ status: "failed", error: { message: expect.stringContaining("asked 65 questions") } });
    await reach(client, await begin(client, "fits"), "input_required");
  });

  it("a caller with too many tasks gets a plain answer, or is refused if the tool requires a task", async () => {
    const server = serve(ask, { limits: { tasks: 2 } });
    server.tools.add(defineTool({ name: "must", task: "required", handle: () => "" }));
    const client = await connectWithTasks(server, { principal: { id: "ada" } });
    const ids = [await begin(client, "run"), await begin(client, "run")];
    expect(await client.requestOnce("tools/call", { name: "run" })).toMatchObject({ resultType: "input_required" });
    expect(await refused(client.requestOnce("tools/call", { name: "must" }))).toMatchObject({
      code: -31000,
      message: "This caller has 2 tasks (limits.tasks). Try again later.",
    });
    const other = await connectWithTasks(server, { principal: { id: "eve" } });
    await begin(other, "run");
    await reply(client, ids[0] as string, { on: true });
    await end(client, ids[0] as string);
    await expect.poll(() => client.requestOnce("tools/call", { name: "run" })).toMatchObject({ resultType: "task" });
  });

  it("a call that becomes no task because its caller has too many leaves no record behind", async () => {
    const cluster = memoryCluster();
    const client = await connectWithTasks(serve(ask, { cluster, limits: { tasks: 1 } }));
    await reach(client, await begin(client, "run"), "input_required");
    const created = vi.spyOn(cluster.store, "change");
    await client.requestOnce("tools/call", { name: "run" });
    const keys = created.mock.calls.map(([key]) => key).filter((key) => key.startsWith("bad task "));
    expect(keys).toHaveLength(1);
    expect(await cluster.store.read(keys[0] as string)).toBeUndefined();
  });

  it("a store that refuses a record leads to a plain answer, or to an error if the tool requires a task", async () => {
    const cluster = memoryCluster();
    const server = serve(() => "plain", { cluster });
    server.tools.add(defineTool({ name: "must", task: "required", handle: () => "" }));
    const client = await connectWithTasks(server);
    cluster.store.change = () => {
      throw new Error("OOM command not allowed");
    };
    expect(await client.call("run")).toMatchObject({ content: [{ text: "plain" }] });
    expect(await refused(client.requestOnce("tools/call", { name: "must" }))).toMatchObject({
      code: -32603,
      message: "The task could not be created.",
    });
  });

  it("100,000 abandoned tasks are gone from memory after their time", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
    const cluster = memoryCluster();
    const server = serve(ask, { cluster, limits: { tasks: 200_000 } }, { task: { ttl: 60_000 } });
    const client = await connectWithTasks(server);
    const ids = await Promise.all(Array.from({ length: 20 }, () => begin(client, "run")));
    // A run that has not ended has a timer.
    for (const id of ids) await reach(client, id, "input_required");
    const [first] = ids;
    const template = (await cluster.store.read(`bad task ${first}`)) ?? {};
    // The rest is written as the engine writes it: 100,000 calls would take half a minute.
    for (let n = 0; n < 100_000; n++) {
      await cluster.store.change(`bad task t${n}`, { set: template, expire: 60_000, returning: [] });
    }
    expect(await cluster.store.read("bad task t99999")).toEqual(template);
    await vi.advanceTimersByTimeAsync(60_000 + 61_000);
    // Each of the 20 runs had a timer. Earlier tests of this worker may have left a few.
    expect(vi.getTimerCount()).toBeLessThan(20);
    expect(await cluster.store.read("bad task t99999")).toBeUndefined();
  });
});
