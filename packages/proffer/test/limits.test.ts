import { setImmediate as turn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, describe, expect, it, vi } from "vitest";
import { defineTool, type ToolOptions } from "../src/server/define-tool.ts";
import type { SchemaLike } from "../src/server/infer.ts";
import { defineServer, type ServerOptions } from "../src/server/server.ts";
import { RemoteError, type TestClient } from "../src/testing/client.ts";
import { connect } from "../src/testing/connect.ts";
import { connectMemory } from "../src/transports/memory.ts";
import { StdioInput } from "../src/transports/stdio-input.ts";

const ERAS = ["2025-11-25", "2026-07-28"];

type Handle = ToolOptions<undefined, undefined>["handle"];

/** A server with one tool of that name, whose log is kept quiet. */
function serve(handle: Handle, options: Partial<ServerOptions> = {}) {
  return defineServer({
    name: "s",
    version: "1",
    tools: [defineTool({ name: "t", handle })],
    log: () => {},
    ...options,
  });
}

const textOf = async (client: TestClient) => {
  const { content, isError } = await client.call("t");
  return { text: (content[0] as { text?: string } | undefined)?.text, isError };
};

/** Sends texts over a connection without a handshake and gives the answers that arrive in this turn. */
async function exchange(texts: readonly string[], options = {}, handle: Handle = () => "done") {
  const answers: { id?: unknown; result?: object; error?: { code: number; message: string } }[] = [];
  const { send } = connectMemory(serve(handle), (text) => answers.push(JSON.parse(text)), options);
  for (const text of texts) send(text);
  await turn();
  return { answers, send };
}

const request = (id: number, method: string, params = "{}") =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;
const call = (id: number) => request(id, "tools/call", '{"name":"t"}');

describe("T090 a message", () => {
  it.each([
    ["a million keys", `{${Array.from({ length: 1_000_000 }, (_, index) => `"${index}":0`).join()}}`],
    ["a number of a million digits", `{"n":${"9".repeat(1_000_000)}}`],
    ["a key of 10 MB", `{"${"k".repeat(10_000_000)}":0}`],
    ["a key of 1 MB in escapes", `{"${"\\u006b".repeat(1_000_000 / 6)}":0}`],
    ["a string of 10 MB of escapes", `{"s":"${"\\\\".repeat(5_000_000)}"}`],
  ])("with %s is served", async (_, params) => {
    const { answers } = await exchange([request(1, "ping", params), request(2, "ping")]);
    expect(answers).toMatchObject([
      { id: 1, result: {} },
      { id: 2, result: {} },
    ]);
  });

  it.each([65, 1_000, 100_000, 200_000])(
    "with arrays %i deep is refused, without a word of the stack",
    async (depth) => {
      const { answers } = await exchange([request(1, "ping", `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`)]);
      expect(answers).toMatchObject([{ error: { code: -32600, message: "The message nests deeper than 64 levels." } }]);
    },
  );
});

describe("T091 a schema", () => {
  it("with a pattern that can take for ever is refused", () => {
    const input = { type: "object", properties: { s: { type: "string", pattern: "^(a+)+$" } } } as const;
    expect(() => defineTool({ name: "t", input, handle: () => {} })).toThrow(
      expect.objectContaining({ code: "unsafe_pattern" }),
    );
  });

  it("with choices in choices does not take exponential work", async () => {
    const levels = 40;
    const $defs: Record<string, object> = { level0: { type: "string", minLength: 2 } };
    for (let level = 1; level <= levels; level++) {
      const below = { $ref: `#/$defs/level${level - 1}` };
      $defs[`level${level}`] = { anyOf: [below, below, below] };
    }
    const input = { type: "object", properties: { a: { $ref: `#/$defs/level${levels}` } }, $defs } as const;
    const tool = defineTool({ name: "t", input: input as SchemaLike, handle: () => "passed" });
    const client = await connect(defineServer({ name: "s", version: "1", tools: [tool] }));
    expect(await client.call("t", { a: "x" })).toMatchObject({ isError: true });
  });

  it.each(["http://169.254.169.254/x", "file:///etc/passwd", "https://example.com/schema.json#/a"])(
    "T092 that refers to %s is refused, and nothing is fetched",
    ($ref) => {
      const fetched = vi.spyOn(globalThis, "fetch").mockRejectedValue(new Error("no network"));
      const input = { type: "object", properties: { a: { $ref } } } as const;
      expect(() => defineTool({ name: "t", input, handle: () => {} })).toThrow(
        expect.objectContaining({ name: "UsageError", message: expect.stringContaining($ref) }),
      );
      expect(fetched).not.toHaveBeenCalled();
      fetched.mockRestore();
    },
  );

  it("T095 does not get in the way of another with the same $id", async () => {
    const schema = (type: "string" | "number") =>
      ({ $id: "https://example.com/same", type: "object", properties: { a: { type } }, required: ["a"] }) as const;
    const tools = (["string", "number"] as const).map((type) =>
      defineTool({ name: type, input: schema(type) as SchemaLike, handle: () => "passed" }),
    );
    const client = await connect(defineServer({ name: "s", version: "1", tools }));
    for (const [name, a] of [
      ["string", "x"],
      ["number", 1],
    ] as const) {
      expect(await client.call(name, { a })).toMatchObject({ content: [{ text: "passed" }] });
      expect(await client.call(name, { a: a === 1 ? "x" : 1 })).toMatchObject({ isError: true });
    }
  });

  it("T095 is forgotten with its tool", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const server = serve(() => "");
    const refs = Array.from({ length: 100 }, (_, index) => {
      const tool = defineTool({ name: `tool${index}`, input: { type: "object" }, handle: () => "" });
      server.tools.add(tool);
      server.tools.remove(tool.name);
      return new WeakRef(tool.input);
    });
    await turn();
    collect();
    expect(refs.filter((ref) => ref.deref() !== undefined).length).toBeLessThan(refs.length / 2);
  });
});

