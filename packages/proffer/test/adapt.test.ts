import { defineServer, defineTool, image, link, result, type Server, type ServerOptions } from "proffer";
import { connect, connectOver, type JsonObject } from "proffer/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { connectMemory } from "../src/transports/memory.ts";

const LONG = "reports_".repeat(10);
const Tree: z.ZodType = z.object({ value: z.number(), kids: z.array(z.lazy(() => Tree)) });

function createServer(options: Partial<ServerOptions> = {}): Server {
  return defineServer({
    name: "shop",
    version: "1",
    adapt: true,
    tools: [
      defineTool({ name: `${LONG}first`, handle: () => "first" }),
      defineTool({ name: `${LONG}second`, handle: () => "second" }),
      defineTool({ name: "dot.ted", handle: () => "dotted" }),
      defineTool({ name: "dot_ted", handle: () => "underscored" }),
      defineTool({ name: "tree", input: z.object({ tree: Tree }), handle: () => "" }),
      defineTool({
        name: "chart",
        output: { type: "object", properties: { n: { type: "number" } } },
        handle: () => result({ n: 1 }, { content: [image(new Uint8Array([1]), "image/png")] }),
      }),
      defineTool({ name: "either", output: { anyOf: [{ type: "object" }, { type: "null" }] }, handle: () => null }),
      defineTool({ name: "count", handle: () => 42 }),
      defineTool({ name: "more", handle: () => link({ uri: "shop://1", name: "One" }) }),
    ],
    ...options,
  });
}

/** A client that calls itself this; lists and results are as the server sends them. */
const named = (server: Server, name: string, revision = "2025-06-18") =>
  connect(server, { revision, info: { name, version: "1" } });

