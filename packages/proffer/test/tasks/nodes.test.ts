import { type Context, defineServer, defineTool, field, type Server, type ServerOptions } from "proffer";
import { serveHttp } from "proffer/http";
import { memoryCluster, type TestClient } from "proffer/testing";
import { afterEach, describe, expect, it, vi } from "vitest";
import { engineOf } from "../../src/features/tasks/feature.ts";
import { overrideOptions } from "../../src/server/overrides.ts";
import { stateOf } from "../../src/server/server.ts";
import { openGate } from "../gate.ts";
import { modern, postModern } from "../http/http-client.ts";
import { begin, connectWithTasks, DECLARED, end, get, reach, refused, reply } from "./desk.ts";

const KEY = new Uint8Array(32).fill(7);
const GO = { on: field.boolean() };

type Handle = (ctx: Context, node: string) => unknown;

/** Several nodes of one server, which share memory. The first one creates the tasks. */
function serveNodes(handle: Handle, names = ["a", "b"], options: Partial<ServerOptions> = {}) {
  const cluster = memoryCluster();
  const node = (name: string, keys = [KEY]): Server => {
    const input = { type: "object" } as const;
    const tool = defineTool({ name: "run", task: true, input, handle: (_, ctx) => handle(ctx, name) });
    return defineServer({ name: "nodes", version: "1", keys, cluster, tools: [tool], log: () => {}, ...options });
  };
  return { cluster, node, nodes: names.map((name) => node(name)) as [Server, Server] };
}

const clients: TestClient[] = [];

async function open(server: Server, options = {}): Promise<TestClient> {
  const client = await connectWithTasks(server, options);
  clients.push(client);
  return client;
}

/** Stops a node: its running tasks are handed over at once. */
async function stop(server: Server): Promise<void> {
  await (await engineOf(stateOf(server))).stop(0);
}

afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

const textOf = ({ result }: { result?: { content: readonly { text: string }[] } }) => result?.content[0]?.text;
const UNKNOWN = {
  code: -32602,
  message: "Unknown task: it does not exist, has expired, or belongs to another caller.",
};

