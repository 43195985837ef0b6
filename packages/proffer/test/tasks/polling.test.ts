import {
  type Context,
  defineServer,
  defineTool,
  field,
  image,
  type JsonSchemaObject,
  result,
  type Server,
  type TaskOption,
} from "proffer";
import { serveHttp } from "proffer/http";
import { type ConnectOptions, connect, memoryCluster, type TestClient } from "proffer/testing";
import { afterEach, describe, expect, it, vi } from "vitest";
import { PROFILES } from "../../../cli/src/profiles/table.ts";
import { engineOf } from "../../src/features/tasks/feature.ts";
import { CALL_LIMITS } from "../../src/features/tasks/polling.ts";
import { stateOf } from "../../src/server/server.ts";
import { openGate } from "../gate.ts";
import { modern, modernHeaders, postModern } from "../http/http-client.ts";
import { EVERY } from "../versions.ts";
import { begin, connectWithTasks, end } from "./desk.ts";

const KEYS = [new Uint8Array(32).fill(7)];
const FORMS = { elicitation: { form: {} } };
const STILL = /^Still running\. Task ([\w-]{24})/;
const clients: TestClient[] = [];

/** A server whose tool answers plainly within 20 ms. */
function serve(
  handle: (ctx: Context) => unknown,
  cluster = memoryCluster(),
  options: { readonly task?: TaskOption; readonly output?: JsonSchemaObject } = {},
): Server {
  const task = { after: 20, polling: "always" } as const;
  const tools = [defineTool({ name: "pack", task, ...options, handle: (_, ctx) => handle(ctx) as never })];
  return defineServer({ name: "movers", version: "1", keys: KEYS, cluster, tools, log: () => {} });
}

async function open(server: Server, options: ConnectOptions = {}): Promise<TestClient> {
  // By default, the client of the testing kit declares tasks.
  const client = await connect(server, { capabilities: {}, ...options });
  clients.push(client);
  return client;
}

const textOf = (called: { readonly content: readonly object[] }) => (called.content[0] as { text: string }).text;
const namesOf = async (client: TestClient) => (await client.listTools()).map(({ name }) => name);

/** Calls the tool, and returns the id in its answer. */
async function start(client: TestClient): Promise<string> {
  const text = textOf(await client.call("pack"));
  expect(text).toMatch(STILL);
  return STILL.exec(text)?.[1] as string;
}

afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

describe.each(EVERY)("a client without tasks, on %s", (revision) => {
  it("gets the plain result of short work", async () => {
    const client = await open(
      serve(() => "packed"),
      { revision },
    );
    expect((await client.call("pack")).content).toEqual([{ type: "text", text: "packed" }]);
    expect(await namesOf(client)).toEqual(["pack", "task_status", "task_cancel"]);
  });

  it("gets an id for long work, its progress, and then exactly the result", async () => {
    const gate = openGate();
    const picture = { type: "image", data: "AAAA", mimeType: "image/png" };
    const output = { type: "object", properties: { rooms: { type: "integer" } } } as const;
    const handle = async (ctx: Context) => {
      ctx.progress(3, 5, "3 of 5 rooms packed.");
      await gate.opened;
      return result({ rooms: 5 }, { content: image("AAAA", "image/png") });
    };
    const cluster = memoryCluster();
    const client = await open(serve(handle, cluster, { output }), { revision });
    expect((await client.listTools())[0]).not.toHaveProperty("outputSchema");
    const id = await start(client);
    const waiting = client.call("task_status", { id });
    gate.open();
    const native = await connectWithTasks(serve(() => "", cluster));
    const { result: kept } = await end(native, id);
    const { structuredContent, ...rest } = await waiting;
    expect({ content: rest.content, isError: rest.isError }).toEqual({ content: kept?.content, isError: undefined });
    if (revision >= "2025-06-18") expect(structuredContent).toEqual({ rooms: 5 });
    expect(await client.call("task_status", { id })).toMatchObject({ content: [picture] });
    await native.close();
  });

  it("is asked the question of a task in its own way", async () => {
    const handle = async (ctx: Context) => JSON.stringify(await ctx.ask("Which van?", { van: field.text() }));
    const answers = vi.fn(() => ({ action: "accept" as const, content: { van: "red" } }));
    const task = { after: 60_000, polling: "always" } as const;
    const client = await open(serve(handle, memoryCluster(), { task }), { revision, answers, capabilities: FORMS });
    const called = await client.call("pack");
    if (revision < "2025-06-18") {
      expect(called).toMatchObject({ isError: true });
      return;
    }
    expect(textOf(called)).toBe('{"action":"accept","content":{"van":"red"}}');
    expect(answers).toHaveBeenCalledOnce();
  });
});

