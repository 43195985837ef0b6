import { setImmediate as turn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { defineServer, defineTool, type SchemaLike } from "proffer";
import { ajvSchema } from "proffer/ajv";
import { connect } from "proffer/testing";
import { describe, expect, it, vi } from "vitest";
import { validate } from "../src/schema/schema.ts";
import { connectMemory } from "../src/transports/memory.ts";
import { StdioInput } from "../src/transports/stdio/input.ts";
import { type Answer, call, exchange, request, serveTool } from "./one-tool.ts";

function exposeGc(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}

describe("a message", () => {
  it.each([
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

  it.each([
    ["keys", `{${Array.from({ length: 1_000_000 }, (_, index) => `"${index}":0`).join()}}`],
    ["elements", `{"a":[${"0,".repeat(1_000_000)}0]}`],
    ["empty objects", `{"a":[${"{},".repeat(1_000_000)}0]}`],
  ])("with a million %s is rejected before it is parsed, and the next is served", async (_, params) => {
    const { answers } = await exchange([request(1, "ping", params), request(2, "ping")]);
    const message = "The message has more than 250000 keys and elements. Send a smaller message.";
    expect(answers).toMatchObject([{ error: { code: -32600, message } }, { id: 2, result: {} }]);
  });

  it("may have as many keys and elements as the server allows", async () => {
    const answers: Answer[] = [];
    const server = serveTool(() => "done", { limits: { messageItems: 10 } });
    const { send } = connectMemory(server, (text) => answers.push(JSON.parse(text)));
    // Four keys of the envelope, one of params, and the elements of the list.
    for (const items of [5, 6]) send(request(items, "ping", `{"a":[${"0,".repeat(items - 1)}0]}`));
    await turn();
    expect(answers).toMatchObject([{ id: 5, result: {} }, { error: { message: /more than 10 keys and elements/ } }]);
  });

  it.each([65, 1_000, 100_000, 200_000])("with arrays %i deep is rejected without a stack error", async (depth) => {
    const { answers } = await exchange([request(1, "ping", `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`)]);
    expect(answers).toMatchObject([
      { error: { code: -32600, message: "The message is nested more than 64 levels deep." } },
    ]);
  });
});

describe("a limit of a server", () => {
  it.each([0, -1, Number.NaN, "9"])("must be a positive number, not %j", (subscriptions) => {
    const limits = { subscriptions: subscriptions as number };
    expect(() => defineServer({ name: "s", version: "1", limits })).toThrow(/limits.subscriptions must be a positive/);
  });
});

describe("a schema", () => {
  it("with a pattern that could take exponential time is rejected", () => {
    const input = { type: "object", properties: { s: { type: "string", pattern: "^(a+)\\1$" } } } as const;
    expect(() => defineTool({ name: "t", input, handle: () => {} })).toThrow(
      expect.objectContaining({ code: "unsafe_pattern" }),
    );
  });

  it("with nested choices is validated in less than exponential time", async () => {
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

  describe("with a value that exceeds the work limit of the validator", () => {
    const list = { type: "array", items: { type: "number", multipleOf: 0.01 } } as const;
    const values = Array.from({ length: 200_000 }, () => 1e300);
    const schema = { type: "object", properties: { list }, required: ["list"] } as const;

    it("refuses the arguments and says so", async () => {
      const handle = vi.fn(() => "passed");
      const tool = defineTool({ name: "t", input: schema, handle });
      const client = await connect(defineServer({ name: "s", version: "1", tools: [tool] }));
      const { isError, content } = await client.call("t", { list: values });
      expect(isError).toBe(true);
      expect(content).toMatchObject([{ text: expect.stringContaining("it takes more than 5000000 steps") }]);
      expect(handle).not.toHaveBeenCalled();
    });

    it("hides the output and logs the reason", async () => {
      const logged: unknown[] = [];
      const tools = [defineTool({ name: "t", output: schema, handle: () => ({ list: values }) })];
      const server = defineServer({ name: "s", version: "1", tools, log: ({ error }) => logged.push(error) });
      await expect((await connect(server)).call("t")).rejects.toMatchObject({
        code: -32603,
        message: 'Tool "t" returned a value that does not match its output schema.',
      });
      expect(logged).toMatchObject([{ message: expect.stringContaining("it takes more than 5000000 steps") }]);
    });
  });

  it.each(["http://169.254.169.254/x", "file:///etc/passwd", "https://example.com/schema.json#/a"])(
    "with a reference to %s is rejected, and nothing is fetched",
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

  it("is independent of another schema with the same $id", async () => {
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

  it("is registered and validated many times, and the heap stays flat", async () => {
    const collect = exposeGc();
    const server = serveTool(() => "");
    const input = { type: "object", properties: { a: { type: "string" } }, required: ["a"] } as const;
    const client = await connect(server);
    const run = async (rounds: number) => {
      for (let round = 0; round < rounds; round++) {
        // Every second schema is another object with the same $id.
        const source = round % 2 === 0 ? input : { ...input, $id: "https://example.com/same" };
        const tool = defineTool({ name: "same", input: source as typeof input, handle: () => "" });
        validate(tool.input, { a: "x" });
        server.tools.add(tool);
        if (round % 5_000 === 0) expect(await client.call("same", { a: 1 as never })).toMatchObject({ isError: true });
        server.tools.remove("same");
      }
      await turn();
      collect();
      return process.memoryUsage().heapUsed;
    };
    const before = await run(3_000);
    const after = await run(20_000);
    // 20,000 leaked schemas would be more than 10 MB.
    expect(after - before).toBeLessThan(5_000_000);
  });

  it("with Ajv does not conflict with another schema that has the same $id, in either order", () => {
    const schema = (type: string) =>
      ajvSchema({ $id: "https://example.com/same", type: "object", properties: { a: { type: type as "string" } } });
    const all = ["string", "number", "string"].map(schema);
    const isValid = (a: unknown) => all.map((each) => !("issues" in each["~standard"].validate({ a })));
    expect(isValid("x")).toEqual([true, false, true]);
    expect(isValid(1)).toEqual([false, true, false]);
  });

  it("is garbage-collected with its tool", async () => {
    const collect = exposeGc();
    const server = serveTool(() => "");
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

describe("a flood", () => {
  it("of malformed messages is answered one by one, and the next request is served", async () => {
    const flood = Array.from({ length: 10_000 }, (_, index) => (index % 2 ? "{" : "null"));
    const { answers } = await exchange([...flood, request(1, "ping")]);
    expect(answers).toHaveLength(flood.length + 1);
    expect(answers.at(-1)).toMatchObject({ id: 1, result: {} });
  });

  it("of notifications is not answered", async () => {
    const flood = Array.from({ length: 10_000 }, (_, index) => `{"jsonrpc":"2.0","method":"notifications/${index}"}`);
    const { answers } = await exchange([...flood, request(1, "ping")]);
    expect(answers).toMatchObject([{ id: 1, result: {} }]);
  });

  it("of blank lines is not a message", () => {
    const input = new StdioInput(1000);
    for (let index = 0; index < 20; index++) input.push(Buffer.from("\r\n\n".repeat(20_000)));
    input.push(Buffer.from("x\n"));
    expect([input.next(), input.next()]).toEqual(["x", undefined]);
  });
});

describe("with maxInFlight requests in flight", () => {
  it("another is rejected immediately as busy, and can be sent again later", async () => {
    const waiting: (() => void)[] = [];
    const ids = Array.from({ length: 3000 }, (_, id) => id);
    const handle = () => new Promise<string>((resolve) => waiting.push(() => resolve("done")));
    const { answers, send } = await exchange(ids.map(call), { maxInFlight: 100 }, handle);
    expect(waiting).toHaveLength(100);
    expect(answers).toHaveLength(2900);
    for (const { error } of answers) {
      expect(error).toEqual({
        code: -31000,
        message: "The server is busy: 100 requests are in flight. Try again later.",
      });
    }
    for (const finish of waiting.splice(0)) finish();
    await turn();
    expect(answers.slice(2900).map(({ id }) => id)).toEqual(ids.slice(0, 100));
    send(call(5000));
    await turn();
    expect(waiting).toHaveLength(1);
  });

  it("answers to questions and cancellations are still accepted", async () => {
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
