import { type Context, defineServer, defineTool, fail, field, InvalidParams, type Server } from "proffer";
import { defineObserver } from "proffer/observe";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openGate } from "../gate.ts";
import { begin, connectWithTasks, end, get, reach, reply } from "./desk.ts";

afterEach(() => {
  vi.useRealTimers();
});

const GO = { on: field.boolean() };

type Handle = (ctx: Context) => unknown;

function serve(handle: Handle, options: object = {}, more: object = {}): Server {
  const tool = defineTool({ name: "run", task: true, ...options, handle: (_, ctx) => handle(ctx) });
  return defineServer({ name: "tasks", version: "1", tools: [tool], log: () => {}, ...more });
}

const start = async (handle: Handle, options: object = {}, more: object = {}) => {
  const client = await connectWithTasks(serve(handle, options, more));
  return { client, id: await begin(client, "run") };
};

const textOf = ({ result }: { result?: { content: readonly { text: string }[] } }) => result?.content[0]?.text;

describe("a task", () => {
  it("is answered flat, as working, and is found at once", async () => {
    const { opened, open } = openGate();
    const client = await connectWithTasks(serve(() => opened));
    const created = await client.requestOnce("tools/call", { name: "run" });
    expect(created).toEqual({
      resultType: "task",
      _meta: expect.anything(),
      taskId: expect.stringMatching(/^[\w-]{24}$/),
      status: "working",
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      lastUpdatedAt: created.createdAt,
      ttlMs: 3_600_000,
      pollIntervalMs: 1000,
    });
    const { resultType: _, ...task } = created;
    expect(await get(client, created.taskId as string)).toEqual({ ...task, resultType: "complete" });
    open();
  });

  it("keeps the result of the call, with its own metadata only", async () => {
    const { client, id } = await start(() => ({ content: [{ type: "text", text: "yes" }], _meta: { "a/b": 1 } }));
    const { result, ...task } = await end(client, id);
    expect(task).toMatchObject({ resultType: "complete", status: "completed" });
    expect(task).not.toHaveProperty("pollIntervalMs");
    expect(result).toEqual({ resultType: "complete", content: [{ type: "text", text: "yes" }], _meta: { "a/b": 1 } });
  });

  it("completes with a tool error, and fails with an error of the protocol", async () => {
    const refusal = await start(() => fail("no such file"));
    expect(await end(refusal.client, refusal.id)).toMatchObject({ status: "completed", result: { isError: true } });
    const crash = await start(() => {
      throw new Error("secret");
    });
    expect(await end(crash.client, crash.id)).toMatchObject({
      status: "completed",
      result: { isError: true, content: [{ text: 'Tool "run" failed.' }] },
    });
    const error = await start(() => {
      throw new InvalidParams("No.", { why: 1 });
    });
    const failed = await end(error.client, error.id);
    expect(failed).toMatchObject({
      status: "failed",
      statusMessage: "No.",
      error: { code: -32602, message: "No.", data: { why: 1 } },
    });
    expect(failed).not.toHaveProperty("result");
  });

  it("asks, takes answers one by one, and runs steps once", async () => {
    const runs: string[] = [];
    const keys: string[] = [];
    const { client, id } = await start(async (ctx) => {
      runs.push("run");
      const rooms = await ctx.step("pack", (key) => {
        keys.push(key);
        return 3;
      });
      const [first, second] = await Promise.all([
        ctx.ask("Name?", { name: field.text() }),
        ctx.ask("Sure?", { sure: field.boolean() }),
      ]);
      await ctx.step("pack", (key) => void keys.push(key));
      const third = await ctx.ask("Name?", { name: field.text() });
      return JSON.stringify([rooms, first, second, third]);
    });
    const asked = await reach(client, id, "input_required");
    expect(asked).not.toHaveProperty("result");
    expect(asked.inputRequests).toMatchObject({
      q1: { method: "elicitation/create", params: { mode: "form", message: "Name?" } },
      q2: { method: "elicitation/create", params: { message: "Sure?" } },
    });
    expect((await get(client, id)).inputRequests).toEqual(asked.inputRequests);
    const update = (inputResponses: object) => client.requestOnce("tasks/update", { taskId: id, inputResponses });
    const accept = (content: object) => ({ action: "accept", content });
    expect(await update({ unknown: accept({}) })).toEqual({ resultType: "complete", _meta: expect.anything() });
    await update({ q2: accept({ sure: true }) });
    const left = await get(client, id);
    expect(left.status).toBe("input_required");
    expect(Object.keys(left.inputRequests ?? {})).toEqual(["q1"]);
    await update({ q1: accept({ name: "Ada" }), q2: accept({ sure: false }) });
    const again = await reach(client, id, "input_required");
    expect(Object.keys(again.inputRequests ?? {})).toEqual(["q3"]);
    await update({ q1: accept({ name: "late" }), q3: accept({ name: "Eve" }) });
    const done = await end(client, id);
    expect(JSON.parse(textOf(done) ?? "")).toEqual([
      3,
      accept({ name: "Ada" }),
      accept({ sure: true }),
      accept({ name: "Eve" }),
    ]);
    expect(runs).toHaveLength(3);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(2);
    expect(await update({ q1: accept({ name: "late" }) })).toMatchObject({ resultType: "complete" });
    expect(await get(client, id)).toEqual(done);
  });

  it("asks in rounds before ctx.background(), and the task knows the answers and steps", async () => {
    const effects: string[] = [];
    const tool = { task: { after: Number.POSITIVE_INFINITY, required: true } };
    const client = await connectWithTasks(
      serve(async (ctx) => {
        const key = await ctx.step("reserve", (own) => {
          effects.push(own);
          return own;
        });
        const who = await ctx.ask("Name?", { name: field.text() });
        await ctx.background();
        await ctx.step("after", (own) => void effects.push(own));
        await ctx.background();
        return `${who.action === "accept" && who.content.name} ${key === effects[0]} ${ctx.taskId !== undefined}`;
      }, tool),
    );
    const first = await client.requestOnce("tools/call", { name: "run" });
    expect(first).toMatchObject({ resultType: "input_required" });
    expect(first).not.toHaveProperty("taskId");
    const inputResponses = Object.fromEntries(
      Object.keys(first.inputRequests as object).map((key) => [key, { action: "accept", content: { name: "Alice" } }]),
    );
    const second = await client.requestOnce("tools/call", {
      name: "run",
      inputResponses,
      requestState: first.requestState,
    });
    expect(second).toMatchObject({ resultType: "task", status: "working" });
    expect(second).not.toHaveProperty("requestState");
    expect(textOf(await end(client, second.taskId as string))).toBe("Alice true true");
    expect(effects).toHaveLength(2);
  });

  it("stays an ordinary call at ctx.background() for a client without tasks, and needs the option task", async () => {
    const client = await connectWithTasks(
      serve(
        async (ctx) => {
          await ctx.background();
          return `task ${ctx.taskId}`;
        },
        { task: { after: Number.POSITIVE_INFINITY } },
      ),
      { capabilities: {} },
    );
    expect((await client.call("run")).content).toEqual([{ type: "text", text: "task undefined" }]);
    const logged: unknown[] = [];
    const without = await connectWithTasks(
      serve((ctx) => ctx.background(), { task: false }, { log: (entry: unknown) => logged.push(entry) }),
    );
    expect(await without.call("run")).toMatchObject({ isError: true });
    expect(String((logged[0] as { error: Error }).error)).toContain("only in a tool with the option task");
  });

  it("exists for its ttl after the last change, and the time on the wire only grows", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "setInterval", "clearTimeout", "clearInterval"] });
    const { client, id } = await start(
      async (ctx) => {
        await ctx.ask("Go?", GO);
        return "went";
      },
      { task: { ttl: 60_000, pollInterval: 500 } },
    );
    await vi.waitFor(async () => expect((await get(client, id)).status).toBe("input_required"));
    vi.setSystemTime(Date.now() + 50_000);
    await client.requestOnce("tasks/update", { taskId: id, inputResponses: { q1: { action: "decline" } } });
    await vi.waitFor(async () => expect((await get(client, id)).status).toBe("completed"));
    expect((await get(client, id)).ttlMs).toBeGreaterThanOrEqual(110_000);
    vi.setSystemTime(Date.now() + 59_000);
    expect((await get(client, id)).status).toBe("completed");
    vi.setSystemTime(Date.now() + 2000);
    await expect(get(client, id)).rejects.toMatchObject({ code: -32602 });
  });

  it("lets clients poll an old task less often", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { opened, open } = openGate();
    const { client, id } = await start(() => opened, { task: { pollInterval: 2000 } });
    expect((await get(client, id)).pollIntervalMs).toBe(2000);
    vi.setSystemTime(Date.now() + 61_000);
    expect((await get(client, id)).pollIntervalMs).toBe(4000);
    vi.setSystemTime(Date.now() + 600_000);
    expect((await get(client, id)).pollIntervalMs).toBe(15_000);
    open();
  });

  it("is cancelled at once, aborts the signal, and drops a late result", async () => {
    const { opened, open } = openGate();
    const seen: string[] = [];
    const { client, id } = await start(async (ctx) => {
      ctx.signal.addEventListener("abort", () => seen.push(ctx.signal.reason.message));
      await opened;
      seen.push("after");
      await ctx.step("late", () => seen.push("late"));
      return "late";
    });
    await expect.poll(() => get(client, id)).toMatchObject({ status: "working" });
    const cancel = () => client.requestOnce("tasks/cancel", { taskId: id });
    const acknowledged = await cancel();
    expect(acknowledged).toEqual({ resultType: "complete", _meta: expect.anything() });
    const cancelled = await get(client, id);
    expect(cancelled).toMatchObject({ status: "cancelled" });
    open();
    await expect.poll(() => seen).toEqual(["The task was cancelled.", "after"]);
    expect(await cancel()).toEqual(acknowledged);
    expect(await get(client, id)).toEqual(cancelled);
  });

  it("is not touched by a cancelled request or a lost connection", async () => {
    const { opened, open } = openGate();
    const server = serve(async () => {
      await opened;
      return "done";
    });
    const first = await connectWithTasks(server);
    const second = await connectWithTasks(server);
    const id = await begin(first, "run");
    first.notify("notifications/cancelled", { requestId: 2 });
    await first.close();
    open();
    expect(textOf(await end(second, id))).toBe("done");
  });

  it("hides an unexpected exception beside middleware, too", async () => {
    const { client, id } = await start(
      () => {
        throw new Error("secret");
      },
      {},
      { middleware: (_: unknown, next: () => Promise<object>) => next() },
    );
    expect(textOf(await end(client, id))).toBe('Tool "run" failed.');
  });

  it("shows progress as the status, and writes logs to the server's log", async () => {
    const { opened, open } = openGate();
    const logged: unknown[] = [];
    const { client, id } = await start(
      async (ctx) => {
        ctx.progress(1, 5);
        ctx.progress(2, 5, "2 of 5 rooms");
        ctx.log("notice", "packing");
        ctx.detach();
        expect(ctx.session).toBeUndefined();
        await opened;
        await ctx.ask("Go?", GO);
      },
      {},
      { log: (entry: unknown) => logged.push(entry) },
    );
    await expect.poll(async () => (await get(client, id)).statusMessage).toBe("1 of 5");
    await expect.poll(async () => (await get(client, id)).statusMessage, { timeout: 20_000 }).toBe("2 of 5 rooms");
    expect(logged).toEqual([expect.objectContaining({ level: "info", message: "packing", name: "run" })]);
    open();
    expect(await reach(client, id, "input_required")).toMatchObject({ statusMessage: "2 of 5 rooms" });
    expect(client.notifications).toEqual([]);
  });

  it("counts the time limit of its tool per run, without the time of a question", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { opened, open } = openGate();
    const { client, id } = await start(
      async (ctx) => {
        await ctx.ask("Go?", GO);
        open();
        await new Promise(() => {});
      },
      { timeout: 60_000 },
    );
    const hasStatus = (status: string) => vi.waitFor(async () => expect((await get(client, id)).status).toBe(status));
    await hasStatus("input_required");
    await vi.advanceTimersByTimeAsync(120_000);
    expect((await get(client, id)).status).toBe("input_required");
    const on = { action: "accept", content: { on: true } };
    await client.requestOnce("tasks/update", { taskId: id, inputResponses: { q1: on } });
    await opened;
    expect((await get(client, id)).status).toBe("working");
    await vi.advanceTimersByTimeAsync(60_000);
    await hasStatus("completed");
    expect((await get(client, id)).result).toMatchObject({
      isError: true,
      content: [{ text: "The tool did not finish within 60000 ms." }],
    });
  });

  it("is created inside middleware and observers; its runs are seen by observers only", async () => {
    const seen: string[] = [];
    const chains = new Set<string>();
    const { client, id } = await start(
      async (ctx) => {
        await ctx.ask("Go?", GO);
        return ctx.client.info?.name;
      },
      {},
      {
        middleware: (call: { method: string }, next: () => Promise<{ resultType?: string }>) => {
          seen.push(`middleware ${call.method}`);
          return next();
        },
        observe: defineObserver({
          end: ({ method, chain }, { asks, failed }) => {
            if (method === "tools/call") chains.add(chain);
            seen.push(`end ${method} ${asks ? "asks" : failed ? "failed" : "ok"}`);
          },
        }),
      },
    );
    seen.length = 0;
    await reach(client, id, "input_required");
    await expect.poll(() => seen).toContain("end tools/call asks");
    await reply(client, id, { on: true });
    expect(textOf(await end(client, id))).toBe("proffer-testing");
    await expect.poll(() => seen).toContain("end tools/call ok");
    expect(seen).not.toContain("middleware tools/call");
    // The call and its runs belong together.
    expect(chains.size).toBe(1);
  });
});