describe("a task that a client polls", () => {
  it("belongs to its caller: one text for foreign, unknown and expired ids", async () => {
    const gate = openGate();
    const server = serve(() => gate.opened);
    const ada = await open(server, { principal: { id: "ada" } });
    const eve = await open(server, { principal: { id: "eve" } });
    const id = await start(ada);
    for (const name of ["task_status", "task_cancel"]) {
      const [foreign, unknown] = [await eve.call(name, { id }), await eve.call(name, { id: "x".repeat(24) })];
      expect(foreign).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("Unknown task") }] });
      expect(foreign.content).toEqual(unknown.content);
    }
    gate.open();
    expect((await ada.call("task_status", { id })).isError).toBeUndefined();
  });

  it("is cancelled, and a later result is dropped", async () => {
    const gate = openGate();
    const client = await open(serve(async (ctx) => ctx.step("load", () => gate.opened.then(() => "loaded"))));
    const id = await start(client);
    expect(textOf(await client.call("task_cancel", { id }))).toContain("Cancelled.");
    gate.open();
    expect(await client.call("task_status", { id })).toMatchObject({ isError: true });
    expect(textOf(await client.call("task_cancel", { id }))).toBe("The task had ended: cancelled.");
  });

  it("reports its failure", async () => {
    const gate = openGate();
    const handle = async () => {
      await gate.opened;
      throw new Error("secret");
    };
    const client = await open(serve(handle));
    const id = await start(client);
    gate.open();
    const failed = await client.call("task_status", { id });
    expect({ isError: failed.isError, text: textOf(failed) }).toEqual({ isError: true, text: 'Tool "pack" failed.' });
  });

  it("waits as long as the client permits, with progress, and says what to do next", async () => {
    vi.useFakeTimers();
    const gate = openGate();
    const handle = async (ctx: Context) => {
      ctx.progress(1, 5);
      await gate.opened;
    };
    const client = await open(serve(handle, memoryCluster(), { task: { polling: "auto" } }), {
      info: { name: "Zed", version: "1" },
    });
    const called = client.call("pack");
    await vi.advanceTimersByTimeAsync(19_000);
    let text = "";
    void called.then((answer) => {
      text = textOf(answer);
    });
    await vi.advanceTimersByTimeAsync(1_500);
    const id = STILL.exec(text)?.[1] as string;
    expect(text).toContain("Call task_status with this id to wait for the result. Do not call pack again");
    const progress: unknown[] = [];
    const status = client.call("task_status", { id }, { onProgress: (each) => progress.push(each) });
    await vi.advanceTimersByTimeAsync(46_000);
    expect(textOf(await status)).toContain("1 of 5");
    expect(progress).not.toEqual([]);
    gate.open();
  });

  it("is joined by the same call of a client that gave up before it got the id", async () => {
    const gate = openGate();
    const handle = vi.fn(() => gate.opened.then(() => "packed"));
    const cluster = memoryCluster();
    const one = serve(handle, cluster, { task: { after: 60_000, polling: "always" } });
    const two = serve(handle, cluster, { task: { after: 60_000, polling: "always" } });
    const ada = await open(one, { principal: { id: "ada" } });
    const abort = new AbortController();
    const gone = ada.call("pack", {}, { signal: abort.signal });
    await expect.poll(() => handle.mock.calls.length).toBe(1);
    abort.abort();
    await expect(gone).rejects.toThrow();
    const metrics = () => (one.metrics().tasks as { created?: number } | undefined)?.created;
    await expect.poll(metrics).toBe(1);
    // On another node, and for nobody else.
    const eve = await open(two, { principal: { id: "eve" } });
    void eve.call("pack").catch(() => {});
    await expect.poll(() => handle.mock.calls.length).toBe(2);
    const again = (await open(two, { principal: { id: "ada" } })).call("pack");
    gate.open();
    expect(textOf(await again)).toBe("packed");
    expect(handle).toHaveBeenCalledTimes(2);
  });

  it("ends with a call that its caller could not repeat", async () => {
    const gate = openGate();
    let signal: AbortSignal | undefined;
    const server = serve(
      (ctx) => {
        signal = ctx.signal;
        return gate.opened;
      },
      memoryCluster(),
      { task: { after: 60_000, polling: "auto" } },
    );
    const service = await serveHttp(server, { port: 0 });
    const abort = new AbortController();
    const call = modern("tools/call", { name: "pack" });
    const headers = { ...modernHeaders(call), "content-type": "application/json" } as Record<string, string>;
    const sent = fetch(service.url, { method: "POST", headers, body: JSON.stringify(call), signal: abort.signal });
    await expect.poll(() => signal).toBeDefined();
    abort.abort();
    await expect(sent).rejects.toThrow();
    await expect.poll(() => signal?.aborted).toBe(true);
    expect(server.metrics().tasks).toMatchObject({ created: 0 });
    gate.open();
    await service.close();
  });

  it("goes on, on another node, if its own stops", async () => {
    const gate = openGate();
    const cluster = memoryCluster();
    const [one, two] = [
      serve(() => gate.opened.then(() => "packed"), cluster),
      serve(() => "packed elsewhere", cluster),
    ];
    const id = await start(await open(one));
    const client = await open(two);
    await client.call("task_status", { id: "x".repeat(24) });
    await (await engineOf(stateOf(one))).stop(0);
    expect(textOf(await client.call("task_status", { id }))).toBe("packed elsewhere");
    gate.open();
  });

  it("does not hold up a server that stops", async () => {
    const gate = openGate();
    const server = serve(() => gate.opened);
    const client = await open(server);
    const id = await start(client);
    const engine = await engineOf(stateOf(server));
    const waits = Array.from({ length: 100 }, () => client.call("task_status", { id }));
    await expect.poll(() => engine.waits.size).toBe(100);
    await engine.stop(0);
    for (const wait of waits) expect(textOf(await wait)).toMatch(STILL);
    expect(engine.waits.size).toBe(0);
    gate.open();
  });

  it("asks nothing of a client that cannot answer", async () => {
    const handle = async (ctx: Context) => {
      await ctx.step("wait", () => new Promise((resolve) => setTimeout(resolve, 30)));
      return JSON.stringify(await ctx.ask("Which van?", { van: field.text() }));
    };
    const cluster = memoryCluster();
    const principal = { id: "ada" };
    const id = await start(await open(serve(handle, cluster), { principal, capabilities: FORMS }));
    const mute = await open(serve(handle, cluster), { principal });
    expect(textOf(await mute.call("task_status", { id }))).toContain(`Task ${id} waits for an answer: Which van?`);
    const answers = () => ({ action: "accept" as const, content: { van: "blue" } });
    const able = await open(serve(handle, cluster), { principal, answers, capabilities: FORMS });
    expect(textOf(await able.call("task_status", { id }))).toContain("blue");
  });
});

