import { describe, expect, it } from "vitest";
import { fail, text } from "../results/content.ts";
import { connect } from "../testing/connect.ts";
import { createDerivedServer } from "./derived-server.ts";
import type { Module } from "./load.ts";
import type { Binding, BoundParameter, BoundResult, Manifest } from "./manifest.ts";

function binding(path: string[], parameters: BoundParameter[], result: BoundResult = { kind: "value" }): Binding {
  return { path, parameters, result };
}

const argument = (name: string): BoundParameter => ({ kind: "argument", name });
const number = { type: "number" } as const;
const server = { name: "derived", version: "1.0.0" };

function withTool(tool: Partial<Manifest["tools"][number]> & { binding: Binding }): Manifest {
  const inputSchema = { type: "object", properties: {} } as const;
  return { server, tools: [{ name: "tool", inputSchema, ...tool }], prompts: [], resources: [] };
}

/** Calls the tool of a manifest and returns the result. */
async function callTool(manifest: Manifest, module: Module, input: object = {}) {
  const client = await connect(createDerivedServer(manifest, async () => module));
  const result = await client.call("tool", input);
  await client.close();
  return result;
}

describe("a derived tool", () => {
  it("receives arguments by position, then rest arguments, and the context", async () => {
    const inputSchema = { type: "object", properties: { a: number, more: { type: "array", items: number } } } as const;
    const parameters: BoundParameter[] = [{ kind: "context" }, argument("a"), { kind: "rest", name: "more" }];
    const tool = (ctx: { signal: AbortSignal }, ...rest: number[]) => [ctx.signal.aborted, ...rest];
    const manifest = withTool({ inputSchema, outputSchema: { type: "array" }, binding: binding(["tool"], parameters) });
    expect(await callTool(manifest, { tool }, { a: 1, more: [2, 3] })).toMatchObject({
      structuredContent: [false, 1, 2, 3],
    });
    expect(await callTool(manifest, { tool }, {})).toMatchObject({ structuredContent: [false, null] });
  });

  it("accepts ten thousand rest arguments", async () => {
    const inputSchema = { type: "object", properties: { more: { type: "array", items: number } } } as const;
    const manifest = withTool({
      inputSchema,
      outputSchema: number,
      binding: binding(["tool"], [{ kind: "rest", name: "more" }]),
    });
    const more = Array.from({ length: 10_000 }, () => 1);
    const tool = (...all: number[]) => all.length;
    expect(await callTool(manifest, { tool }, { more })).toMatchObject({ structuredContent: 10_000 });
  });

  it("sends a value that is a result by its type without other properties, and anything else as data", async () => {
    const manifest = withTool({ binding: binding(["tool"], [], { kind: "result" }) });
    const content = [{ type: "text", text: "Hello." }];
    const whole = await callTool(manifest, { tool: async () => ({ content, isError: true, extra: 1 }) });
    expect(whole).toMatchObject({ content, isError: true });
    expect(whole).not.toHaveProperty("extra");
    const chapters = { content: [{ type: "chapter", text: "" }], extra: 1 };
    expect(await callTool(manifest, { tool: () => chapters })).toMatchObject({ structuredContent: chapters });
    expect(await callTool(manifest, { tool: () => fail("No.") })).toMatchObject({ content: [{ text: "No." }] });
    expect(await callTool(manifest, { tool: () => undefined })).toMatchObject({ content: [] });
  });

  it("writes a result without a type by its class, except content and bytes", async () => {
    const manifest = withTool({ binding: binding(["tool"], [], { kind: "value", encode: { plan: { kind: "any" } } }) });
    const call = (value: unknown) => callTool(manifest, { tool: async () => value });
    expect(await call({ seen: new Set([1n]) })).toMatchObject({ structuredContent: { seen: ["1"] } });
    expect(await call([text("a")])).toMatchObject({ content: [{ type: "text", text: "a" }] });
    expect(await call(new Uint8Array(3))).toMatchObject({
      content: [{ type: "resource", resource: { blob: "AAAA" } }],
    });
  });

  it("encodes data beside content", async () => {
    const encode: BoundResult["encode"] = { plan: { kind: "object", properties: { seen: { kind: "set" } } } };
    const manifest = withTool({ binding: binding(["tool"], [], { kind: "content", encode }) });
    const call = (value: unknown) => callTool(manifest, { tool: () => value });
    expect(await call({ seen: new Set([1]) })).toMatchObject({ structuredContent: { seen: [1] } });
    expect(await call(text("a"))).toMatchObject({ content: [{ type: "text", text: "a" }] });
  });

  it("fails with an internal error that logs the place of a cycle", async () => {
    const logged: unknown[] = [];
    const manifest = withTool({ binding: binding(["tool"], [], { kind: "value", encode: { plan: { kind: "any" } } }) });
    const node: { self?: unknown } = {};
    node.self = [node];
    const load = async () => ({ tool: () => ({ node }) });
    const client = await connect(createDerivedServer(manifest, load, { log: ({ error }) => logged.push(error) }));
    const message = "The return value cannot be represented as JSON.";
    await expect(client.call("tool")).rejects.toMatchObject({ code: -32603, message });
    expect(String(logged[0])).toContain("/node/self/0 is a cycle");
  });

  it("ignores inherited properties of its arguments", async () => {
    const manifest = withTool({
      outputSchema: { type: "boolean" },
      binding: binding(["tool"], [argument("constructor")]),
    });
    const tool = (value: unknown) => value === undefined;
    expect(await callTool(manifest, { tool })).toMatchObject({ structuredContent: true });
  });

  it("is called as a method of the object that holds it", async () => {
    class Counter {
      #count = 41;
      next(): number {
        this.#count += 1;
        return this.#count;
      }
    }
    const manifest = withTool({ outputSchema: number, binding: binding(["counter", "next"], []) });
    expect(await callTool(manifest, { counter: new Counter() })).toMatchObject({ structuredContent: 42 });
  });

  it("collects yielded items, and converts undefined to null if the schema allows null", async () => {
    async function* tool() {
      yield 1;
      yield 2;
    }
    const yields = withTool({ outputSchema: { type: "array" }, binding: binding(["tool"], [], { kind: "iterable" }) });
    expect(await callTool(yields, { tool })).toMatchObject({ structuredContent: [1, 2] });
    const outputSchema = { type: ["number", "null"] } as const;
    const nothing = withTool({ outputSchema, binding: binding(["tool"], [], { kind: "value", nullable: true }) });
    expect(await callTool(nothing, { tool: () => undefined })).toMatchObject({ structuredContent: null });
  });

  it("decodes arguments, encodes results, and reports an invalid date to the model", async () => {
    const at = { type: "string", format: "date-time" } as const;
    const plan = { kind: "date" } as const;
    const manifest = withTool({
      inputSchema: { type: "object", properties: { at: { type: "string" } } },
      outputSchema: at,
      binding: {
        ...binding(["tool"], [argument("at")], { kind: "value", encode: { plan } }),
        decode: { plan: { kind: "object", properties: { at: plan } } },
      },
    });
    const tool = (date: Date) => new Date(date.getTime() + 1);
    expect(await callTool(manifest, { tool }, { at: "2024-01-01T00:00:00Z" })).toMatchObject({
      structuredContent: "2024-01-01T00:00:00.001Z",
    });
    const refused = await callTool(manifest, { tool }, { at: "soon" });
    expect(refused.isError).toBe(true);
    expect(refused.content[0]).toMatchObject({ text: expect.stringContaining("/at: must be a valid date") });
  });

  it("fails with an internal error if the module no longer exports it", async () => {
    const client = await connect(createDerivedServer(withTool({ binding: binding(["a", "b"], []) }), async () => ({})));
    await expect(client.call("tool")).rejects.toMatchObject({ code: -32603 });
    await client.close();
  });
});