describe("tasks on several nodes", () => {
  it("are created on one node, answered on another, and read on any", async () => {
    const { nodes } = serveNodes(async (ctx) => {
      const answer = await ctx.ask("Go?", GO);
      return JSON.stringify(answer);
    });
    const [one, two] = [await open(nodes[0]), await open(nodes[1])];
    const id = await begin(one, "run");
    await reply(two, id, { on: true });
    expect(textOf(await end(one, id))).toContain('"on":true');
    expect(await get(two, id)).toEqual(await get(one, id));
  });

  it("continue from the last recorded step if their node stops", async () => {
    const { opened, open: release } = openGate();
    const effects: string[] = [];
    const { nodes } = serveNodes(async (ctx, node) => {
      await ctx.step("first", (key) => void effects.push(`first ${node} ${key}`));
      await ctx.step("second", async (key) => {
        effects.push(`second ${node} ${key}`);
        if (node === "a") await opened;
      });
      return node;
    });
    const one = await open(nodes[0]);
    const id = await begin(one, "run");
    await expect.poll(() => effects.length).toBe(2);
    const two = await open(nodes[1]);
    await stop(nodes[0]);
    expect(textOf(await end(two, id))).toBe("b");
    release();
    expect(effects.map((line) => line.slice(0, -52).trim())).toEqual(["first a", "second a", "second b"]);
    const keys = effects.map((line) => line.split(" ")[2]);
    expect(keys[1]).toBe(keys[2]);
    expect((await engineOf(stateOf(nodes[1]))).counters).toMatchObject({ runs: 1, completed: 1 });
  });

  it("are handed over by a node that is closed, after its drain time", async () => {
    const { nodes } = serveNodes(async (ctx, node) => {
      await ctx.step("first", () => node);
      if (node === "a") await new Promise(() => {});
      return `done by ${node}`;
    });
    const service = await serveHttp(nodes[0], { port: 0 });
    const created = await postModern(service.url, modern("tools/call", { name: "run" }, DECLARED));
    const id = created.json.result.taskId;
    await expect.poll(async () => (await engineOf(stateOf(nodes[0]))).counters.steps).toBe(1);
    const two = await open(nodes[1]);
    await service.close(100);
    expect(textOf(await end(two, id))).toBe("done by b");
  });

  it("show their progress after the clock was set back", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { nodes } = serveNodes(async (ctx) => {
      for (let step = 0; ; step++) {
        ctx.progress(step, undefined, step === 0 ? "begun" : "goes on");
        if (step === 0) vi.setSystemTime(Date.now() - 3_600_000);
        await new Promise((resolve) => setTimeout(resolve, 50));
        if (ctx.signal.aborted) return "";
      }
    });
    const one = await open(nodes[0]);
    const id = await begin(one, "run");
    await expect.poll(async () => (await get(one, id)).statusMessage).toBe("goes on");
    await one.requestOnce("tasks/cancel", { taskId: id });
  });

  it("end if their time to live is no number", async () => {
    const { nodes, cluster } = serveNodes((_, node) => node, ["a"]);
    const push = vi.spyOn(cluster.queue, "push").mockImplementation(() => {});
    const one = await open(nodes[0]);
    const id = await begin(one, "run");
    const record = `nodes task ${id}`;
    await cluster.store.change(record, { set: { ttl: "forever" }, returning: [] });
    push.mockRestore();
    await cluster.queue.push(`${id}.1`, "nodes");
    await expect.poll(() => cluster.store.read(record, [])).toBeUndefined();
  });

  it("are worked on by nodes that only work, and not by nodes that only serve", async () => {
    const { nodes } = serveNodes((_, node) => node);
    overrideOptions(nodes[0], { tasks: "serve" });
    const one = await open(nodes[0]);
    const id = await begin(one, "run");
    expect(await get(one, id)).toMatchObject({ status: "working" });
    await open(nodes[1]);
    expect(textOf(await end(one, id))).toBe("b");
  });

  it("are cancelled on whichever node they run", async () => {
    const aborted: string[] = [];
    const { nodes } = serveNodes((ctx, node) => {
      ctx.signal.addEventListener("abort", () => aborted.push(node));
      return new Promise(() => {});
    });
    const one = await open(nodes[0]);
    const id = await begin(one, "run");
    const two = await open(nodes[1]);
    await expect.poll(async () => (await engineOf(stateOf(nodes[0]))).counters.runs).toBe(1);
    await two.requestOnce("tasks/cancel", { taskId: id });
    expect(await get(one, id)).toMatchObject({ status: "cancelled" });
    expect(aborted).toEqual(["a"]);
  });

  it("end once although wake-ups come late, twice, or never", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const runs: string[] = [];
    const { nodes, cluster } = serveNodes(async (ctx, node) => {
      runs.push(node);
      await ctx.ask("Go?", GO);
      return node;
    });
    const push = vi.spyOn(cluster.queue, "push").mockImplementation(() => {});
    const one = await open(nodes[0]);
    const id = await begin(one, "run");
    expect(await get(one, id)).toMatchObject({ status: "working" });
    push.mockRestore();
    expect(await get(one, id)).toMatchObject({ status: "working" });
    expect(runs).toEqual([]);
    // The wake-up is lost; a poll after the time of a lock repeats it.
    vi.setSystemTime(Date.now() + 21_000);
    await reach(one, id, "input_required");
    await cluster.queue.push(`${id}.1`, "nodes");
    await cluster.queue.push(`${id}.7`, "nodes");
    await reply(one, id, { on: true });
    const done = await end(one, id);
    for (const wakeup of [1, 2, 3]) await cluster.queue.push(`${id}.${wakeup}`, "nodes");
    await new Promise((resolve) => setImmediate(resolve));
    expect(await get(one, id)).toEqual(done);
    expect(runs).toHaveLength(2);
  });

  it("are not disturbed by an earlier wake-up while they run", async () => {
    const { opened, open: release } = openGate();
    const { nodes } = serveNodes(async (ctx) => {
      await ctx.ask("Go?", GO);
      await opened;
      return "done";
    });
    const one = await open(nodes[0]);
    const id = await begin(one, "run");
    await reply(one, id, { on: true });
    const engine = await engineOf(stateOf(nodes[0]));
    await expect.poll(() => engine.counters.runs).toBe(2);
    await engine.deliver(`${id}.1`, new AbortController().signal);
    expect(engine.counters).toMatchObject({ runs: 2, restarted: 0 });
    release();
    expect(textOf(await end(one, id))).toBe("done");
  });

  it("take the answers of two updates at once, and each key once", async () => {
    const { nodes } = serveNodes(async (ctx) => {
      const answers = await Promise.all(["a", "b", "c"].map((name) => ctx.ask(name, { it: field.text() })));
      return answers.map((answer) => (answer.action === "accept" ? answer.content.it : "")).join(" ");
    });
    const [one, two] = [await open(nodes[0]), await open(nodes[1])];
    const id = await begin(one, "run");
    await reach(one, id, "input_required");
    const answer = (client: TestClient, keys: readonly string[], it: string) => {
      const inputResponses = Object.fromEntries(keys.map((key) => [key, { action: "accept", content: { it } }]));
      return client.requestOnce("tasks/update", { taskId: id, inputResponses });
    };
    await Promise.all([answer(one, ["q1", "q2"], "one"), answer(two, ["q2", "q3"], "two")]);
    expect(textOf(await end(one, id))).toMatch(/^one (one|two) two$/);
  });

  it("end once if an update, a cancellation and the end race", async () => {
    const { nodes } = serveNodes(async (ctx) => {
      await ctx.ask("Go?", GO);
      return "done";
    });
    const [one, two] = [await open(nodes[0]), await open(nodes[1])];
    for (let round = 0; round < 20; round++) {
      const id = await begin(one, "run");
      await reach(one, id, "input_required");
      await Promise.all([
        reply(one, id, { on: true }),
        round % 2 === 0 ? undefined : new Promise((resolve) => setImmediate(resolve)),
        two.requestOnce("tasks/cancel", { taskId: id }),
      ]).catch(() => undefined);
      const done = await end(two, id);
      await new Promise((resolve) => setImmediate(resolve));
      expect(await get(one, id)).toEqual(done);
    }
  });

  it("fail after 10 runs without progress", async () => {
    let runs = 0;
    const { nodes } = serveNodes(() => {
      runs++;
      return new Promise(() => {});
    });
    const one = await open(nodes[0]);
    const id = await begin(one, "run");
    const engine = await engineOf(stateOf(nodes[0]));
    for (let run = 1; run <= 10; run++) {
      await expect.poll(() => runs).toBe(run);
      await engine.crash();
    }
    expect(await end(one, id)).toMatchObject({
      status: "failed",
      error: { code: -32603, message: "The task ended after 10 runs without a new answer or step (limits.taskRuns)." },
    });
    expect(runs).toBe(10);
  });

  it.each([
    ["fail after 10 processes that an exception ended", true],
    ["go on after any number of nodes that were stopped", false],
  ])("%s", async (_, failing) => {
    let runs = 0;
    const { node } = serveNodes(() => {
      runs++;
      return runs > 12 ? "done" : new Promise(() => {});
    });
    const front = node("front");
    overrideOptions(front, { tasks: "serve" });
    const client = await open(front);
    const id = await begin(client, "run");
    for (let run = 1; run <= (failing ? 10 : 12); run++) {
      const server = node(`${run}`);
      await open(server);
      await expect.poll(() => runs).toBe(run);
      overrideOptions(server, { failing });
      await stop(server);
    }
    await open(node("last"));
    const message = expect.stringContaining("10 runs without a new answer or step");
    const expected = failing ? { status: "failed", error: { message } } : { status: "completed" };
    expect(await end(client, id)).toMatchObject(expected);
  });

  it("fail if their tool is gone, or asks something else after a deployment", async () => {
    const { nodes, node } = serveNodes(async (ctx, name) => {
      await ctx.ask(name === "new" ? "Something else?" : "Go?", GO);
      return name;
    });
    const one = await open(nodes[0]);
    const ids = [await begin(one, "run"), await begin(one, "run")];
    for (const id of ids) await reach(one, id, "input_required");
    await stop(nodes[0]);
    await stop(nodes[1]);
    const next = await open(node("new"));
    await next.requestOnce("tasks/update", { taskId: ids[0], inputResponses: { q1: { action: "decline" } } });
    expect(await end(next, ids[0] as string)).toMatchObject({
      status: "failed",
      error: { code: -32603, message: "The tool no longer asks a question that was already answered." },
    });
    const bare = node("bare");
    const last = await open(bare);
    await stop(node("new"));
    bare.tools.remove("run");
    await next.close();
    await last.requestOnce("tasks/update", { taskId: ids[1], inputResponses: { q1: { action: "decline" } } });
    expect(await end(last, ids[1] as string)).toMatchObject({ status: "failed" });
  });
});