describe("polling", () => {
  it("knows the time limits of the table of clients", () => {
    const limits = PROFILES.flatMap(({ id, times }) => (times?.value.call ? [[id, times.value.call] as const] : []));
    expect(CALL_LIMITS).toEqual(Object.fromEntries(limits));
  });

  it("is not for clients that declare tasks", async () => {
    const gate = openGate();
    const client = await connectWithTasks(serve(() => gate.opened, memoryCluster(), { output: { type: "object" } }));
    clients.push(client);
    expect(await namesOf(client)).toEqual(["pack"]);
    expect((await client.listTools())[0]).toHaveProperty("outputSchema");
    const id = await begin(client, "pack");
    await expect(client.call("task_status", { id })).rejects.toThrow("task_status");
    gate.open();
  });

  it("is for clients with a known limit and those over HTTP, if it is automatic", async () => {
    const server = serve(() => "packed", memoryCluster(), { task: { after: 20, polling: "auto" } });
    expect(await namesOf(await open(server))).toEqual(["pack"]);
    const zed = await open(server, { info: { name: "Zed", version: "1" } });
    expect(await namesOf(zed)).toContain("task_status");
    const service = await serveHttp(server, { port: 0 });
    const { json } = await postModern(service.url, modern("tools/list"));
    expect(json.result.tools.map(({ name }: { name: string }) => name)).toContain("task_cancel");
    await service.close();
  });

  it("leaves a name to a tool of the author, and shows nothing without a visible tool", async () => {
    const own = defineTool({ name: "task_status", handle: () => "mine" });
    const pack = defineTool({ name: "pack", task: { polling: "always" }, handle: () => "packed" });
    const hidden = defineServer({
      ...{ name: "movers", version: "1", log: () => {}, tools: [own, pack] },
      shows: ({ name }: { readonly name: string }) => name !== "pack",
    } as never);
    expect(await namesOf(await open(hidden))).toEqual(["task_status"]);
    const server = defineServer({ name: "movers", version: "1", log: () => {}, tools: [own, pack] });
    const client = await open(server);
    expect(await namesOf(client)).toEqual(["task_status", "pack", "task_cancel"]);
    expect(textOf(await client.call("task_status"))).toBe("mine");
  });
});
