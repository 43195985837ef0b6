import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { defineServer, defineTool, type LogEntry } from "proffer";
import { type Client, connect, type RemoteOptions, remote } from "proffer/client";
import { serveHttp } from "proffer/http";
import { afterEach, describe, expect, it } from "vitest";
import { createUpstream } from "../fixtures/upstream.ts";
import { freePort } from "../free-port.ts";

type Answer = (method: string, params: Record<string, unknown>) => unknown;

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Serves answers as a server of 2025-06-18 without sessions. */
async function hostile(answer: Answer, capabilities: object = { tools: {} }): Promise<string> {
  const server: HttpServer = createServer(async (request, response) => {
    if (request.method !== "POST") return response.writeHead(405).end();
    let body = "";
    for await (const chunk of request) body += chunk;
    const { id, method, params = {} } = JSON.parse(body);
    if (id === undefined) return response.writeHead(202).end();
    const begin = {
      protocolVersion: "2025-06-18",
      capabilities,
      serverInfo: { name: "evil", version: "1" },
    };
    if (method === "server/discover") return response.writeHead(400).end();
    const given = method === "initialize" ? begin : answer(method, params);
    if (given instanceof Function) return given(response, id);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...(isError(given) ? given : { result: given }) }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => server.close());
  server.on("connection", (socket) => closers.push(() => socket.destroy()));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

function isError(value: unknown): value is object {
  return typeof value === "object" && value !== null && "error" in value;
}

const entries: LogEntry[] = [];
const logged = () => entries.map(({ message, error }) => `${message} ${String(error ?? "")}`).join("\n");

/** A client of a server with an honest mount beside the hostile one. */
async function open(url: string, options: RemoteOptions = {}): Promise<Client> {
  entries.length = 0;
  const front = defineServer({
    name: "front",
    version: "1",
    log: (entry) => void entries.push(entry),
    servers: { evil: remote(url, options), good: createUpstream() },
  });
  const client = await connect(front);
  closers.push(() => client.close());
  return client;
}

const schema = { type: "object" };
const namesOf = async (client: Client) => (await client.listTools()).map(({ name }) => name);
const isGood = async (client: Client) =>
  expect((await client.call("good_echo", { text: "still here" })).structuredContent).toEqual({ text: "still here" });

describe("lists", () => {
  it("keeps one of two items with one name, shortens names, and replaces characters that clients refuse", async () => {
    const names = ["same", "same", "x".repeat(200), `${"x".repeat(200)}y`, "with space", "with/space", "ü"];
    const url = await hostile(() => ({ tools: names.map((name) => ({ name, inputSchema: schema })) }));
    const client = await open(url);
    const listed = (await namesOf(client)).filter((name) => name.startsWith("evil"));
    expect(listed).toHaveLength(6);
    expect(new Set(listed).size).toBe(6);
    for (const name of listed) expect(name).toMatch(/^[A-Za-z0-9_.-]{1,64}$/);
    expect(await namesOf(await open(url))).toEqual(await namesOf(client));
    expect(logged()).toContain("There are two of tool evil_same");
    await isGood(client);
  });

  it("repairs schemas: roots that are no object, unknown keywords, references to other documents", async () => {
    const schemas = [
      {
        anyOf: [
          { type: "object", properties: { a: { type: "string" } } },
          { type: "object", properties: { b: {} } },
        ],
      },
      { type: "string" },
      { type: "object", properties: { a: { $ref: "http://169.254.169.254/latest" } } },
      { type: "object", "x-unknown": 1, properties: { a: { type: "nonsense", format: "odd", pattern: "(" } } },
      { type: "object", properties: { a: { type: "object", "x-mcp-header": "bad header" } } },
      { type: "object", $defs: { Self: { properties: { self: { $ref: "#/$defs/Self" } } } }, $ref: "#/$defs/Self" },
    ];
    const tools = schemas.map((inputSchema, at) => ({ name: `t${at}`, inputSchema, outputSchema: { type: "array" } }));
    const url = await hostile((method, params) =>
      method === "tools/list" ? { tools } : { content: [{ type: "text", text: JSON.stringify(params) }] },
    );
    const client = await open(url);
    const listed = (await client.listTools()).filter(({ name }) => name.startsWith("evil"));
    expect(listed).toHaveLength(schemas.length);
    for (const { inputSchema } of listed) expect(inputSchema).toMatchObject({ type: "object" });
    expect(JSON.stringify(listed)).not.toContain("169.254");
    const { content } = await client.call("evil_t3", { a: 1, more: true });
    expect(JSON.stringify(content)).toContain("more");
    await isGood(client);
  });

  it.each<[string, Answer, string]>([
    ["repeats a cursor", () => ({ tools: [], nextCursor: "again" }), "repeats a cursor"],
    ["is no list", () => ({ tools: "none" }), "must be an array"],
    ["has items without names", () => ({ tools: [{ inputSchema: schema }] }), "name must be a string"],
    ["is an error", () => ({ error: { code: -32603, message: "boom" } }), "boom"],
    [
      "is too large",
      () => ({ tools: [{ name: "a", inputSchema: schema, description: "x".repeat(100_000) }] }),
      "more than 50000 bytes",
    ],
  ])("leaves a server out whose list %s", async (_, answer, reason) => {
    const client = await open(await hostile(answer), { maxBytes: 50_000 });
    expect((await namesOf(client)).filter((name) => name.startsWith("evil"))).toEqual([]);
    expect(logged()).toContain(reason);
    await isGood(client);
  });

  it("offers the tools of a server that announces lists which it does not have", async () => {
    const url = await hostile(
      (method) => {
        if (method === "tools/list") return { tools: [{ name: "t", inputSchema: schema }] };
        return { error: { code: method === "prompts/list" ? -32601 : -32603, message: "no" } };
      },
      { tools: {}, prompts: {}, resources: {} },
    );
    const client = await open(url);
    expect(await namesOf(client)).toContain("evil_t");
    expect(logged()).toContain("The resources are left out: no");
  });

  it("reads a URI that is in no list, but only of the scheme of its server", async () => {
    const asked: unknown[] = [];
    const url = await hostile(
      (method, { uri }) => {
        if (method === "resources/read") asked.push(uri);
        if (method === "resources/read") return { contents: [{ uri, text: "found" }] };
        return { resources: [{ uri: "far://listed", name: "listed" }], resourceTemplates: [] };
      },
      { resources: {} },
    );
    const client = await open(url);
    expect((await client.read("far://linked?x=1")).contents).toMatchObject([{ text: "found" }]);
    await expect(client.read("up://none")).rejects.toMatchObject({ code: -32602 });
    expect(asked).toEqual(["far://linked?x=1"]);
  });

  it("ends a list without end", async () => {
    let page = 0;
    const url = await hostile(() => {
      const tools = Array.from({ length: 1000 }, (_, at) => ({ name: `t${page}_${at}`, inputSchema: schema }));
      return { tools, nextCursor: `${++page}` };
    });
    const client = await open(url);
    expect((await namesOf(client)).filter((name) => name.startsWith("evil"))).toHaveLength(5000);
    expect(logged()).toContain("Only the first 5000 tools are offered");
  });
});

describe("calls", () => {
  const tools = [{ name: "t", inputSchema: schema }];
  const serve = (answer: Answer, options?: RemoteOptions) =>
    hostile((method, params) => (method === "tools/list" ? { tools } : answer(method, params))).then((url) =>
      open(url, options),
    );

  it.each<[string, unknown, string]>([
    ["another shape", { content: [{ type: "text" }] }, "breaks the protocol"],
    ["no object", "text", "breaks the protocol"],
    ["megabytes", { content: [{ type: "text", text: "x".repeat(2_000_000) }] }, "too large"],
    ["an error", { error: { code: -32602, message: "no such thing" } }, "no such thing"],
    [
      "an error that demands scopes",
      { error: { code: -31001, message: "needs the scopes: admin" } },
      "needs the scopes",
    ],
  ])("fail clearly if the result is %s", async (_, given, reason) => {
    const client = await serve(() => given, { maxBytes: 1_000_000 });
    const result = await client.call("evil_t");
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result.content)).toContain(reason);
    expect(JSON.stringify(result.content)).not.toContain("127.0.0.1");
    await isGood(client);
  });

  it("survive wrong ids, a redirect, and a connection that ends in the middle", async () => {
    let turn = 0;
    const client = await serve(() => (response: import("node:http").ServerResponse, id: number) => {
      turn++;
      if (turn === 1) return response.destroy();
      if (turn === 2) return response.writeHead(307, { location: "http://example.com/mcp" }).end();
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const wrong of [999, "1", null, {}])
        response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id: wrong, result: {} })}\n\n`);
      const note = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
      for (let at = 0; at < 2000; at++) response.write(`data: ${JSON.stringify(note)}\n\n`);
      response.end(
        `data: ${JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "at last" }] } })}\n\n`,
      );
    });
    expect(await client.call("evil_t")).toMatchObject({ isError: true });
    expect(await client.call("evil_t")).toMatchObject({ isError: true });
    expect(await client.call("evil_t")).toMatchObject({ content: [{ text: "at last" }] });
    await isGood(client);
  });

  it("bound the questions of one call", async () => {
    const client = await serve(() => (response: import("node:http").ServerResponse, id: number) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (let at = 0; at < 300; at++) {
        const asked = {
          jsonrpc: "2.0",
          id: `q${at}`,
          method: "elicitation/create",
          params: { message: "?", requestedSchema: schema },
        };
        response.write(`data: ${JSON.stringify(asked)}\n\n`);
      }
      response.end(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result: { content: [] } })}\n\n`);
    });
    expect((await client.call("evil_t")).isError).toBeFalsy();
    await isGood(client);
  });
});

