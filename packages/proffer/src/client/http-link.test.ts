import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { defineServer, defineTool } from "proffer";
import { connect } from "proffer/client";
import { serveHttp } from "proffer/http";
import { connectOver } from "proffer/testing";
import { expect, it } from "vitest";
import { linkUrl } from "./http-link.ts";

it("offers no tool whose arguments cannot be repeated in headers, on the revision that repeats them", async () => {
  const header = (name: unknown, type: unknown = "string") => ({ type, "x-mcp-header": name });
  const tool = (name: string, properties: object) => ({ name, inputSchema: { type: "object", properties } });
  const tools = [
    tool("good", { a: header("A"), b: { type: "object", properties: { c: header("B", "integer") } } }),
    tool("empty", { a: header("") }),
    tool("spaced", { a: header("A B") }),
    tool("no-text", { a: header(7) }),
    tool("number", { a: header("A", "number") }),
    tool("twice", { a: header("A"), b: header("a") }),
    tool("plain", {}),
  ];
  const http = createServer(async (request, response) => {
    if (request.method === "GET") return void response.writeHead(405).end();
    const { id, method } = JSON.parse(await readText(request));
    const result =
      method === "tools/list" ? { tools } : { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };
    const opened = {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "s", version: "1" },
    };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result: method === "initialize" ? opened : result }));
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  const listed = async (revision: string) => {
    await using client = await connect(url, { revision });
    return (await client.listTools()).map(({ name }) => name);
  };
  expect(await listed("2026-07-28")).toEqual(["good", "plain"]);
  expect(await listed("2025-11-25")).toHaveLength(7);
  http.close().closeAllConnections();
});

it("repeats arguments in headers, which the tool list declares", async () => {
  const where = defineTool({
    name: "where",
    description: "Says where.",
    input: {
      type: "object",
      properties: {
        region: { type: "string", "x-mcp-header": "Region" },
        options: {
          type: "object",
          properties: {
            shard: { type: "integer", "x-mcp-header": "Shard" },
            fast: { type: "boolean", "x-mcp-header": "Fast" },
          },
        },
      },
    },
    handle: (input) => JSON.stringify(input),
  });
  const service = await serveHttp(defineServer({ name: "places", version: "1.0.0", tools: [where] }), { port: 0 });
  const client = await connectOver(linkUrl(service.url));
  // The server rejects a call whose headers are missing or differ from the arguments. The client then reads the list.
  const params = { name: "where", arguments: { region: "eu" } };
  await expect(client.request("tools/call", params)).rejects.toMatchObject({ code: -32020 });
  await client.call("where", { region: "eu" });
  for (const input of [
    { region: "eu", options: { shard: -7, fast: false } },
    { region: " Zürich\n", options: {} },
    { region: "=?base64?ZXU=?=" },
    {},
  ]) {
    expect((await client.call("where", input)).content).toEqual([{ type: "text", text: JSON.stringify(input) }]);
  }
  await client.close();
  await service.close();
});