describe("a derived server", () => {
  it("lists its tools without loading the module, and has no field for deprecation", async () => {
    let loads = 0;
    const manifest = withTool({ deprecated: true, binding: binding(["tool"], []) });
    const derived = createDerivedServer(manifest, async () => {
      loads += 1;
      return { tool: () => "done" };
    });
    const client = await connect(derived);
    const _meta = { "proffer/parameters": [], "proffer/text": true };
    expect(await client.listTools()).toEqual([
      { name: "tool", inputSchema: { type: "object", properties: {} }, _meta },
    ]);
    expect(loads).toBe(0);
    await client.call("tool");
    await client.call("tool");
    expect(loads).toBe(1);
    await client.close();
  });

  it("announces only the capabilities of its manifest and options", async () => {
    const manifest = withTool({ binding: binding(["tool"], []) });
    const has = async (options: object) => {
      const client = await connect(
        createDerivedServer(manifest, async () => ({}), options),
        { revision: "2025-11-25" },
      );
      const { result } = JSON.parse(client.transcript.messages("server")[0] ?? "{}");
      await client.close();
      return Object.keys(result.capabilities).sort();
    };
    expect(await has({})).not.toContain("prompts");
    expect(await has({ prompts: [], resources: [] })).toEqual(
      expect.arrayContaining(["prompts", "resources", "tools"]),
    );
  });

  it("answers calls with -32603 and no details if the module fails to load", async () => {
    const derived = createDerivedServer(withTool({ binding: binding(["tool"], []) }), () =>
      Promise.reject(new Error("secret")),
    );
    const client = await connect(derived);
    const failure = client.call("tool");
    await expect(failure).rejects.toMatchObject({ code: -32603 });
    await expect(failure).rejects.not.toThrow("secret");
    await client.close();
  });

  it("converts, checks and completes the variables of a template", async () => {
    const variables = [
      { name: "id", required: true, type: "integer", schema: { type: "integer", minimum: 1 } },
      {
        name: "kind",
        required: false,
        type: "string",
        schema: { enum: ["a", "b"], default: "a" },
        complete: ["a", "b"],
      },
    ] as const;
    const resource = {
      uri: "x://{id}{?kind}",
      name: "x",
      variables,
      binding: binding(["x"], [argument("id"), argument("kind")]),
    };
    const x = (id: number, kind = "a") => `${typeof id} ${kind}`;
    const client = await connect(
      createDerivedServer({ server, tools: [], prompts: [], resources: [resource] }, async () => ({ x })),
    );
    const read = async (uri: string) => (await client.read(uri)).contents[0];
    expect(await read("x://7")).toMatchObject({ text: "number a" });
    expect(await read("x://7?kind=b")).toMatchObject({ text: "number b" });
    await expect(read("x://0")).rejects.toMatchObject({ code: -32602 });
    await expect(read("x://seven")).rejects.toMatchObject({ code: -32602 });
    await expect(read("x://7?kind=c")).rejects.toMatchObject({ code: -32602 });
    expect(await client.complete({ type: "ref/resource", uri: "x://{id}{?kind}" }, "kind", "")).toEqual(["a", "b"]);
    await client.close();
  });

  it("checks list items, list length and dot segments in paths", async () => {
    const schema = { type: "array", items: { type: "string", pattern: "^[a-z]$" }, maxItems: 2 } as const;
    const variables = [
      { name: "path", required: true, type: "string", schema: { type: "string" } },
      { name: "tags", required: false, type: "list", schema },
    ] as const;
    const uri = "x://files/{path}{?tags*}";
    const resource = { uri, name: "x", variables, binding: binding(["x"], [argument("path"), argument("tags")]) };
    const x = (path: string, tags: string[] = []) => `${path} ${tags.join("+")}`;
    const manifest = { server, tools: [], prompts: [], resources: [resource] };
    const client = await connect(createDerivedServer(manifest, async () => ({ x })));
    const read = async (query: string) => (await client.read(`x://files/${query}`)).contents[0];
    expect(await read("a?tags=b&tags=c")).toMatchObject({ text: "a b+c" });
    expect(await read("a")).toMatchObject({ text: "a " });
    for (const wrong of ["a?tags=B", "a?tags=b&tags=c&tags=d", "..%2Fa", "%2E%2E"]) {
      await expect(read(wrong)).rejects.toMatchObject({ code: -32602 });
    }
    await client.close();
  });

  it("checks the arguments of a prompt", async () => {
    const argumentOf = { name: "tone", required: true, schema: { enum: ["kind", "curt"] }, complete: ["kind", "curt"] };
    const prompt = {
      name: "greet",
      arguments: [argumentOf],
      binding: binding(["greet"], [argument("tone")], { kind: "content" }),
    };
    const greet = (tone: string) => `Be ${tone}.`;
    const client = await connect(
      createDerivedServer({ server, tools: [], prompts: [prompt], resources: [] }, async () => ({ greet })),
    );
    expect((await client.get("greet", { tone: "kind" })).messages[0]?.content).toMatchObject({ text: "Be kind." });
    await expect(client.get("greet", { tone: "rude" })).rejects.toMatchObject({ code: -32602 });
    await client.close();
  });
});
