// @modelcontextprotocol/server, version 2 of the official SDK.
// Modes over HTTP: handler (createMcpHandler: JSON to modern clients, events to legacy ones) | session (legacy, JSON)
//                  | express | hono (createMcpHandler behind them).
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createMcpHandler, McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import { contentsOf, definitionOf, TOOL_TEXTS, textResult } from "../workload/definition.mjs";
import { SCHEMAS } from "../workload/schemas.mjs";
import { dialogue, STATE } from "./sdk-v2-dialogue.mjs";

const [transport, mode, profile] = process.argv.slice(2);
const { tools, resources, templates } = definitionOf(profile);
const port = Number(process.env.PORT);

const OPTIONS = { capabilities: { resources: { subscribe: true } }, requestState: { verify: STATE.verify } };

/** Notifies listeners of changes. */
let notifier;

const HANDLERS = {
  dialogue,
  touch: async () => {
    notifier.resourceUpdated("text://1k");
    return textResult("told");
  },
};

function build() {
  const server = new McpServer({ name: "sdk-v2", version: "1.0.0" }, OPTIONS);
  for (const { name, description, kind } of tools) {
    const handle = HANDLERS[kind] ?? (async (args) => textResult(TOOL_TEXTS[kind](args)));
    server.registerTool(name, { description, inputSchema: SCHEMAS[kind] }, handle);
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

async function serveHttp() {
  const node = await import("@modelcontextprotocol/node");
  const hostAllowed = node.localhostHostValidation();
  const originAllowed = node.localhostOriginValidation();
  const handle = mode === "session" ? sessionHandler(node) : node.toNodeHandler(buildHandler());
  createServer((request, response) => {
    if (hostAllowed(request, response) && originAllowed(request, response)) void handle(request, response);
  }).listen(port, "127.0.0.1");
}

function buildHandler() {
  const handler = createMcpHandler(build);
  notifier = handler.notify;
  return handler;
}

function sessionHandler({ NodeStreamableHTTPServerTransport }) {
  const sessions = new Map();
  return async (request, response) => {
    let endpoint = sessions.get(request.headers["mcp-session-id"]);
    if (endpoint === undefined) {
      endpoint = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        enableJsonResponse: true,
        onsessioninitialized: (id) => sessions.set(id, endpoint),
      });
      await build().connect(endpoint);
    }
    await endpoint.handleRequest(request, response);
  };
}

async function serveExpress() {
  const { createMcpExpressApp } = await import("@modelcontextprotocol/express");
  const { toNodeHandler } = await import("@modelcontextprotocol/node");
  const handle = toNodeHandler(createMcpHandler(build));
  const app = createMcpExpressApp();
  app.all("/mcp", (request, response) => handle(request, response, request.body));
  app.listen(port, "127.0.0.1");
}

async function serveHono() {
  const { createMcpHonoApp } = await import("@modelcontextprotocol/hono");
  const { serve } = await import("@hono/node-server");
  const handler = createMcpHandler(build);
  const app = createMcpHonoApp();
  app.all("/mcp", (context) => handler.fetch(context.req.raw, { parsedBody: context.get("parsedBody") }));
  serve({ fetch: app.fetch, port, hostname: "127.0.0.1" });
}

if (transport === "stdio") {
  const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
  serveStdio(build);
} else if (mode === "express") await serveExpress();
else if (mode === "hono") await serveHono();
else await serveHttp();
