// mcp-lite behind hono and @hono/node-server, as in its quick start. Modes: stateless | session. It has no stdio.
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { InMemorySessionAdapter, McpServer, StreamableHttpTransport } from "mcp-lite";
import { z } from "zod";
import { contentsOf, definitionOf, TOOL_TEXTS, textResult } from "../workload/definition.mjs";
import { SCHEMAS } from "../workload/schemas.mjs";

const [, mode, profile] = process.argv.slice(2);
const { tools, resources, templates } = definitionOf(profile);

const server = new McpServer({ name: "mcp-lite", version: "1.0.0", schemaAdapter: (schema) => z.toJSONSchema(schema) });
for (const { name, description, kind } of tools) {
  server.tool(name, {
    description,
    inputSchema: SCHEMAS[kind],
    handler: async (args) => textResult(TOOL_TEXTS[kind](args)),
  });
}
for (const resource of resources) {
  const { uri, name, mimeType } = resource;
  server.resource(uri, { name, mimeType }, async () => ({ contents: [contentsOf(resource)] }));
}
for (const { name, uriTemplate, mimeType, read } of templates) {
  server.resource(uriTemplate, { name, mimeType }, async (uri, { id }) => ({
    contents: [{ uri: uri.href, mimeType, text: await read(id) }],
  }));
}

const sessions = { sessionAdapter: new InMemorySessionAdapter({ maxEventBufferSize: 1024 }) };
const handler = new StreamableHttpTransport(mode === "session" ? sessions : {}).bind(server);
const app = new Hono();
app.all("/mcp", (context) => handler(context.req.raw));
serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: "127.0.0.1" });