describe("servers inside themselves", () => {
  it("refuses a mount that contains the server itself, and goes on", async () => {
    const log: LogEntry[] = [];
    const port = await freePort();
    const make = (name: string, other: string, url: string) =>
      defineServer({
        name,
        version: "1",
        log: (entry) => void log.push(entry),
        tools: [defineTool({ name: `in_${name}`, handle: () => name })],
        servers: { [other]: remote(url), good: createUpstream() },
      });
    const b = await serveHttp(make("b", "a", `http://127.0.0.1:${port}/mcp`), { port: 0 });
    const a = await serveHttp(make("a", "b", b.url), { port });
    closers.push(a.close, b.close);
    await using first = await connect(a.url);
    await using second = await connect(b.url);
    expect(await namesOf(first)).toContain("in_a");
    expect(await namesOf(second)).toContain("in_b");
    await expect.poll(() => log.map(({ error }) => String(error)).join()).toContain("is mounted in itself");
    await isGood(first);
    await isGood(second);
    for (const client of [first, second]) expect((await namesOf(client)).length).toBeLessThan(40);
  });

  it("refuses the request of a server that it has asked", async () => {
    const front = defineServer({
      name: "front",
      version: "1",
      log: () => {},
      servers: { good: remote("http://127.0.0.1:1/mcp") },
    });
    const { url, close } = await serveHttp(front, { port: 0 });
    closers.push(close);
    await using client = await connect(url, { headers: { "x-proffer-via": "a,b,c,d,e,f,g,h,i,j" } });
    const result = await client.call("good_echo").catch((error) => error);
    expect(JSON.stringify(result.content ?? result.message)).toContain("is mounted in itself");
  });
});
