import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { defineResource, defineServer, defineTool, field } from "proffer";
import type { SeenHead } from "proffer/client";
import { linkCommand, linkUrl } from "proffer/client";
import { serveHttp } from "proffer/http";
import { connectOver } from "proffer/testing";
import { afterEach, describe, expect, it } from "vitest";
import { ByteBudget } from "../src/client/limits.ts";

const SESSIONS = "2025-11-25";
const EVENTS = { "content-type": "text/event-stream" };
const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function serve(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(handle).listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

async function bodyOf(request: IncomingMessage): Promise<{ id?: number; method: string }> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
}

function answer(response: ServerResponse, body: unknown, headers = {}): void {
  response.writeHead(200, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

const INITIALIZED = { protocolVersion: SESSIONS, capabilities: {}, serverInfo: { name: "x", version: "1" } };

function createShop() {
  let stock = 7;
  const server = defineServer({
    name: "shop",
    version: "1.0.0",
    resources: [defineResource({ uri: "shop://stock", name: "Stock", read: () => String(stock) })],
    tools: [
      defineTool({
        name: "ask",
        handle: async (_, ctx) => {
          const { action } = await ctx.ask("Sure?", { sure: field.boolean() });
          return action;
        },
      }),
    ],
  });
  const change = () => {
    stock--;
    server.notify("shop://stock");
  };
  return { server, change };
}

describe("a link to a URL", () => {
  it("receives the messages that a session sends outside of responses", async () => {
    const { server, change } = createShop();
    const service = await serveHttp(server, { port: 0 });
    closers.push(() => service.close());
    const client = await connectOver(linkUrl(service.url), { revision: SESSIONS });
    closers.push(() => client.close());
    await client.listen({ uris: ["shop://stock"] });
    // The stream may be opened after the first change.
    const seen = client.waitFor("notifications/resources/updated");
    const timer = setInterval(change, 50);
    await seen;
    clearInterval(timer);
  });

  it("resumes a stream that breaks off before its response", async () => {
    const resumed: unknown[] = [];
    const url = await serve(async (request, response) => {
      if (request.method === "DELETE") return response.writeHead(200).end();
      if (request.method === "GET") {
        const after = request.headers["last-event-id"];
        if (after === undefined) return response.writeHead(405).end();
        resumed.push([after, request.headers["mcp-session-id"]]);
        if (resumed.length === 1) return response.writeHead(200, EVENTS).end("id: 5\nretry: 1\ndata: {}\n\n");
        return response.writeHead(200, EVENTS).end('id: 6\ndata: {"jsonrpc":"2.0","id":2,"result":{"content":[]}}\n\n');
      }
      const { id, method } = await bodyOf(request);
      if (method === "initialize") return answer(response, { id, result: INITIALIZED }, { "mcp-session-id": "s1" });
      if (id === undefined) return response.writeHead(202).end();
      response.writeHead(200, EVENTS).write("id: 4\nretry: 1\ndata: {}\n\n", () => response.destroy());
    });
    const client = await connectOver(linkUrl(url), { revision: SESSIONS });
    expect(await client.call("x")).toEqual({ content: [] });
    expect(resumed).toEqual([
      ["4", "s1"],
      ["5", "s1"],
    ]);
    await client.close();
  });

  it("fails a request whose stream cannot be resumed", async () => {
    const url = await serve(async (request, response) => {
      if (request.method !== "POST") return response.writeHead(404).end();
      const { id, method } = await bodyOf(request);
      if (method === "initialize") return answer(response, { id, result: INITIALIZED }, { "mcp-session-id": "s1" });
      if (id === undefined) return response.writeHead(202).end();
      response.writeHead(200, EVENTS).end("id: 4\nretry: 1\ndata: {}\n\n");
    });
    const client = await connectOver(linkUrl(url), { revision: SESSIONS });
    await expect(client.call("x")).rejects.toThrow("responded with status 200 OK.");
    await client.close();
  });

  it("shows heads and exact texts, also of texts that are no messages, and sends any text", async () => {
    const { server } = createShop();
    const service = await serveHttp(server, { port: 0 });
    closers.push(() => service.close());
    const sent: [string, SeenHead | undefined][] = [];
    const received: [string, SeenHead | undefined][] = [];
    const observer = {
      sent: (...seen: (typeof sent)[number]) => sent.push(seen),
      received: (...seen: (typeof received)[number]) => received.push(seen),
    };
    const headers = { "x-tenant": "acme" };
    const client = await connectOver(linkUrl(service.url, { headers, observer }));
    closers.push(() => client.close());
    const text = '{ "jsonrpc":"2.0", "id": 99,"method":"tools/call",,}';
    client.send(text);
    await expect.poll(() => received.length).toBe(2);
    expect(sent[0]?.[1]?.requestHeaders).toMatchObject({
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "server/discover",
      "x-tenant": "acme",
    });
    expect(sent[1]?.[0]).toBe(text);
    expect(received[1]?.[0]).toContain("-32700");
    expect(received[1]?.[1]).toMatchObject({ status: 400, responseHeaders: { "content-type": "application/json" } });
  });
});

describe("the transport of 2024-11-05", () => {
  it("is found at a server of the official SDK, and carries calls, questions and notifications", async () => {
    const transports = new Map<string, SSEServerTransport>();
    const url = await serve(async (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "", "http://x");
      if (pathname === "/mcp" && request.method === "GET") {
        const transport = new SSEServerTransport("/messages", response);
        transports.set(transport.sessionId, transport);
        const server = new McpServer({ name: "old", version: "1" });
        server.registerTool("sure", {}, async () => {
          await server.server.sendLoggingMessage({ level: "info", data: "asking" });
          const { action } = await server.server.elicitInput({
            message: "Sure?",
            requestedSchema: { type: "object", properties: {} },
          });
          return { content: [{ type: "text", text: action }] };
        });
        await server.connect(transport);
      } else if (pathname === "/messages") {
        await transports.get(searchParams.get("sessionId") ?? "")?.handlePostMessage(request, response);
      } else response.writeHead(404).end();
    });
    const client = await connectOver(linkUrl(url), { revision: SESSIONS, answers: () => "decline" });
    expect(await client.listTools()).toMatchObject([{ name: "sure" }]);
    expect(await client.call("sure")).toMatchObject({ content: [{ text: "decline" }] });
    await client.close();
  });

  it("is not used if it names another origin, or no address", async () => {
    for (const [stream, problem] of [
      ["event: endpoint\ndata: http://example.com/steal\n\n", "which is another origin"],
      ["event: endpoint\ndata: http://[\n\n", "names an invalid address for messages"],
      ["data: {}\n\n", "names no address for messages"],
    ]) {
      const url = await serve((request, response) => {
        if (request.method === "GET") response.writeHead(200, EVENTS).end(stream);
        else response.writeHead(405).end();
      });
      await expect(connectOver(linkUrl(url), { revision: SESSIONS })).rejects.toThrow(problem);
    }
  });

  it("counts the bytes of its stream", async () => {
    const url = await serve((request, response) => {
      if (request.method !== "GET") return response.writeHead(request.url === "/messages" ? 202 : 404).end();
      response.writeHead(200, EVENTS).write("event: endpoint\ndata: /messages\n\n");
      const timer = setInterval(() => response.write(`data: ${"x".repeat(10_000)}\n\n`), 1);
      response.on("close", () => clearInterval(timer));
    });
    const link = linkUrl(url, { meter: new ByteBudget(100_000).meter });
    await expect(connectOver(link, { revision: SESSIONS })).rejects.toThrow("The server sent more than 100000 bytes.");
  });

  it("reports the first response if there is no stream either", async () => {
    const url = await serve((_, response) => response.writeHead(404).end());
    await expect(connectOver(linkUrl(url), { revision: SESSIONS })).rejects.toThrow(
      "responded with status 404 Not Found.",
    );
  });
});

it("a link to a command gives it a folder and an environment, and collects its stderr", async () => {
  const program = `
    process.stderr.write(process.env.GREETING + " " + process.cwd());
    process.stdin.once("data", (text) => process.stdout.write("no message\\n" + JSON.stringify({
      jsonrpc: "2.0", id: 1, result: { resultType: "complete", supportedVersions: [], capabilities: {} } }) + "\\n"));`;
  let stderr = "";
  const received: string[] = [];
  const onStderr = (text: string) => {
    stderr += text;
  };
  const observer = { received: (text: string) => received.push(text) };
  const env = { ...process.env, GREETING: "hello" };
  const client = await connectOver(
    linkCommand([process.execPath, "-e", program], { observer, onStderr, cwd: "/", env }),
  );
  await expect.poll(() => stderr).toBe("hello /");
  expect(received[0]).toBe("no message");
  await client.close();
});