describe("the record of a task", () => {
  const fieldsOf = async (cluster: ReturnType<typeof memoryCluster>, id: string) =>
    (await cluster.store.read(`nodes task ${id}`)) ?? {};

  it("holds nothing of the caller, the questions or the result in plain text", async () => {
    const { nodes, cluster } = serveNodes(async (ctx) => {
      await ctx.step("step", () => "secret step");
      ctx.progress(1, 1, "secret progress");
      await ctx.ask("secret question", GO);
      return "secret result";
    });
    const one = await open(nodes[0], { principal: { id: "secret-principal", token: "secret-token" } });
    const id = await begin(one, "run", { hint: "secret argument" });
    expect(JSON.stringify(await reach(one, id, "input_required"))).toContain("secret question");
    const parked = JSON.stringify(await fieldsOf(cluster, id));
    await reply(one, id, { on: true });
    expect(textOf(await end(one, id))).toBe("secret result");
    const stored = parked + JSON.stringify(await fieldsOf(cluster, id));
    expect(stored).toContain("input_required");
    expect(stored).not.toMatch(/secret|proffer-testing|elicitation/);
  });

  it.each(["head", "call", "questions", "result"])("that was tampered with is not used: %s", async (name) => {
    const { nodes, cluster } = serveNodes(async (ctx) => {
      await ctx.ask("Go?", GO);
      return "done";
    });
    const one = await open(nodes[0]);
    const [id, other] = [await begin(one, "run"), await begin(one, "run")];
    for (const each of [id, other]) await reach(one, each, "input_required");
    if (name === "result") for (const each of [id, other]) await reply(one, each, { on: true });
    if (name === "result") for (const each of [id, other]) await end(one, each);
    // A value that is authentic in another record.
    const foreign = (await fieldsOf(cluster, other))[name] as string;
    await cluster.store.change(`nodes task ${id}`, { set: { [name]: foreign } });
    if (name !== "call") {
      expect(await refused(get(one, id))).toMatchObject(UNKNOWN);
      return;
    }
    await reply(one, id, { on: true });
    expect(await end(one, id)).toMatchObject({ status: "failed", error: { code: -32603 } });
  });

  it("is unknown if its key was removed, and readable while the key still opens", async () => {
    const { nodes, node } = serveNodes(async () => "done");
    const one = await open(nodes[0]);
    const id = await begin(one, "run");
    await end(one, id);
    const fresh = new Uint8Array(32).fill(8);
    expect(textOf(await get(await open(node("c", [fresh, KEY])), id))).toBe("done");
    expect(await refused(get(await open(node("d", [fresh])), id))).toMatchObject(UNKNOWN);
  });

  it("is left alone by a run whose store is out of reach, which another run repeats", async () => {
    const { nodes, cluster } = serveNodes(async (ctx) => ctx.step("once", () => "value"));
    const one = await open(nodes[0]);
    const change = cluster.store.change.bind(cluster.store);
    let failures = 3;
    vi.spyOn(cluster.store, "change").mockImplementation((key, wanted) => {
      if (wanted.setOnce !== undefined && failures-- > 0) throw new Error("out of reach");
      return change(key, wanted);
    });
    const id = await begin(one, "run");
    expect(textOf(await end(one, id))).toBe("value");
  });
});
