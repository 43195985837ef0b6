import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { definePrompt, defineResource, defineServer, defineTool, fail, image, user } from "proffer";
import { connect, ToolFailure, TypesMismatch } from "proffer/client";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";

const add = defineTool({
  name: "add",
  input: z.object({ a: z.number(), b: z.number().optional() }),
  output: z.object({ sum: z.number() }),
  handle: ({ a, b = 1 }) => (a < 0 ? fail("Too small.") : { sum: a + b }),
});
const parts = defineTool({
  name: "split.words",
  input: { type: "object", properties: { text: { type: "string" } }, required: ["text"], additionalProperties: false },
  output: { type: "array", items: { type: "string" } },
  handle: ({ text }) => text.split(" "),
});
const ping = defineTool({ name: "ping", handle: () => "pong" });
const review = definePrompt({
  name: "review",
  arguments: { code: { required: true }, language: {} },
  get: ({ code, language = "any" }) => user(`${language}: ${code}`),
});
const order = defineResource({
  uri: "orders://{id}{?limit,tags*}",
  name: "order",
  read: ({ id, limit, tags }) => ({ id, limit, tags }),
});
const stock = defineResource({ uri: "shop://stock", name: "stock", read: () => "2" });
const server = defineServer({
  name: "shop",
  version: "2.0.0",
  tools: [add, parts, ping],
  prompts: [review],
  resources: [[order], stock],
});

describe("a typed client of definitions", () => {
  it("calls tools with one object", async () => {
    await using client = await connect(server);
    const { sum } = await client.tools.add({ a: 1, b: 2 });
    expectTypeOf(sum).toEqualTypeOf<number>();
    expect(sum).toBe(3);
    expect(await client.tools["split.words"]({ text: "a b" })).toEqual(["a", "b"]);
    // Without an output schema there are only blocks.
    expect(await client.tools.ping()).toEqual([{ type: "text", text: "pong" }]);
  });

  it("unwraps results of older revisions", async () => {
    await using client = await connect(server, { revision: "2025-11-25" });
    expect(await client.tools["split.words"]({ text: "a b" })).toEqual(["a", "b"]);
  });

  it("throws failures of tools", async () => {
    await using client = await connect(server);
    const failure = await client.tools.add({ a: -1 }).catch((error) => error);
    expect(failure).toBeInstanceOf(ToolFailure);
    expect(failure).toMatchObject({ message: "Too small.", tool: "add", result: { isError: true } });
  });

  it("gets prompts and reads resources", async () => {
    await using client = await connect(server);
    const { messages } = await client.prompts.review({ code: "let x" });
    expect(messages[0]?.content).toEqual({ type: "text", text: "any: let x" });
    const { contents } = await client.resources["orders://{id}{?limit,tags*}"]({ id: 7, limit: 5, tags: ["a", "b"] });
    expect(JSON.parse(contents[0]?.text ?? "")).toEqual({ id: "7", limit: "5", tags: ["a", "b"] });
    expect((await client.resources["shop://stock"]()).contents[0]?.text).toBe("2");
  });

  it("refuses at compile time what does not fit", async () => {
    await using client = await connect(server);
    const never = () => [
      // @ts-expect-error: there is no such tool
      client.tools.sub({ a: 1 }),
      // @ts-expect-error: a is missing
      client.tools.add({ b: 1 }),
      // @ts-expect-error: a is a number
      client.tools.add({ a: "1" }),
      // @ts-expect-error: there is no c
      client.tools.add({ a: 1, c: 2 }),
      // @ts-expect-error: the result has no product
      client.tools.add({ a: 1 }).then(({ product }) => product),
      // @ts-expect-error: it takes nothing
      client.tools.ping({}),
      // @ts-expect-error: code is missing
      client.prompts.review({ language: "go" }),
      // @ts-expect-error: id is missing
      client.resources["orders://{id}{?limit,tags*}"]({ limit: 1 }),
      // @ts-expect-error: there is no such resource
      client.resources["shop://prices"](),
    ];
    expect(never).toBeTypeOf("function");
  });

  it("names both versions for an unknown tool or parameter", async () => {
    type Older = {
      $server: { name: "shop"; version: "1.0.0" };
      tools: Record<string, (input?: object) => Promise<unknown>>;
    };
    await using client = await connect<Older & { prompts: object; resources: object }>(server, { typesOf: "1.0.0" });
    await expect(client.tools.sub?.()).rejects.toThrow('shop 2.0.0 has no tool "sub". The types are of version 1.0.0.');
    await expect(client.tools.constructor()).rejects.toThrow('shop 2.0.0 has no tool "constructor".');
    await expect(client.tools["split.words"]?.({ txt: "" })).rejects.toThrow(
      'shop 2.0.0 has no parameter "txt" of tool "split.words". The types are of version 1.0.0.',
    );
    await expect(client.tools["split.words"]?.({ text: "a", ["__proto__"]: 1 })).rejects.toThrow(TypesMismatch);
  });
});

it("does not list parameters on the first revisions, and says so", async () => {
  const old = await connect(server, { revision: "2024-11-05" });
  await expect((old.tools.add as (...args: unknown[]) => unknown)(1, 2)).rejects.toThrow(/takes one object/);
  await old.close();
});

it.each([false, true])("reads what a careless server sends, with failures: %s", async (isError) => {
  const answers: Record<string, object> = {
    "server/discover": { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } },
    "tools/list": {
      tools: [
        { name: "a", _meta: null, outputSchema: null, inputSchema: { properties: null, additionalProperties: false } },
      ],
    },
    "tools/call": { isError },
  };
  const server = createServer(async (request, response) => {
    const { id, method } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    const result = { resultType: "complete", ...answers[method] };
    response.setHeader("content-type", "application/json").end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = await connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  const called = client.tools.a?.();
  if (isError) await expect(called).rejects.toThrow('Tool "a" failed.');
  else expect(await called).toEqual([]);
  await expect(client.tools.a?.({ b: 1 })).rejects.toThrow('has no parameter "b" of tool "a".');
  await client.close();
  server.close();
});

it("gives the blocks of content", async () => {
  const picture = defineTool({ name: "picture", handle: () => image("aGk=", "image/png") });
  await using client = await connect(defineServer({ name: "a", version: "1", tools: [picture] }));
  expect((await client.tools.picture())[0]).toEqual({ type: "image", data: "aGk=", mimeType: "image/png" });
});