describe("a server with adapt", () => {
  it("shortens names that a client would leave out, and calls the right tools by them", async () => {
    const client = await named(createServer(), "cursor-vscode");
    const names = (await client.listTools()).map(({ name }) => name);
    for (const name of names) expect(`shop${name}`.length).toBeLessThanOrEqual(60);
    expect(new Set(names).size).toBe(9);
    expect(await client.call(names[0] ?? "")).toMatchObject({ content: [{ text: "first" }] });
    expect(await client.call(names[1] ?? "")).toMatchObject({ content: [{ text: "second" }] });
    expect(await client.call(`${LONG}second`)).toMatchObject({ content: [{ text: "second" }] });
    expect(names).toEqual((await (await named(createServer(), "cursor-vscode")).listTools()).map(({ name }) => name));
  });

  it("never gives the name of one tool to another", async () => {
    const client = await named(createServer(), "Zed");
    const names = (await client.listTools()).map(({ name }) => name);
    expect(names).toContain("dot_ted");
    const dotted = names.find((name) => name.startsWith("dot_ted_")) ?? "";
    expect(await client.call("dot_ted")).toMatchObject({ content: [{ text: "underscored" }] });
    expect(await client.call(dotted)).toMatchObject({ content: [{ text: "dotted" }] });
  });

  it("resolves references for clients that do not", async () => {
    const [own, other] = await Promise.all([
      named(createServer(), "gemini-cli-mcp-client"),
      named(createServer(), "someone"),
    ]);
    const schemaOf = async (client: typeof own) => (await client.listTools()).find(({ name }) => name === "tree");
    expect(JSON.stringify(await schemaOf(other))).toContain("$ref");
    expect(JSON.stringify(await schemaOf(own))).not.toContain("$ref");
  });

  it("sends an image without structured content to a client that would drop the image", async () => {
    const own = await (await named(createServer(), "codex-mcp-client")).call("chart");
    expect(own).toEqual({ content: [{ type: "image", data: "AQ==", mimeType: "image/png" }] });
    const other = await (await named(createServer(), "someone")).call("chart");
    expect(other).toMatchObject({ structuredContent: { n: 1 } });
  });

  it("sends links as text to a client that drops them", async () => {
    const { content } = await (await named(createServer(), "Zed")).call("more");
    expect(content).toEqual([{ type: "text", text: "One: shop://1" }]);
  });

  it("does not list outputs that broke connections", async () => {
    const list = async (name: string) => (await named(createServer(), name, "2026-07-28")).listTools();
    const find = async (name: string) => (await list(name)).find((tool) => tool.name === "either");
    expect(await find("claude-ai")).not.toHaveProperty("outputSchema");
    expect(await find("someone")).toHaveProperty("outputSchema");
  });

  it("lists for unknown clients, and without the option for all, as always", async () => {
    const plain = createServer({ adapt: false });
    const expected = await (await named(plain, "someone")).listTools();
    expect(await (await named(plain, "Zed")).listTools()).toEqual(expected);
    for (const name of ["someone", "", "zed", "codex-mcp-client-fake", "__proto__"]) {
      expect(await (await named(createServer(), name)).listTools()).toEqual(expected);
    }
  });

  it("serializes lists once per revision and shape, not per client", async () => {
    const server = createServer();
    const { pages } = server as unknown as { pages: Map<string, unknown> };
    for (const name of ["someone", "other", "Zed", "Zed", "goose", "windsurf-client"]) {
      await (await named(server, name)).listTools();
    }
    expect([...pages.keys()].filter((key) => key.startsWith("tools"))).toHaveLength(2);
  });

  it("adds structured content to a text that is JSON, but no object, for Gemini CLI, which would refuse it", async () => {
    const gemini = await named(createServer(), "gemini-cli-mcp-client");
    expect(await gemini.call("count")).toEqual({ content: [{ type: "text", text: "42" }], structuredContent: {} });
    expect(await gemini.call(`${LONG}first`)).toEqual({ content: [{ type: "text", text: "first" }] });
    expect(await (await named(createServer(), "Zed")).call("count")).not.toHaveProperty("structuredContent");
  });

  it("converts links to text for opencode, which drops them", async () => {
    expect(await (await named(createServer(), "opencode")).call("more")).toMatchObject({
      content: [{ type: "text", text: "One: shop://1" }],
    });
  });

  it("does not let a client in by its name: hidden and restricted tools stay so under shortened names", async () => {
    const seen: unknown[] = [];
    const server = createServer({
      shows: (item) => item.name !== `${LONG}second`,
      middleware: (call, next) => {
        seen.push(call.name);
        return next();
      },
    });
    const open = await named(createServer(), "cursor-vscode");
    const [first = "", second = ""] = (await open.listTools()).map(({ name }) => name);
    const client = await named(server, "cursor-vscode");
    expect((await client.listTools()).map(({ name }) => name)).not.toContain(second);
    await expect(client.call(second)).rejects.toMatchObject({ code: -32602 });
    await client.call(first);
    expect(seen.at(-1)).toBe(`${LONG}first`);
  });

  it("checks scopes of a tool under its shortened name", async () => {
    const secret = defineTool({ name: `${LONG}secret`, scopes: ["admin"], handle: () => "secret" });
    const server = defineServer({ name: "shop", version: "1", adapt: true, tools: [secret] });
    const principal = { id: "ada", scopes: [] };
    const client = await connect(server, {
      principal,
      revision: "2025-06-18",
      info: { name: "cursor-vscode", version: "1" },
    });
    const [tool] = await client.listTools();
    expect(tool?.name).not.toBe(secret.name);
    await expect(client.call(tool?.name ?? "")).rejects.toMatchObject({ code: -31001 });
  });

  it("accepts a malformed name of a client", async () => {
    for (const info of [{ name: 1 }, { name: ["Zed"] }, {}, { name: "x".repeat(100_000) }] as JsonObject[]) {
      const client = await connectOver(
        (receive) => {
          const connection = connectMemory(createServer(), receive);
          return { send: connection.send, close: connection.close };
        },
        { info: info as never, revision: "2026-07-28" },
      );
      expect(await client.listTools()).toHaveLength(9);
    }
  });

  it.each([["yes"], [1]])("refuses adapt: %j", (adapt) => {
    expect(() => createServer({ adapt: adapt as never })).toThrow("adapt");
  });

  it("refuses shared caches", () => {
    expect(() => createServer({ cache: { cacheScope: "public" } })).toThrow("adapt");
  });
});
