import { type Context, defineServer, defineTool, field, InvalidParams, type Server } from "proffer";
import { memoryCluster, type TestClient } from "proffer/testing";
import { afterEach, describe, expect, it, vi } from "vitest";
import { engineOf } from "../../src/features/tasks/feature.ts";
import { stateOf } from "../../src/server/server.ts";
import { openGate } from "../gate.ts";
import { connectWithTasks, end, reach, refused, reply } from "./desk.ts";

const KEYS = [new Uint8Array(32).fill(7)];
const GO = { on: field.boolean() };
const clients: TestClient[] = [];

function serve(after: number, handle: (ctx: Context) => unknown, cluster = memoryCluster()): Server {
  const tools = [defineTool({ name: "run", task: { after }, handle: (_, ctx) => handle(ctx) })];
  return defineServer({ name: "after", version: "1", keys: KEYS, cluster, tools, log: () => {} });
}

async function open(server: Server): Promise<TestClient> {
  const client = await connectWithTasks(server);
  clients.push(client);
  return client;
}

const call = (client: TestClient, options = {}) => client.requestOnce("tools/call", { name: "run" }, options);
const textOf = ({ result }: { result?: { content: readonly { text: string }[] } }) => result?.content[0]?.text;

afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

describe("a tool that becomes a task after some time", () => {
  it("answers plainly if it is faster, with progress on the way", async () => {
    const cluster = memoryCluster();
    const changed = vi.spyOn(cluster.store, "change");
    const client = await open(
      serve(
        60_000,
        async (ctx) => {
          ctx.progress(1, 2);
          const value = await ctx.step("step", () => 7);
          return `${value} ${ctx.taskId}`;
        },
        cluster,
      ),
    );
    const progress: unknown[] = [];
    const result = await call(client, { onProgress: (each: object) => progress.push(each) });
    expect(result).toMatchObject({ resultType: "complete", content: [{ text: "7 undefined" }] });
    expect(progress).toMatchObject([{ progress: 1, total: 2 }]);
    expect(changed).not.toHaveBeenCalled();
  });

  it("answers with its error plainly", async () => {
    const client = await open(
      serve(60_000, async () => {
        throw new InvalidParams("No.", { why: 1 });
      }),
    );
    expect(await refused(call(client))).toMatchObject({ code: -32602, message: "No.", data: { why: 1 } });
  });

  it("goes on in the same run when the time is up, and records the steps so far", async () => {
    const gate = openGate();
    const runs: string[] = [];
    const client = await open(
      serve(20, async (ctx) => {
        runs.push("run");
        await ctx.step("before", () => void runs.push("before"));
        await ctx.step("across", () => gate.opened.then(() => void runs.push("across")));
        runs.push(`task ${ctx.taskId !== undefined}`);
        await ctx.ask("Go?", GO);
        await ctx.step("after", () => void runs.push("after"));
        return "done";
      }),
    );
    const created = await call(client);
    expect(created).toMatchObject({ resultType: "task", status: "working" });
    const id = created.taskId as string;
    gate.open();
    await reach(client, id, "input_required");
    expect(runs).toEqual(["run", "before", "across", "task true"]);
    await reply(client, id, { on: true });
    expect(textOf(await end(client, id))).toBe("done");
    expect(runs).toEqual(["run", "before", "across", "task true", "run", "task true", "after"]);
  });

  it("becomes a task with its first question, or at ctx.background()", async () => {
    const asking = await open(
      serve(60_000, async (ctx) => {
        const answer = await ctx.ask("Go?", GO);
        return answer.action;
      }),
    );
    const asked = await call(asking);
    expect(asked).toMatchObject({ resultType: "task" });
    await reply(asking, asked.taskId as string, { on: true });
    expect(textOf(await end(asking, asked.taskId as string))).toBe("accept");
    const leaving = await open(
      serve(60_000, async (ctx) => {
        const before = ctx.taskId;
        await ctx.background();
        return `${before} ${ctx.taskId !== undefined}`;
      }),
    );
    const left = await call(leaving);
    expect(left).toMatchObject({ resultType: "task" });
    expect(textOf(await end(leaving, left.taskId as string))).toBe("undefined true");
  });

  it("is aborted by its client before it is a task, and by a cancellation afterwards", async () => {
    const aborted: string[] = [];
    const started = openGate();
    const handle = (ctx: Context) => {
      ctx.signal.addEventListener("abort", () => aborted.push(ctx.signal.reason.message));
      started.open();
      return new Promise(() => {});
    };
    const slow = await open(serve(60_000, handle));
    const stop = new AbortController();
    const called = call(slow, { signal: stop.signal });
    await started.opened;
    stop.abort(new Error("stopped"));
    await expect(called).rejects.toThrow("stopped");
    await expect.poll(() => aborted).toEqual(["The client cancelled the request."]);
    const quick = await open(serve(5, handle));
    const { taskId } = await call(quick);
    await quick.requestOnce("tasks/cancel", { taskId });
    expect(aborted[1]).toBe("The task was cancelled.");
  });

  it("continues on another node if its node stops", async () => {
    const cluster = memoryCluster();
    const effects: string[] = [];
    const handle = (name: string) => async (ctx: Context) => {
      await ctx.step("first", () => void effects.push(`first ${name}`));
      if (name === "a") await new Promise(() => {});
      return name;
    };
    const [a, b] = [serve(20, handle("a"), cluster), serve(20, handle("b"), cluster)];
    const one = await open(a);
    const { taskId } = await call(one);
    const two = await open(b);
    await (await engineOf(stateOf(a))).stop(0);
    expect(textOf(await end(two, taskId as string))).toBe("b");
    expect(effects).toEqual(["first a"]);
  });

  it("goes on plainly if no task can be created", async () => {
    const cluster = memoryCluster();
    cluster.store.change = () => {
      throw new Error("out of reach");
    };
    const gate = openGate();
    const server = serve(5, () => gate.opened.then(() => "plain"), cluster);
    const client = await open(server);
    const called = call(client);
    setTimeout(() => gate.open(), 50);
    expect(await called).toMatchObject({ resultType: "complete", content: [{ text: "plain" }] });
  });
});
