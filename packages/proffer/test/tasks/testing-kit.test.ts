import { type Context, defineServer, defineTool, field, type Server, type TaskOption } from "proffer";
import { connect, type DetailedTask, findRepeats, memoryCluster, type TestClient } from "proffer/testing";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openGate } from "../gate.ts";

const clients: TestClient[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  vi.useRealTimers();
});

const GO = { go: field.boolean() };

function serve(handle: (ctx: Context) => unknown, task: true | TaskOption = true, more: object = {}): Server {
  const input = { type: "object" } as const;
  const tool = defineTool({ name: "run", task, input, handle: (_, ctx) => handle(ctx) });
  return defineServer({ name: "kit", version: "1", tools: [tool], log: () => {}, ...more });
}

async function open(...args: Parameters<typeof connect>): Promise<TestClient> {
  const client = await connect(...args);
  clients.push(client);
  return client;
}

describe("call", () => {
  it("polls a task to its end, and answers its questions by the script", async () => {
    const server = serve(async (ctx) => {
      const first = await ctx.ask("First?", GO);
      const second = await ctx.ask("Second?", GO);
      return `${ctx.taskId !== undefined} ${first.action} ${second.action}`;
    });
    const client = await open(server, { answers: [{ go: true }, "decline"] });
    const states: string[] = [];
    const { content } = await client.call("run", {}, { onTask: ({ status }) => states.push(status) });
    expect(content).toEqual([{ type: "text", text: "true accept decline" }]);
    expect(states.filter((status) => status !== "working")).toEqual(["input_required", "input_required", "completed"]);
  });

  it("is an ordinary call for clients without tasks, and on older revisions", async () => {
    const server = serve((ctx) => String(ctx.taskId));
    for (const options of [{ capabilities: {} }, { revision: "2025-11-25" }, { revision: "2024-11-05" }]) {
      const client = await open(server, options);
      expect((await client.call("run")).content).toEqual([{ type: "text", text: "undefined" }]);
    }
  });

  it("answers questions before and after ctx.background()", async () => {
    const server = serve(
      async (ctx) => {
        const before = await ctx.ask("Before?", GO);
        await ctx.background();
        const after = await ctx.ask("After?", GO);
        return `${before.action} ${after.action}`;
      },
      { after: Number.POSITIVE_INFINITY },
    );
    const client = await open(server, { answers: ["decline", "cancel"] });
    expect((await client.call("run")).content).toEqual([{ type: "text", text: "decline cancel" }]);
  });

  it("rejects with the error of a task that failed", async () => {
    const { InvalidParams } = await import("proffer");
    const client = await open(
      serve(() => {
        throw new InvalidParams("Not so.");
      }),
    );
    await expect(client.call("run")).rejects.toMatchObject({ name: "RemoteError", code: -32602, message: "Not so." });
  });

  it("says which question has no answer", async () => {
    const client = await open(serve((ctx) => ctx.ask("Really?", GO)));
    await expect(client.call("run")).rejects.toThrow(/Really\?.*Add one to the answers option/);
  });

  it("cancels the task if its signal aborts", async () => {
    const stop = new AbortController();
    const { opened, open: begun } = openGate();
    let aborted = false;
    const server = serve(
      (ctx) =>
        new Promise(() => {
          ctx.signal.addEventListener("abort", () => {
            aborted = true;
          });
          begun();
        }),
    );
    const client = await open(server);
    const calling = client.call("run", {}, { signal: stop.signal });
    await opened;
    // The answer with the id arrives before the first poll.
    await expect.poll(() => client.transcript.messages("client").some((text) => text.includes("tasks/get"))).toBe(true);
    stop.abort();
    await expect(calling).rejects.toMatchObject({ name: "AbortError" });
    expect(aborted).toBe(true);
  });
});

describe("startTask", () => {
  it("returns a task that a test answers, reads and cancels by hand", async () => {
    const server = serve(async (ctx) => {
      const [one, two] = await Promise.all([ctx.ask("One?", GO), ctx.ask("Two?", { n: field.number() })]);
      return `${one.action} ${two.action}`;
    });
    const client = await open(server);
    const task = await client.startTask("run");
    expect(Object.keys((await task.reach("input_required")).inputRequests ?? {})).toHaveLength(2);
    await expect(task.answer({ go: "perhaps" }, { n: 1 })).rejects.toMatchObject({ code: -32602 });
    await task.answer("decline", { n: 1 });
    expect((await task.result()).content).toEqual([{ type: "text", text: "decline accept" }]);
    expect(await task.get()).toMatchObject({ taskId: task.id, status: "completed" });
    await expect(task.reach("input_required")).rejects.toThrow(
      "The task is completed and cannot become input_required",
    );

    const other = await client.startTask("run");
    await other.cancel();
    await expect(other.result()).rejects.toThrow("The task was cancelled.");
  });

  it("rejects if the server answers without a task", async () => {
    const client = await open(
      serve(() => "fast"),
      { capabilities: {} },
    );
    await expect(client.startTask("run")).rejects.toThrow("The call of run was answered without a task");
  });

  it("can be followed by notifications", async () => {
    const client = await open(serve((ctx) => ctx.ask("Go?", GO)));
    const task = await client.startTask("run");
    const close = await client.listen({ taskIds: [task.id] });
    const asks = (state: object) => (state as DetailedTask).status === "input_required";
    await client.waitFor("notifications/tasks", ({ params }) => asks(params));
    await close.close();
  });
});

