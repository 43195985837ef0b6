import { createRequire } from "node:module";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { connect } from "proffer/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { distFile } from "../../proffer/test/dist.ts";
import { createProject, type Project, waitForStderr } from "./project.ts";

let project: Project;
const PROFFER = distFile("bin.js");
/** A server of somebody else, of an old revision, from npm. */
const MEMORY = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-memory/dist/index.js");

beforeAll(() => {
  project = createProject();
  project.write(
    "shop.mjs",
    'import { defineServer, defineTool, defineResource, field } from "proffer";',
    'import { serveStdio } from "proffer/stdio";',
    'const order = defineTool({ name: "order", handle: async (_, ctx) => {',
    '  const answer = await ctx.ask("How many?", { count: field.integer() });',
    '  return "Ordered " + answer.content.count + "."; } });',
    'const stock = defineResource({ uri: "shop://stock/{item}", name: "stock", read: ({ item }) => "2 of " + item });',
    'serveStdio(defineServer({ name: "shop", version: "1", instructions: "Sell.", tools: [order], resources: [stock] }));',
  );
});
afterAll(() => project.remove());

describe("proffer upgrade", () => {
  const command = () => ["--", process.execPath, MEMORY];
  it("serves a command over stdio on the newest revision, with the names that it has", async () => {
    const args = [PROFFER, "upgrade", "--env", `MEMORY_FILE_PATH=${project.path("memory.jsonl")}`, ...command()];
    await using client = await connect({ command: process.execPath, args }, { onStderr: () => {} });
    expect(client.revision).toBe("2026-07-28");
    const names = (await client.listTools()).map(({ name }) => name);
    expect(names).toContain("create_entities");
    const entities = [{ name: "Ada", entityType: "person", observations: ["writes programs"] }];
    expect((await client.call("create_entities", { entities })).isError).toBeFalsy();
    expect(JSON.stringify(await client.call("search_nodes", { query: "Ada" }))).toContain("writes programs");
  });

  it("passes questions and resources on, also to an official client of an old revision", async () => {
    const args = [PROFFER, "upgrade", "--resource-tools", "always", "--", process.execPath, project.path("shop.mjs")];
    const client = new Client1({ name: "t", version: "1" }, { capabilities: { elicitation: {} } });
    const { ElicitRequestSchema } = await import("@modelcontextprotocol/sdk/types.js");
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { count: 3 } }));
    await client.connect(new Stdio1({ command: process.execPath, args, stderr: "ignore" }));
    expect(client.getInstructions()).toContain("Sell.");
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["order", "stock"]);
    expect(await client.callTool({ name: "order" })).toMatchObject({ content: [{ text: "Ordered 3." }] });
    expect(await client.callTool({ name: "stock", arguments: { item: "hats" } })).toMatchObject({
      content: [{ text: "2 of hats" }, {}],
    });
    await client.close();
  });

  it("serves over HTTP with the flags of serve: a choice of tools, health", async () => {
    const flags = ["--http", "0", "--health", "--except", "delete_*", "--toolset", "read=read_*,search_*,open_*"];
    const child = project.start("upgrade", ...flags, ...command());
    const url = /http:\/\/\S+\/mcp/.exec(await waitForStderr(child, /http:\/\/\S+\/mcp/))?.[0] ?? "";
    expect((await fetch(url.replace("/mcp", "/readyz"))).status).toBe(200);
    await using client = await connect(url);
    const names = (await client.listTools()).map(({ name }) => name);
    expect(names).toContain("read_graph");
    expect(names).not.toContain("delete_entities");
    await using chosen = await connect(`${url}?toolsets=read`);
    expect((await chosen.listTools()).map(({ name }) => name).sort()).toEqual([
      "open_nodes",
      "read_graph",
      "search_nodes",
    ]);
    child.kill();
  });

  it("refuses what it cannot serve, and says why", async () => {
    const run = (...words: string[]) => project.proffer("upgrade", ...words);
    expect(await run("tools.ts")).toMatchObject({ status: 2, stderr: expect.stringContaining('"tools.ts" is no URL') });
    expect(await run()).toMatchObject({ status: 2, stderr: expect.stringContaining("Missing argument") });
    expect(await run("--nonsense")).toMatchObject({ status: 2, stderr: expect.stringContaining("Unknown option") });
    expect(await run("--env", "A=1", "http://a/mcp")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("--env is for a command"),
    });
    expect(await run("--header", "a: b", "--", "x")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("requires the URL"),
    });
    expect(await run("--resource-tools", "x", "http://a/mcp")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("resourceTools must be"),
    });
  });
});
