import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import express from "express";
import { type ConnectOptions, connect } from "proffer/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { LEGACY } from "../versions.ts";

const require = createRequire(import.meta.url);
const folder = mkdtempSync(join(tmpdir(), "proffer-official-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A package from npm that serves over stdio. */
function commandOf(name: string, ...args: string[]) {
  return { command: process.execPath, args: [require.resolve(`@modelcontextprotocol/${name}/dist/index.js`), ...args] };
}

describe.each([undefined, ...LEGACY])("the servers from npm on %s", (revision) => {
  const options: ConnectOptions = revision === undefined ? {} : { revision };

  it("memory keeps what is written", async () => {
    const command = { ...commandOf("server-memory"), env: { MEMORY_FILE_PATH: join(folder, `${revision}.json`) } };
    await using client = await connect(command, options);
    expect(client.revision).toBe(revision ?? "2025-11-25");
    const entities = [{ name: "Ada", entityType: "person", observations: ["writes"] }];
    await client.call("create_entities", { entities });
    const [text] = (await client.call("read_graph")).content;
    expect(JSON.parse((text as { text: string }).text).entities).toEqual([expect.objectContaining(entities[0])]);
  });

  it("filesystem asks for the roots, and follows their change", async () => {
    writeFileSync(join(folder, "a.txt"), "hello");
    const roots = [{ uri: `file://${folder}` }];
    await using client = await connect(commandOf("server-filesystem", tmpdir()), { ...options, roots });
    const allowed = async () => JSON.stringify((await client.call("list_allowed_directories")).content);
    await expect.poll(allowed).toContain(folder);
    const { content } = await client.call("read_text_file", { path: join(folder, "a.txt") });
    expect(content).toEqual([{ type: "text", text: "hello" }]);
    expect((await client.call("read_text_file", { path: "/etc/hostname" })).isError).toBe(true);
  });
});

describe("a server of the official SDK over HTTP", () => {
  const closers: (() => unknown)[] = [];
  let url = "";

  function createServer(): McpServer {
    const server = new McpServer({ name: "official", version: "1" }, { capabilities: { logging: {} } });
    server.registerTool("ask", { inputSchema: { what: z.string() } }, async ({ what }, { sendNotification, _meta }) => {
      if (_meta?.progressToken !== undefined) {
        const params = { progressToken: _meta.progressToken, progress: 1 };
        await sendNotification({ method: "notifications/progress", params });
      }
      const requestedSchema = { type: "object" as const, properties: { name: { type: "string" as const } } };
      const { action, content } = await server.server.elicitInput({ message: what, requestedSchema });
      return { content: [{ type: "text", text: `${action} ${content?.name}` }] };
    });
    server.registerResource("note", "note://1", {}, () => ({ contents: [{ uri: "note://1", text: "one" }] }));
    return server;
  }

  beforeAll(async () => {
    const app = express().use(express.json());
    const sessions = new Map<string, StreamableHTTPServerTransport>();
    app.all("/mcp", async (request, response) => {
      const known = sessions.get(String(request.headers["mcp-session-id"]));
      if (known !== undefined) return known.handleRequest(request, response, request.body);
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => void sessions.set(id, transport),
      });
      await createServer().connect(transport as never);
      await transport.handleRequest(request, response, request.body);
    });
    const pairs = new Map<string, SSEServerTransport>();
    app.get("/sse", async (_, response) => {
      const transport = new SSEServerTransport("/messages", response);
      pairs.set(transport.sessionId, transport);
      await createServer().connect(transport);
    });
    app.post("/messages", (request, response) =>
      pairs.get(String(request.query.sessionId))?.handlePostMessage(request, response, request.body),
    );
    const server = app.listen(0, "127.0.0.1");
    await once(server, "listening");
    closers.push(() => server.close().closeAllConnections());
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    for (const close of closers) close();
  });

  it.each([
    ["/mcp", undefined],
    ["/mcp", "2025-11-25"],
    ["/mcp", "2025-06-18"],
    ["/sse", undefined],
    ["/sse", "2025-06-18"],
  ])("%s on %s: asks in a call, reports progress, serves resources", async (path, revision) => {
    const progress: unknown[] = [];
    const answers = () => ({ name: "Ada" });
    await using client = await connect(url + path, { answers, ...(revision && { revision }) });
    const onProgress = (params: { progress?: unknown }) => progress.push(params.progress);
    const { content } = await client.call("ask", { what: "who?" }, { onProgress });
    expect(content).toEqual([{ type: "text", text: "accept Ada" }]);
    expect(progress).toEqual([1]);
    expect((await client.read("note://1")).contents).toEqual([{ uri: "note://1", text: "one" }]);
    expect(client.revision).toBe(revision ?? "2025-11-25");
  });
});