describe("crash", () => {
  /** A handler of three steps; the second one of the first run never ends. */
  function serveSteps(task?: TaskOption, more: object = {}) {
    const effects: string[] = [];
    const { opened, open: reached } = openGate();
    const server = serve(
      async (ctx) => {
        const first = await ctx.step("first", (key) => effects.push(`first ${key}`));
        await ctx.step("second", async (key) => {
          effects.push(`second ${key}`);
          if (effects.length > 2) return;
          reached();
          await new Promise(() => {});
        });
        return `${first} ${effects.length}`;
      },
      task ?? true,
      more,
    );
    return { server, effects, reached: opened };
  }

  it.each([
    ["a task", undefined],
    ["a call that became a task on the way", { after: 1 }],
  ])("continues %s from its last recorded step, with the same keys", async (_, option) => {
    const { server, effects, reached } = serveSteps(option);
    const client = await open(server);
    const task = await client.startTask("run");
    await reached;
    await client.crash();
    expect((await task.result()).content).toEqual([{ type: "text", text: "1 3" }]);
    expect(effects.map((effect) => effect.split(" ")[0])).toEqual(["first", "second", "second"]);
    expect(effects[1]).toBe(effects[2]);
  });

  it("needs no real time, and call() goes on polling", async () => {
    const { server, reached } = serveSteps();
    const client = await open(server);
    vi.useFakeTimers();
    const calling = client.call("run");
    await reached;
    await client.crash();
    expect((await calling).content).toEqual([{ type: "text", text: "1 3" }]);
  });

  it("keeps a task that waits for an answer", async () => {
    const client = await open(serve(async (ctx) => (await ctx.ask("Go?", GO)).action));
    const task = await client.startTask("run");
    await task.reach("input_required");
    await client.crash();
    await task.answer({ go: true });
    expect((await task.result()).content).toEqual([{ type: "text", text: "accept" }]);
  });

  it("lets another node of a memory cluster take over", async () => {
    const cluster = memoryCluster();
    const keys = [new Uint8Array(32).fill(7)];
    const { opened, open: reached } = openGate();
    const node = (name: string) =>
      serve(
        async (ctx) => {
          const by = await ctx.step("first", () => name);
          if (name === "a") {
            reached();
            await new Promise(() => {});
          }
          return `${by} ${name}`;
        },
        true,
        { cluster, keys },
      );
    const client = await open(node("a"));
    const task = await client.startTask("run");
    await opened;
    await open(node("b"));
    await client.crash();
    expect((await task.result()).content).toEqual([{ type: "text", text: "a b" }]);
  });

  it.each(["2026-07-28", "2025-11-25"])("loses ordinary calls, and the client goes on (%s)", async (revision) => {
    const { opened, open: begun } = openGate();
    const hang = defineTool({
      name: "hang",
      handle: () => {
        begun();
        return new Promise(() => {});
      },
    });
    const add = defineTool({ name: "add", handle: () => "5" });
    const client = await open(defineServer({ name: "s", version: "1", tools: [hang, add] }), { revision });
    const lost = client.call("hang");
    await opened;
    const rejected = expect(lost).rejects.toMatchObject({ name: "LostRequest" });
    await client.crash();
    await rejected;
    expect((await client.call("add")).content).toEqual([{ type: "text", text: "5" }]);
  });
});

describe("fake timers", () => {
  it("let minutes of work and the life of a task pass at once", async () => {
    const client = await open(
      serve(
        async (ctx) => {
          await ctx.step("wait", () => new Promise((resolve) => setTimeout(resolve, 600_000)));
          return "done";
        },
        { ttl: 60_000 },
      ),
    );
    vi.useFakeTimers();
    const task = await client.startTask("run");
    await vi.advanceTimersByTimeAsync(300_000);
    expect(await task.get()).toMatchObject({ status: "working" });
    await vi.advanceTimersByTimeAsync(300_000);
    expect((await task.result()).content).toEqual([{ type: "text", text: "done" }]);
    await vi.advanceTimersByTimeAsync(60_000);
    await expect(task.get()).rejects.toMatchObject({ code: -32602 });
  });
});

it("findRepeats finds effects that happen again in the next run of a task", async () => {
  const effects: string[] = [];
  const server = serve(async (ctx) => {
    effects.push("naked");
    await ctx.step("once", () => effects.push("step"));
    return (await ctx.ask("Go?", GO)).action;
  });
  const repeats = await findRepeats(server, "run", { answers: ["decline"], effects: () => effects });
  expect(repeats).toEqual([{ effect: "naked", rounds: [1, 2] }]);
});
