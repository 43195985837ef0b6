// @modelcontextprotocol/sdk, version 1, with JSON answers.
// Modes over HTTP: stateless | session | express (stateless) | hono (@hono/mcp, stateless).
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import {
  contentsOf,
  definitionOf,
  dialogueText,
  QUESTIONS,
  questionText,
  TOOL_TEXTS,
  textResult,
} from "../workload/definition.mjs";
import { QUESTION_SCHEMA } from "../workload/json-schemas.mjs";
import { SHAPES } from "../workload/schemas.mjs";

const [transport, mode, profile] = process.argv.slice(2);
const { tools, resources, templates } = definitionOf(profile);
const port = Number(process.env.PORT);

/** A server of this SDK has one connection, so stateless serving creates one server per request. */
function build() {
  const server = new McpServer({ name: "sdk-v1", version: "1.0.0" });
  for (const { name, description, kind } of tools) {
    const handle = kind === "dialogue" ? () => dialogue(server) : async (args) => textResult(TOOL_TEXTS[kind](args));
    server.registerTool(name, { description, inputSchema: SHAPES[kind] }, handle);
  }
  for (const resource of resources) {
    const { uri, name, mimeType } = resource;
    server.registerResource(name, uri, { mimeType }, async () => ({ contents: [contentsOf(resource)] }));
  }
  for (const { name, uriTemplate, mimeType, read } of templates) {
    const template = new ResourceTemplate(uriTemplate, { list: undefined });
    server.registerResource(name, template, { mimeType }, async (uri, { id }) => ({
      contents: [{ uri: uri.href, mimeType, text: await read(id) }],
    }));
  }
  return server;
}

async function dialogue(server) {
  const values = [];
  while (values.length < QUESTIONS) {
    const question = { message: questionText(values.length), requestedSchema: QUESTION_SCHEMA };
    const { content } = await server.server.elicitInput(question);
    values.push(content.value);
  }
  return textResult(dialogueText(values));
}

async function serveStdio() {
  const { StdioServerTransport } = await import("@modelcontextprotocol/sdk/server/stdio.js");
  await build().connect(new StdioServerTransport());
}

async function serveHttp() {
  const { StreamableHTTPServerTransport } = await import("@modelcontextprotocol/sdk/server/streamableHttp.js");
  const sessions = new Map();

  async function handleStateless(request, response, body) {
    const server = build();
    const endpoint = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
    response.on("close", () => {
      endpoint.close();
      server.close();
    });
    await server.connect(endpoint);
    await endpoint.handleRequest(request, response, body);
  }

  async function handleSession(request, response) {
    let endpoint = sessions.get(request.headers["mcp-session-id"]);
    if (endpoint === undefined) {
      endpoint = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        enableJsonResponse: true,
        onsessioninitialized: (id) => sessions.set(id, endpoint),
      });
      await build().connect(endpoint);
    }
    await endpoint.handleRequest(request, response);
  }

  if (mode !== "express") {
    createServer(mode === "session" ? handleSession : (...args) => handleStateless(...args)).listen(port, "127.0.0.1");
    return;
  }
  const { createMcpExpressApp } = await import("@modelcontextprotocol/sdk/server/express.js");
  const app = createMcpExpressApp();
  app.post("/mcp", (request, response) => handleStateless(request, response, request.body));
  app.listen(port, "127.0.0.1");
}

async function serveHono() {
  const { Hono } = await import("hono");
  const { serve } = await import("@hono/node-server");
  const { StreamableHTTPTransport } = await import("@hono/mcp");
  const app = new Hono();
  app.all("/mcp", async (context) => {
    const endpoint = new StreamableHTTPTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
    await build().connect(endpoint);
    return endpoint.handleRequest(context);
  });
  serve({ fetch: app.fetch, port, hostname: "127.0.0.1" });
}

if (transport === "stdio") await serveStdio();
else if (mode === "hono") await serveHono();
else await serveHttp();
