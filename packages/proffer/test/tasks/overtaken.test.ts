import { type Context, defineServer, defineTool, field } from "proffer";
import { memoryCluster, type TestClient } from "proffer/testing";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { TaskEngine } from "../../src/features/tasks/engine.ts";
import { engineOf } from "../../src/features/tasks/feature.ts";
import { stateOf } from "../../src/server/server.ts";
import { openGate } from "../gate.ts";
import { begin, connectWithTasks, end, get, reach, reply } from "./desk.ts";

const clients: TestClient[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

/** Nodes whose runs wait at their gates. The queue gives each job to the node that the test names. */
async function serve(handle: (ctx: Context, node: string) => unknown, names = ["a", "b"]) {
  const cluster = memoryCluster();
  const keys = [new Uint8Array(32).fill(7)];
  const nodes = new Map<string, TaskEngine>();
  for (const name of names) {
    const input = { type: "object" } as const;
    const tool = defineTool({ name: "run", task: true, input, handle: (_, ctx) => handle(ctx, name) });
    const queue = { push: () => {}, work: () => ({ stop: async () => {} }) };
    const server = defineServer({
      ...{ name: "overtaken", version: "1", keys, tools: [tool], log: () => {} },
      cluster: { ...cluster, queue },
    });
    clients.push(await connectWithTasks(server));
    nodes.set(name, (await engineOf(stateOf(server))) as TaskEngine);
  }
  const client = clients.at(-names.length) as TestClient;
  const id = await begin(client, "run");
  const engine = (name: string) => nodes.get(name) as TaskEngine;
  return {
    cluster,
    client,
    id,
    engine,
    /** Delivers the wake-up; the first promise resolves when the record shows the run. */
    async deliver(name: string, wakeup = 1): Promise<{ readonly done: Promise<void> }> {
      const epoch = async () => (await cluster.store.read(`overtaken task ${id}`, ["epoch"]))?.epoch;
      const before = await epoch();
      const done = engine(name).deliver(`${id}.${wakeup}`, new AbortController().signal);
      await expect.poll(epoch).not.toBe(before);
      return { done };
    },
  };
}

const textOf = ({ result }: { result?: { content: readonly { text: string }[] } }) => result?.content[0]?.text;
const gatesOf = (...names: string[]) => new Map(names.map((name) => [name, openGate()] as const));

/** Puts the record back as a replica has it that missed the last writes. Returns the function that does. */
async function replicaOf({ cluster, id }: Awaited<ReturnType<typeof serve>>): Promise<() => Promise<void>> {
  const key = `overtaken task ${id}`;
  const fields = (await cluster.store.read(key)) ?? {};
  return async () => {
    await cluster.store.remove(key);
    await cluster.store.change(key, { set: fields, expire: 3_600_000, returning: [] });
  };
}

describe("two runs to which a failover gave one epoch", () => {
  it("see one value of a step that both run, and one of them continues", async () => {
    const gates = gatesOf("a", "b");
    const [began, got]: [string[], string[]] = [[], []];
    const task = await serve(async (ctx, node) => {
      const by = await ctx.step("effect", async () => {
        began.push(node);
        await gates.get(node)?.opened;
        return node;
      });
      got.push(`${node} got ${by}`);
      return by;
    });
    const failOver = await replicaOf(task);
    const first = await task.deliver("a");
    await expect.poll(() => began).toEqual(["a"]);
    await failOver();
    const second = await task.deliver("b");
    await expect.poll(() => began).toEqual(["a", "b"]);
    expect(await task.cluster.store.read(`overtaken task ${task.id}`, ["epoch"])).toEqual({ epoch: "1" });
    gates.get("a")?.open();
    await first.done;
    gates.get("b")?.open();
    await second.done;
    expect(got).toEqual(["b got a"]);
    expect(textOf(await end(task.client, task.id))).toBe("a");
  });

  it("only that counts whose steps the record has", async () => {
    const gates = gatesOf("a", "b");
    const got: string[] = [];
    const task = await serve(async (ctx, node) => {
      const by = await ctx.step("effect", () => node);
      got.push(`${node} got ${by}`);
      await gates.get(node)?.opened;
      return `${by}, then ${await ctx.step("next", () => node)}`;
    });
    const failOver = await replicaOf(task);
    const first = await task.deliver("a");
    await expect.poll(() => got).toEqual(["a got a"]);
    await failOver();
    const second = await task.deliver("b");
    await expect.poll(() => got).toEqual(["a got a", "b got b"]);
    gates.get("a")?.open();
    await first.done;
    expect(task.engine("a").counters).toMatchObject({ refused: 1, completed: 0 });
    gates.get("b")?.open();
    await second.done;
    expect(textOf(await end(task.client, task.id))).toBe("b, then b");
  });

  it("only that counts whose steps the record has, also if another run began later", async () => {
    const gates = gatesOf("a", "b");
    const got: string[] = [];
    const task = await serve(async (ctx, node) => {
      const one = await ctx.step("one", () => node);
      const two = await ctx.step("two", () => node);
      got.push(`${node} got ${one} ${two}`);
      await gates.get(node)?.opened;
      return `${one} ${two} ${await ctx.step("three", () => node)}`;
    });
    const { store } = task.cluster;
    const change = store.change.bind(store);
    let failOver = async () => {};
    let writes = 0;
    vi.spyOn(store, "change").mockImplementation(async (key, wanted) => {
      if (++writes === 3) failOver = await replicaOf(task);
      return change(key, wanted);
    });
    const first = await task.deliver("a");
    await expect.poll(() => got).toEqual(["a got a a"]);
    await failOver();
    const second = await task.deliver("b");
    await expect.poll(() => got).toEqual(["a got a a", "b got a b"]);
    gates.get("a")?.open();
    await first.done;
    gates.get("b")?.open();
    await second.done;
    expect(textOf(await end(task.client, task.id))).toBe("a b b");
  });

  it("are told apart also on one node", async () => {
    const gates = gatesOf("1", "2");
    const got: string[] = [];
    let runs = 0;
    const task = await serve(async (ctx) => {
      const run = String(++runs);
      const by = await ctx.step("effect", () => run);
      got.push(`${run} got ${by}`);
      await gates.get(run)?.opened;
      return `${by}, then ${await ctx.step("next", () => run)}`;
    });
    const failOver = await replicaOf(task);
    const first = await task.deliver("a");
    await expect.poll(() => got).toEqual(["1 got 1"]);
    await failOver();
    const second = await task.deliver("a");
    await first.done;
    await expect.poll(() => got).toEqual(["1 got 1", "2 got 2"]);
    for (const gate of gates.values()) gate.open();
    await second.done;
    expect(textOf(await end(task.client, task.id))).toBe("2, then 2");
  });
});

describe("a run that was overtaken although its node lives", () => {
  it("records the step that it ends first, and the newest run continues with it", async () => {
    const gates = gatesOf("a", "b", "c");
    const [began, got]: [string[], string[]] = [[], []];
    const task = await serve(
      async (ctx, node) => {
        const by = await ctx.step("block", async () => {
          began.push(node);
          await gates.get(node)?.opened;
          return node;
        });
        got.push(`${node} got ${by}`);
        return `${by}, then ${await ctx.step("next", () => node)}`;
      },
      ["a", "b", "c"],
    );
    const runs = [await task.deliver("a"), await task.deliver("b"), await task.deliver("c")];
    await expect.poll(() => began).toEqual(["a", "b", "c"]);
    gates.get("a")?.open();
    await runs[0]?.done;
    // Its step is recorded, so that of the second run is not.
    gates.get("b")?.open();
    await runs[1]?.done;
    expect(got).toEqual([]);
    gates.get("c")?.open();
    await runs[2]?.done;
    expect(textOf(await end(task.client, task.id))).toBe("a, then c");
    expect(got).toEqual(["c got a"]);
    expect(task.engine("a").counters).toMatchObject({ steps: 1, refused: 0 });
    expect(task.engine("b").counters).toMatchObject({ steps: 0, refused: 1 });
  });

  it("leaves its step to a run that begins later", async () => {
    const gates = gatesOf("a", "b", "c");
    const task = await serve(
      (ctx, node) =>
        ctx.step("block", async () => {
          await gates.get(node)?.opened;
          return node;
        }),
      ["a", "b", "c"],
    );
    const first = await task.deliver("a");
    await task.deliver("b");
    gates.get("a")?.open();
    await first.done;
    await (await task.deliver("c")).done;
    expect(textOf(await end(task.client, task.id))).toBe("a");
  });

  it("ends a task without steps, once", async () => {
    const gates = gatesOf("a", "b");
    const task = await serve(async (_, node) => {
      await gates.get(node)?.opened;
      return node;
    });
    const [first, second] = [await task.deliver("a"), await task.deliver("b")];
    gates.get("a")?.open();
    await first.done;
    const done = await end(task.client, task.id);
    expect(textOf(done)).toBe("a");
    gates.get("b")?.open();
    await second.done;
    expect(await get(task.client, task.id)).toEqual(done);
    expect(task.engine("b").counters).toMatchObject({ completed: 0, refused: 1 });
  });

  it("asks, and any run continues after the answer", async () => {
    const gates = gatesOf("a", "b");
    const task = await serve(async (ctx, node) => {
      await gates.get(node)?.opened;
      return `${(await ctx.ask("Go?", { on: field.boolean() })).action} ${node}`;
    });
    const [first, second] = [await task.deliver("a"), await task.deliver("b")];
    gates.get("a")?.open();
    await first.done;
    const { inputRequests } = await reach(task.client, task.id, "input_required");
    gates.get("b")?.open();
    await second.done;
    expect((await get(task.client, task.id)).inputRequests).toEqual(inputRequests);
    await reply(task.client, task.id, { on: true });
    await (await task.deliver("b", 2)).done;
    expect(textOf(await end(task.client, task.id))).toBe("accept b");
  });

  it("writes nothing once the newer run has written: it gets no value, and one result counts", async () => {
    const gates = gatesOf("a", "b");
    const got: string[] = [];
    const task = await serve(async (ctx, node) => {
      if (node === "a") await gates.get("a")?.opened;
      const by = await ctx.step("effect", () => node);
      got.push(`${node} got ${by}`);
      await gates.get(node)?.opened;
      return node;
    });
    const [first, second] = [await task.deliver("a"), await task.deliver("b")];
    await expect.poll(() => got).toEqual(["b got b"]);
    gates.get("a")?.open();
    await first.done;
    expect(task.engine("a").counters).toMatchObject({ steps: 0, refused: 1 });
    gates.get("b")?.open();
    await second.done;
    expect(textOf(await end(task.client, task.id))).toBe("b");
    expect(got).toEqual(["b got b"]);
  });

  it("reports no progress, and still counts", async () => {
    const gates = gatesOf("a", "b");
    const task = await serve(async (ctx, node) => {
      ctx.progress(1, 2, `began on ${node}`);
      await gates.get(node)?.opened;
      ctx.progress(2, 2, `woke up on ${node}`);
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      return node;
    });
    const first = await task.deliver("a");
    await expect.poll(async () => (await get(task.client, task.id)).statusMessage).toBe("began on a");
    const second = await task.deliver("b");
    await expect.poll(async () => (await get(task.client, task.id)).statusMessage).toBe("began on b");
    gates.get("a")?.open();
    const messages = new Set<string | undefined>();
    await expect
      .poll(async () => {
        const { status, statusMessage } = await get(task.client, task.id);
        messages.add(statusMessage);
        return status;
      })
      .toBe("completed");
    expect(messages).not.toContain("woke up on a");
    gates.get("b")?.open();
    await Promise.all([first.done, second.done]);
    expect(textOf(await end(task.client, task.id))).toBe("a");
  });

  it("continues, and does not begin again, if its own node gets the task again", async () => {
    const { opened, open: release } = openGate();
    const began: string[] = [];
    const task = await serve(async (ctx, node) => {
      const by = await ctx.step("block", async () => {
        began.push(node);
        await opened;
        return node;
      });
      return `${by} and ${await ctx.step("next", () => node)}`;
    });
    const runs = [await task.deliver("a")];
    await expect.poll(() => began).toEqual(["a"]);
    for (let time = 0; time < 20; time++) runs.push(await task.deliver("a"));
    release();
    await Promise.all(runs.map(({ done }) => done));
    expect(textOf(await end(task.client, task.id))).toBe("a and a");
    expect(began).toEqual(["a"]);
    expect(task.engine("a").counters).toMatchObject({ runs: 1, restarted: 0, refused: 0 });
  });

  it("begins again if its own node gets the task again and another node has written", async () => {
    const gates = gatesOf("a", "b");
    const effects: string[] = [];
    const task = await serve(async (ctx, node) => {
      if (effects.length === 0 && node === "a") await gates.get("a")?.opened;
      const by = await ctx.step("effect", () => {
        effects.push(node);
        return node;
      });
      if (node === "b") await gates.get("b")?.opened;
      return by;
    });
    const first = await task.deliver("a");
    const second = await task.deliver("b");
    await expect.poll(() => task.engine("b").counters.steps).toBe(1);
    await (await task.deliver("a")).done;
    await first.done;
    expect(textOf(await end(task.client, task.id))).toBe("b");
    for (const gate of gates.values()) gate.open();
    await second.done;
    expect(effects).toEqual(["b"]);
    expect(task.engine("a").counters).toMatchObject({ runs: 2, completed: 1 });
  });

  it.each(["completed", "input_required"])("counts once if the reply to its write is lost: %s", async (status) => {
    const gates = gatesOf("a", "b");
    const task = await serve(async (ctx, node) => {
      await gates.get(node)?.opened;
      return status === "completed" ? node : (await ctx.ask("Go?", { on: field.boolean() })).action;
    });
    const first = await task.deliver("a");
    await task.deliver("b");
    const { store } = task.cluster;
    const change = store.change.bind(store);
    let lost = 0;
    vi.spyOn(store, "change").mockImplementation((key, wanted) => {
      const changed = change(key, wanted);
      const isLate = wanted.set?.status === status && wanted.add?.epoch === 1;
      return isLate && lost++ === 0 ? Promise.reject(new Error("the reply was lost")) : changed;
    });
    gates.get("a")?.open();
    await first.done;
    expect(lost).toBe(2);
    expect(await get(task.client, task.id)).toMatchObject({ status });
    expect(task.engine("a").counters).toMatchObject({ refused: 0, completed: status === "completed" ? 1 : 0 });
  });
});
