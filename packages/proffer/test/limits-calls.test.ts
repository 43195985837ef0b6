import { setImmediate as turn } from "node:timers/promises";
import { type Context, defineServer, defineTool, field } from "proffer";
import { connect, RemoteError, type TestClient } from "proffer/testing";
import { afterEach, describe, expect, it } from "vitest";
import { connectMemory } from "../src/transports/memory.ts";
import { type Answer, call, exchange, type Handle, request, serveTool } from "./one-tool.ts";

const ERAS = ["2025-11-25", "2026-07-28"];

const textOf = async (client: TestClient) => {
  const { content, isError } = await client.call("t");
  return { text: (content[0] as { text?: string } | undefined)?.text, isError };
};

describe.each(ERAS)("in %s", (revision) => {
  const cyclic: Record<string, unknown> = {};
  cyclic.itself = cyclic;
  const throwing = {
    toJSON() {
      throw new Error("a secret");
    },
  };

  it.each<[string, unknown]>([
    ["a cycle", cyclic],
    ["a bigint within", { n: 1n }],
    ["a toJSON that throws", throwing],
    ["a function", () => {}],
    ["a symbol", Symbol("x")],
  ])("a result with %s fails only that call", async (_, value) => {
    const client = await connect(
      serveTool(() => value),
      { revision },
    );
    const failure = await client.call("t").catch((error: RemoteError) => error);
    expect(failure).toBeInstanceOf(RemoteError);
    expect(failure).toMatchObject({ code: -32603, message: expect.not.stringContaining("secret") });
    expect(await client.listTools()).toHaveLength(1);
  });

  it("a lone surrogate in a result arrives unchanged", async () => {
    const client = await connect(
      serveTool(() => "a\ud800b"),
      { revision },
    );
    expect((await textOf(client)).text).toBe("a\ud800b");
  });

  it.each<[string, Handle]>([
    [
      "throws",
      () => {
        throw new Error("a secret");
      },
    ],
    ["rejects", () => Promise.reject(new Error("a secret"))],
    [
      "throws a text",
      () => {
        throw "a secret";
      },
    ],
    ["rejects with nothing", () => Promise.reject()],
    [
      "throws an object with a getter that throws",
      () => {
        throw {
          get message() {
            throw new Error("a secret");
          },
        };
      },
    ],
  ])("a tool that %s fails without details", async (_, handle) => {
    const client = await connect(serveTool(handle), { revision });
    expect(await textOf(client)).toEqual({ text: 'Tool "t" failed.', isError: true });
    expect(client.transcript.toString()).not.toContain("secret");
  });

  it("a tool that never ends does not block other calls", async () => {
    let first = true;
    const client = await connect(
      serveTool(() => {
        if (!first) return "done";
        first = false;
        return new Promise(() => {});
      }),
      { revision },
    );
    void client.call("t").catch(() => {});
    expect(await textOf(client)).toEqual({ text: "done" });
    await client.close();
  });

  it("a call sends nothing after its response", async () => {
    let late: () => void = () => {};
    const client = await connect(
      serveTool((_, ctx) => {
        late = () => {
          ctx.progress(1);
          ctx.log("emergency", "late");
        };
        return "done";
      }),
      { revision },
    );
    await client.call("t", undefined, { onProgress: () => {}, logLevel: "debug" });
    late();
    await client.listTools();
    expect(client.notifications).toEqual([]);
  });

  it("progress that does not increase is dropped, and a flood is throttled", async () => {
    const client = await connect(
      serveTool((_, ctx) => {
        for (const value of [1, 1, 0, Number.NaN, Number.POSITIVE_INFINITY]) ctx.progress(value);
        for (let value = 2; value <= 100_000; value++) ctx.progress(value);
        return "done";
      }),
      { revision },
    );
    const heard: number[] = [];
    await client.call("t", undefined, { onProgress: ({ progress }) => heard.push(progress as number) });
    expect(heard[0]).toBe(1);
    expect(heard.at(-1)).toBe(100_000);
    expect(heard).toEqual([...heard].sort((a, b) => a - b));
    expect(new Set(heard).size).toBe(heard.length);
    expect(heard.length).toBeLessThan(1000);
  });

  it("a tool that ignores its time limit gets a timeout error, and its late result is dropped", async () => {
    let finish: (value: string) => void = () => {};
    let aborted = false;
    const tool = defineTool({
      name: "t",
      timeout: 10,
      handle: (_, { signal }) =>
        new Promise<string>((resolve) => {
          signal.addEventListener("abort", () => {
            aborted = true;
          });
          finish = resolve;
        }),
    });
    const client = await connect(defineServer({ name: "s", version: "1", tools: [tool], log: () => {} }), { revision });
    expect(await textOf(client)).toEqual({ text: "The tool did not finish within 10 ms.", isError: true });
    expect(aborted).toBe(true);
    const received = client.transcript.messages("server").length;
    finish("late");
    await turn();
    expect(client.transcript.messages("server")).toHaveLength(received);
  });

  it("a tool that continues after its time limit frees its slot when it ends", async () => {
    const ends: (() => void)[] = [];
    const tool = defineTool({
      name: "t",
      timeout: 10,
      handle: () => new Promise<string>((resolve) => ends.push(() => resolve("late"))),
    });
    const server = defineServer({ name: "s", version: "1", tools: [tool], log: () => {} });
    const answers: { id: number; error?: { code: number } }[] = [];
    const { send } = connectMemory(server, (text) => answers.push(JSON.parse(text)), { maxInFlight: 1 });
    send(call(1));
    await expect.poll(() => answers).toMatchObject([{ id: 1, result: { isError: true } }]);
    send(call(2));
    await turn();
    expect(answers[1]).toMatchObject({ id: 2, error: { code: -31000 } });
    ends[0]?.();
    await turn();
    send(call(3));
    await expect.poll(() => answers[2]).toMatchObject({ id: 3, result: { isError: true } });
    ends[1]?.();
  });

  it("a tool that continues after its call was cancelled keeps its slot until it ends", async () => {
    const ends: (() => void)[] = [];
    const tool = defineTool({
      ...{ name: "t", timeout: 20 },
      handle: () => new Promise<string>((resolve) => ends.push(() => resolve("late"))),
    });
    const server = defineServer({ name: "s", version: "1", tools: [tool], log: () => {} });
    const answers: Answer[] = [];
    const { send } = connectMemory(server, (text) => answers.push(JSON.parse(text)), { maxInFlight: 1 });
    send(call(1));
    await turn();
    send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}');
    // Its time limit does not end the counting either.
    await new Promise((resolve) => setTimeout(resolve, 60));
    send(call(2));
    await turn();
    expect(answers).toMatchObject([{ id: 2, error: { code: -31000 } }]);
    ends[0]?.();
    await turn();
    send(request(3, "ping"));
    await turn();
    expect(answers[1]).toMatchObject({ id: 3, result: {} });
    expect(ends).toHaveLength(1);
  });

  it("a call that is cancelled while it asks, or that asks afterwards, leaves its slot", async () => {
    const ask = (ctx: Context) => ctx.ask("?", { ok: field.boolean() });
    const atOnce = defineTool({ name: "t", handle: async (_, ctx) => String(await ask(ctx)) });
    let later = () => {};
    const waited = new Promise<void>((resolve) => {
      later = resolve;
    });
    const afterwards = defineTool({
      name: "later",
      handle: async (_, ctx) => {
        await waited;
        return String(await ask(ctx));
      },
    });
    const server = defineServer({ name: "s", version: "1", tools: [atOnce, afterwards], log: () => {} });
    const answers: Answer[] = [];
    const { send } = connectMemory(server, (text) => answers.push(JSON.parse(text)), { maxInFlight: 1 });
    const capabilities = '"capabilities":{"elicitation":{}}';
    send(
      request(
        0,
        "initialize",
        `{"protocolVersion":"2025-11-25",${capabilities},"clientInfo":{"name":"c","version":"1"}}`,
      ),
    );
    send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    const cancel = (id: number) =>
      send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}`);
    for (let id = 1; id < 5; id++) {
      send(call(id));
      await turn();
      cancel(id);
      await turn();
    }
    send(request(5, "tools/call", '{"name":"later"}'));
    await turn();
    cancel(5);
    send(request(6, "ping"));
    await turn();
    expect(answers.find(({ id }) => id === 6)).toMatchObject({ error: { code: -31000 } });
    later();
    await turn();
    send(request(7, "ping"));
    await turn();
    expect(answers.find(({ id }) => id === 7)).toMatchObject({ result: {} });
    expect(answers.filter(({ method }) => method === "elicitation/create")).toHaveLength(4);
  });

  it("ten thousand added and removed tools, while clients list and call, cause one notification per turn", async () => {
    const rounds = 100;
    /** The tools at the time of each list request. */
    const registered = new Set<string>();
    const server = serveTool(() => turn("done"), {
      prompts: [],
      pageSize: 60,
      middleware(request, next) {
        if (request.method === "tools/list") registered.add(` ${[...server.tools].map(({ name }) => name).join(" ")} `);
        return next();
      },
    });
    const listening = await connect(server, { revision });
    const stop = await listening.listen({ lists: ["tools"] });
    const others = await connect(server, { revision });
    const stopOthers = await others.listen({ lists: ["prompts"] });
    const changes = (client: TestClient) =>
      client.notifications.filter(({ method }) => method.endsWith("list_changed"));
    const perTurn: number[] = [];
    const work: Promise<unknown>[] = [];
    for (let round = 0; round < rounds; round++) {
      const before = changes(listening).length;
      for (let index = 0; index < 100; index++) {
        server.tools.add(defineTool({ name: `tool${round}-${index}`, handle: () => turn("mine") }));
        // Removed while its call is in flight.
        if (index === 50) work.push(listening.call(`tool${round}-50`));
        if (index === 51) await Promise.resolve();
        if (index >= 10) server.tools.remove(`tool${round}-${index - 10}`);
      }
      for (let index = 90; index < 100; index++) server.tools.remove(`tool${round}-${index}`);
      server.tools.add(defineTool({ name: `kept${round}`, handle: () => "" }));
      work.push(listening.listTools(), textOf(others));
      // Changes are sent by a timer; this one is set later and fires after it.
      await new Promise((resolve) => setTimeout(resolve, 1));
      perTurn.push(changes(listening).length - before);
    }
    await Promise.all(work);
    const kept = Array.from({ length: rounds }, (_, round) => `kept${round}`);
    expect((await listening.listTools()).map(({ name }) => name)).toEqual(["t", ...kept]);
    expect(Math.max(...perTurn)).toBe(1);
    expect(changes(listening).every(({ method }) => method === "notifications/tools/list_changed")).toBe(true);
    // In revisions with sessions, all clients are notified of all lists.
    const unrequested = revision === "2025-11-25" ? changes(listening).length : 0;
    expect(changes(others)).toHaveLength(unrequested);
    const pages = listening.transcript
      .messages("server")
      .map((text) => JSON.parse(text).result?.tools)
      .filter((tools) => tools !== undefined);
    expect(pages.length).toBeGreaterThan(rounds);
    // Each page is a part of the tools at one moment, in their order.
    const lists = pages.map((tools: { name: string }[]) => ` ${tools.map(({ name }) => name).join(" ")} `);
    expect(lists.filter((page) => ![...registered].some((all) => all.includes(page)))).toEqual([]);
    await stop.close();
    await stopOthers.close();
  });

  it("a connection that is closed twice, or during a call, sends nothing afterwards", async () => {
    let finish: () => void = () => {};
    const server = serveTool(
      (_, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => resolve("aborted"));
          finish = () => resolve("late");
        }),
    );
    const client = await connect(server, { revision });
    const pending = client.call("t");
    await turn();
    const received = client.transcript.messages("server").length;
    await client.close();
    await client.close();
    await expect(pending).rejects.toThrow("closed");
    finish();
    client.notify("notifications/initialized");
    client.send(request(77, "ping"));
    server.tools.remove("t");
    await turn();
    await turn();
    expect(client.transcript.messages("server")).toHaveLength(received);
  });
});

describe("a cancellation", () => {
  it("of initialize has no effect", async () => {
    let go: () => void = () => {};
    const waiting = new Promise<void>((resolve) => {
      go = resolve;
    });
    const server = serveTool(() => "done", { middleware: async (_, next) => waiting.then(next) });
    const answers: unknown[] = [];
    const { send } = connectMemory(server, (text) => answers.push(JSON.parse(text)));
    send(request(1, "initialize", '{"protocolVersion":"2025-11-25","capabilities":{}}'));
    send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}');
    await turn();
    go();
    await turn();
    expect(answers).toMatchObject([{ id: 1, result: { protocolVersion: "2025-11-25" } }]);
  });

  it("of the number 0, but not of the string 0, stops the call without a response", async () => {
    let reason: unknown;
    const handle: Handle = (_, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          reason = signal.reason;
          resolve("too late");
        });
      });
    const { answers, send } = await exchange([call(0)], {}, handle);
    const cancel = (id: string) => `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}`;
    for (const id of ['"0"', "1", "null", "false", '""']) send(cancel(id));
    await turn();
    expect(reason).toBeUndefined();
    send(cancel("0"));
    send(cancel("0"));
    send(request(1, "ping"));
    await turn();
    expect(String(reason)).toBe("AbortError: The client cancelled the request.");
    expect(answers).toMatchObject([{ id: 1, result: {} }]);
  });

  it("before its request has no effect", async () => {
    const early = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}';
    const { answers } = await exchange([early, call(1)]);
    expect(answers).toMatchObject([{ id: 1, result: {} }]);
  });
});

describe("initialize", () => {
  const initialize = (id: number, version: string, name: string) =>
    request(
      id,
      "initialize",
      `{"protocolVersion":"${version}","capabilities":{},"clientInfo":{"name":"${name}","version":"1"}}`,
    );

  it("is rejected a second time, and changes nothing", async () => {
    const handle: Handle = (_, { client }) => `${client.info?.name} ${client.revision}`;
    const texts = [initialize(1, "2025-06-18", "first"), initialize(2, "2024-11-05", "second"), call(3)];
    const { answers } = await exchange(texts, {}, handle);
    expect(answers).toMatchObject([
      { id: 1, result: { protocolVersion: "2025-06-18" } },
      { id: 2, error: { code: -32600 } },
      { id: 3, result: { content: [{ text: "first 2025-06-18" }] } },
    ]);
  });

  it("may be sent again after it failed", async () => {
    const { answers } = await exchange([request(1, "initialize", "{}"), initialize(2, "2025-06-18", "again")]);
    expect(answers).toMatchObject([
      { id: 1, error: { code: -32602 } },
      { id: 2, result: {} },
    ]);
  });

  it("is optional: a client that never sends it is served in 2025-03-26", async () => {
    const { answers } = await exchange([call(1)], {}, (_, { client }) => client.revision);
    expect(answers).toMatchObject([{ id: 1, result: { content: [{ text: "2025-03-26" }] } }]);
  });
});

describe("a process that embeds servers", () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  afterEach(() => void process.off("warning", note));

  it("opens and closes a thousand connections without process listeners, warnings or patched output", async () => {
    process.on("warning", note);
    const listeners = () => Object.fromEntries(process.eventNames().map((name) => [name, process.listenerCount(name)]));
    const before = listeners();
    const { log } = console;
    const write = process.stdout.write;
    const server = serveTool(() => "done");
    for (let index = 0; index < 1000; index++) {
      const client = await connect(server, { revision: index % 2 ? "2025-11-25" : "2026-07-28" });
      await client.call("t");
      await client.close();
    }
    server.tools.add(defineTool({ name: "another", handle: () => "" }));
    await turn();
    expect(listeners()).toEqual(before);
    expect(warnings).toEqual([]);
    expect(console.log).toBe(log);
    expect(process.stdout.write).toBe(write);
  });
});
