import { defineServer, defineTool } from "proffer";
import { serveHttp } from "proffer/http";
import { connectOver } from "proffer/testing";
import { expect, it } from "vitest";
import { linkUrl } from "./http-link.ts";

it("repeats arguments in headers once the tool list has declared them", async () => {
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
  // The server rejects a call whose headers are missing or differ from the arguments.
  await expect(client.call("where", { region: "eu" })).rejects.toThrow();
  await client.listTools();
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