describe("T093 a flood", () => {
  it("of malformed messages is answered one by one, and the next request is served", async () => {
    const flood = Array.from({ length: 50_000 }, (_, index) => (index % 2 ? "{" : "null"));
    const { answers } = await exchange([...flood, request(1, "ping")]);
    expect(answers).toHaveLength(flood.length + 1);
    expect(answers.at(-1)).toMatchObject({ id: 1, result: {} });
  });

  it("of notifications is not answered", async () => {
    const flood = Array.from({ length: 50_000 }, (_, index) => `{"jsonrpc":"2.0","method":"notifications/${index}"}`);
    const { answers } = await exchange([...flood, request(1, "ping")]);
    expect(answers).toMatchObject([{ id: 1, result: {} }]);
  });

  it("of blank lines is no message", () => {
    const input = new StdioInput(1000);
    for (let index = 0; index < 20; index++) input.push(Buffer.from("\r\n\n".repeat(20_000)));
    input.push(Buffer.from("x\n"));
    expect([input.next(), input.next()]).toEqual(["x", undefined]);
  });
});

describe("T094 with as many requests in work as are allowed", () => {
  it("another is told at once to come later, and comes later", async () => {
    const waiting: (() => void)[] = [];
    const ids = Array.from({ length: 3000 }, (_, id) => id);
    const handle = () => new Promise<string>((resolve) => waiting.push(() => resolve("done")));
    const { answers, send } = await exchange(ids.map(call), { maxInFlight: 100 }, handle);
    expect(waiting).toHaveLength(100);
    expect(answers).toHaveLength(2900);
    for (const { error } of answers) {
      expect(error).toEqual({
        code: -31000,
        message: "100 requests are in work; send this one again when some are answered.",
      });
    }
    for (const finish of waiting.splice(0)) finish();
    await turn();
    expect(answers.slice(2900).map(({ id }) => id)).toEqual(ids.slice(0, 100));
    send(call(5000));
    await turn();
    expect(waiting).toHaveLength(1);
  });

  it("what the work waits for still arrives: answers to questions, and cancellations", async () => {
    const asking = defineTool({
      name: "t",
      handle: async (_, ctx) => (await ctx.ask("Go on?", { type: "object", properties: {} })).action,
    });
    const server = defineServer({ name: "s", version: "1", tools: [asking] });
    const messages: { id?: unknown; method?: string; result?: unknown }[] = [];
    const { send } = connectMemory(server, (text) => messages.push(JSON.parse(text)), { maxInFlight: 2 });
    send(request(0, "initialize", '{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}}}'));
    send(call(1));
    send(call(2));
    await turn();
    const question = messages.find(({ method }) => method === "elicitation/create");
    send(JSON.stringify({ jsonrpc: "2.0", id: question?.id, result: { action: "decline" } }));
    send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}');
    await turn();
    expect(messages.find(({ id }) => id === 1)).toMatchObject({ result: { content: [{ text: "decline" }] } });
    send(request(3, "ping"));
    await turn();
    expect(messages.at(-1)).toEqual({ jsonrpc: "2.0", id: 3, result: {} });
  });
});

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
  ])("T096 a result with %s fails that call only", async (_, value) => {
    const client = await connect(
      serve(() => value),
      { revision },
    );
    const failure = await client.call("t").catch((error: RemoteError) => error);
    expect(failure).toBeInstanceOf(RemoteError);
    expect(failure).toMatchObject({ code: -32603, message: expect.not.stringContaining("secret") });
    expect(await client.listTools()).toHaveLength(1);
  });

  it("T096 a lone surrogate in a result arrives as it is", async () => {
    const client = await connect(
      serve(() => "a\ud800b"),
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
  ])("T097 a tool that %s fails without saying why", async (_, handle) => {
    const client = await connect(serve(handle), { revision });
    expect(await textOf(client)).toEqual({ text: 'The tool "t" failed.', isError: true });
    expect(client.transcript.toString()).not.toContain("secret");
  });

  it("T097 a tool that never ends does not keep others waiting", async () => {
    let first = true;
    const client = await connect(
      serve(() => {
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

  it("T099 nothing that belongs to a call is sent after its answer or its cancellation", async () => {
    let late: () => void = () => {};
    const client = await connect(
      serve((_, ctx) => {
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

  it("T099 progress that does not grow is not told, and a flood of it is thinned", async () => {
    const client = await connect(
      serve((_, ctx) => {
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

  it("T100 a tool that does not heed its time limit is answered for, and its late result is dropped", async () => {
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

  it("T102 tools that come and go ten thousand times are told of once a turn, and the list is right", async () => {
    const server = serve(() => "done");
    const client = await connect(server, { revision });
    const stop = await client.listen({ lists: ["tools"] });
    for (let index = 0; index < 10_000; index++) {
      server.tools.add(defineTool({ name: `tool${index}`, handle: () => "" }));
      if (index > 0) server.tools.remove(`tool${index - 1}`);
    }
    await client.waitFor("notifications/tools/list_changed");
    expect((await client.listTools()).map(({ name }) => name)).toEqual(["t", "tool9999"]);
    expect(client.notifications.filter(({ method }) => method.endsWith("list_changed"))).toHaveLength(1);
    expect(await textOf(client)).toEqual({ text: "done" });
    await stop();
  });

  it("T103 a connection that is closed twice, or while it works, is silent from then on", async () => {
    let finish: () => void = () => {};
    const server = serve(
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

describe("T101 a cancellation", () => {
  it("of initialize has no effect", async () => {
    let go: () => void = () => {};
    const waiting = new Promise<void>((resolve) => {
      go = resolve;
    });
    const server = serve(() => "done", { around: async (_, next) => waiting.then(next) });
    const answers: unknown[] = [];
    const { send } = connectMemory(server, (text) => answers.push(JSON.parse(text)));
    send(request(1, "initialize", '{"protocolVersion":"2025-11-25","capabilities":{}}'));
    send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}');
    await turn();
    go();
    await turn();
    expect(answers).toMatchObject([{ id: 1, result: { protocolVersion: "2025-11-25" } }]);
  });

  it("of the id 0, and not of its text, stops the call without an answer", async () => {
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

  it("that comes before its request has no effect", async () => {
    const early = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}';
    const { answers } = await exchange([early, call(1)]);
    expect(answers).toMatchObject([{ id: 1, result: {} }]);
  });
});

describe("T105 initialize", () => {
  const initialize = (id: number, version: string, name: string) =>
    request(
      id,
      "initialize",
      `{"protocolVersion":"${version}","capabilities":{},"clientInfo":{"name":"${name}","version":"1"}}`,
    );

  it("is refused a second time, and changes nothing", async () => {
    const handle: Handle = (_, { client }) => `${client.info?.name} ${client.revision}`;
    const texts = [initialize(1, "2025-06-18", "first"), initialize(2, "2024-11-05", "second"), call(3)];
    const { answers } = await exchange(texts, {}, handle);
    expect(answers).toMatchObject([
      { id: 1, result: { protocolVersion: "2025-06-18" } },
      { id: 2, error: { code: -32600 } },
      { id: 3, result: { content: [{ text: "first 2025-06-18" }] } },
    ]);
  });

  it("that fails may be sent again", async () => {
    const { answers } = await exchange([request(1, "initialize", "{}"), initialize(2, "2025-06-18", "again")]);
    expect(answers).toMatchObject([
      { id: 1, error: { code: -32602 } },
      { id: 2, result: {} },
    ]);
  });

  it("is not waited for: a client that never sends it is served as one of 2025-03-26", async () => {
    const { answers } = await exchange([call(1)], {}, (_, { client }) => client.revision);
    expect(answers).toMatchObject([{ id: 1, result: { content: [{ text: "2025-03-26" }] } }]);
  });
});

describe("T104 a process that embeds servers", () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  afterEach(() => void process.off("warning", note));

  it("opens and closes a thousand connections without handlers of its own, warnings or anything left behind", async () => {
    process.on("warning", note);
    const listeners = () => Object.fromEntries(process.eventNames().map((name) => [name, process.listenerCount(name)]));
    const before = listeners();
    const { log } = console;
    const write = process.stdout.write;
    const server = serve(() => "done");
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
