import { defineServer, defineTool } from "proffer";
import { serveHttp } from "proffer/http";
import { connectOver } from "proffer/testing";
import { expect, it } from "vitest";
import { linkUrl } from "./http-link.ts";

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
