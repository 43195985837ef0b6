import { setImmediate as turn } from "node:timers/promises";
import { defineResource, defineServer, defineTool, type ListFunction, type LogEntry, type ServerLimits } from "proffer";
import { connect } from "proffer/testing";
import { describe, expect, it } from "vitest";
import { connectMemory } from "../src/transports/memory.ts";
import { request } from "./one-tool.ts";

const LATE = "resources/list did not finish within 20 ms (limits.hookTimeout).";

function serveList(list: ListFunction, limits: ServerLimits = { hookTimeout: 20 }, pageSize = 1000) {
  const logged: LogEntry[] = [];
  const resource = defineResource({ uri: "x://{id}", name: "x", list, read: () => "" });
  const options = { name: "s", version: "1", limits, pageSize, log: (entry: LogEntry) => void logged.push(entry) };
  return { server: defineServer({ ...options, resources: [resource] }), logged };
}

/** A list whose next() settles when `finish` is called, and counts the calls of return(). */
function waitingList() {
  const state = { returned: 0, finish: () => {}, signal: undefined as AbortSignal | undefined };
  const list: ListFunction = (_, ctx) => {
    state.signal = ctx.signal;
    const done = { done: true, value: undefined } as const;
    const next = () =>
      new Promise<typeof done>((resolve) => {
        state.finish = () => resolve(done);
      });
    const back = async () => {
      state.returned++;
      return done;
    };
    return { [Symbol.asyncIterator]: () => ({ next, return: back }) };
  };
  return { list, state };
}

describe("a list that never yields", () => {
  it("is answered at the time limit, aborted, returned and logged once", async () => {
    const { list, state } = waitingList();
    const { server, logged } = serveList(list);
    const client = await connect(server);
    await expect(client.listResources()).rejects.toMatchObject({ code: -32603, message: LATE });
    expect(state).toMatchObject({ returned: 1, signal: { aborted: true } });
    expect(logged).toMatchObject([{ level: "error", method: "resources/list", message: LATE }]);
    await client.request("server/discover");
  });

  it("counts as in flight until it ends", async () => {
    const { list, state } = waitingList();
    const answers: { id: number; result?: object; error?: { code: number } }[] = [];
    const { server } = serveList(list);
    const { send } = connectMemory(server, (text) => answers.push(JSON.parse(text)), { maxInFlight: 1 });
    send(request(1, "resources/list"));
    await expect.poll(() => answers).toMatchObject([{ id: 1, error: { code: -32603 } }]);
    send(request(2, "ping"));
    await turn();
    expect(answers[1]).toMatchObject({ id: 2, error: { code: -31000 } });
    state.finish();
    await turn();
    send(request(3, "ping"));
    await turn();
    expect(answers[2]).toMatchObject({ id: 3, result: {} });
  });

  it("is returned if the client cancels the request", async () => {
    const { list, state } = waitingList();
    const { server } = serveList(list, {});
    const cancel = new AbortController();
    const client = await connect(server);
    const listing = client.request("resources/list", {}, { signal: cancel.signal });
    listing.catch(() => {});
    await expect.poll(() => state.signal).toBeDefined();
    cancel.abort();
    await expect.poll(() => state.returned).toBe(1);
  });

  it.each(["list", "page"])("may take its time with a limit that no timer can have: %s", async (what) => {
    const entries = [{ uri: "x://1" }];
    const list = async () => {
      await turn();
      return what === "list" ? entries : { items: entries };
    };
    const client = await connect(serveList(list, { hookTimeout: Number.POSITIVE_INFINITY }).server);
    expect(await client.listResources()).toMatchObject(entries);
  });
});

describe("a list that never ends and never waits", () => {
  function* forever() {
    for (;;) yield { uri: "x://0" };
  }

  async function* foreverAsync() {
    for (;;) yield { uri: "x://0" };
  }

  it.each([
    ["synchronous", forever],
    ["asynchronous", foreverAsync],
  ])("does not block other requests (%s), and is ended by the time limit", async (_what, endless) => {
    // Entries up to the last one that the client has are skipped, here without end.
    const list: ListFunction = ({ after }) => (after === undefined ? [{ uri: "x://1" }, { uri: "x://2" }] : endless());
    const { server } = serveList(list, { hookTimeout: 20 }, 1);
    const client = await connect(server);
    const { nextCursor } = await client.request("resources/list");
    const second = client.request("resources/list", { cursor: nextCursor });
    await client.request("server/discover");
    await expect(second).rejects.toMatchObject({ code: -32603, message: LATE });
  });

  it("does not block a completion, whose pages are counted", async () => {
    let pages = 0;
    const list: ListFunction = () => {
      pages++;
      return { items: [], nextCursor: "again" };
    };
    const client = await connect(serveList(list, { completionScan: 5 }).server);
    expect(await client.complete({ type: "ref/resource", uri: "x://{id}" }, "id", "")).toEqual([]);
    expect(pages).toBe(5);
  });
});

describe("a stream that a tool returns", () => {
  it("ends with the time limit of the tool", async () => {
    async function* endless() {
      yield "a";
      await new Promise(() => {});
    }
    const tools = [
      defineTool({ name: "direct", timeout: 20, handle: () => endless() }),
      defineTool({ name: "late", timeout: 20, handle: async () => endless() }),
    ];
    const client = await connect(defineServer({ name: "s", version: "1", tools, log: () => {} }));
    const text = "The tool did not finish within 20 ms.";
    for (const { name } of tools) expect(await client.call(name)).toMatchObject({ isError: true, content: [{ text }] });
  });
});
