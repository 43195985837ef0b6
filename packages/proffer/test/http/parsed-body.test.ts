import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import express, { type RequestHandler } from "express";
import { defineServer, defineTool } from "proffer";
import { createNodeHandler, type NodeHttpOptions } from "proffer/http";
import { afterEach, describe, expect, it } from "vitest";
import { serveInFastify } from "./fastify.ts";
import { JSON_REQUEST, modern, modernHeaders } from "./http-client.ts";

const server = defineServer({
  name: "s",
  version: "1",
  tools: [defineTool({ name: "echo", input: { type: "object" }, handle: (value) => value })],
});

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Serves MCP behind a middleware of express. Returns its address. */
async function behind(middleware: RequestHandler, options: NodeHttpOptions = {}): Promise<string> {
  const app = express().use(middleware).all("/mcp", createNodeHandler(server, options));
  const http = app.listen(0, "127.0.0.1");
  closers.push(() => http.close());
  await once(http, "listening");
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
}

/** Serves MCP behind a function that reads each body and leaves a value in its place, or passes it on. */
async function behindReader(read: (body: string, request: IncomingMessage) => unknown): Promise<string> {
  const handle = createNodeHandler(server);
  const http = createServer(async (request, response) => {
    const body = read(await text(request), request);
    handle(request, response, body);
  });
  closers.push(() => http.close());
  await once(http.listen(0, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
}

async function post(url: string, body: string, headers: object = JSON_REQUEST) {
  const response = await fetch(url, { method: "POST", headers: { ...headers }, body });
  return { status: response.status, body: await response.text() };
}

const message = modern("tools/call", { name: "echo", arguments: { text: "Grüße", n: [1, null, {}] } });
const valid = JSON.stringify(message);
const headers = modernHeaders(message);
const cycle: unknown[] = [];
cycle.push(cycle);

describe("a body that was read before", () => {
  const keep: Record<string, (body: string, request: IncomingMessage) => unknown> = {
    "parsed, in request.body": (body, request) => void Object.assign(request, { body: JSON.parse(body) }),
    "text, in request.body": (body, request) => void Object.assign(request, { body }),
    "bytes, in request.body": (body, request) => void Object.assign(request, { body: Buffer.from(body) }),
    "parsed, as an argument": (body) => JSON.parse(body),
    "an argument instead of request.body": (body, request) => {
      Object.assign(request, { body: "overwritten" });
      return body;
    },
  };

  it.each(Object.entries(keep))("is accepted: %s", async (_where, read) => {
    const { status, body } = await post(await behindReader(read), valid, headers);
    expect(status).toBe(200);
    expect(JSON.parse(body).result.structuredContent).toEqual({ text: "Grüße", n: [1, null, {}] });
  });

  it.each([
    ["express.json()", express.json()],
    ["express.text()", express.text({ type: "application/json" })],
    ["express.raw()", express.raw({ type: "application/json" })],
  ])("is accepted behind %s", async (_name, parser) => {
    expect(await post(await behind(parser), valid, headers)).toMatchObject({ status: 200 });
  });

  it("that nobody kept gets 500 with advice, immediately", async () => {
    const { status, body } = await post(await behindReader(() => undefined), valid, headers);
    expect(status).toBe(500);
    expect(body).toContain("handler(request, response, body)");
  });

  it.each([
    ["a cycle", () => cycle],
    ["a bigint", () => ({ id: 1n })],
    ["a symbol", () => Symbol("body")],
  ])("that is not JSON gets 500 with advice: %s", async (_what, value) => {
    const { status, body } = await post(await behindReader(value), valid, headers);
    expect(status).toBe(500);
    expect(body).toContain("cannot be written as JSON");
  });

  it("is checked like any other: JSON that is no message, and null", async () => {
    for (const other of ["{}", "null", '"text"', "[]", '{"jsonrpc":"1.0","id":1,"method":"ping"}']) {
      expect(await post(await behind(express.json({ strict: false })), other)).toMatchObject({ status: 400 });
      expect(await post(await behindReader((body) => JSON.parse(body)), other)).toMatchObject({ status: 400 });
    }
  });

  it("that is nested too deep for the stack gets 400", async () => {
    const levels = 40_000;
    const { status, body } = await post(await behind(express.json()), "[".repeat(levels) + "]".repeat(levels));
    expect({ status, body }).toMatchObject({ status: 400, body: expect.stringContaining("nested") });
  });

  it("that is not UTF-8 gets 400 if its bytes are known", async () => {
    const read = () => Buffer.from([0x7b, 0xff, 0x7d]);
    expect(await post(await behindReader(read), "{}")).toMatchObject({ status: 400 });
  });

  it.each([
    ["express.json()", express.json()],
    ["express.text()", express.text({ type: "application/json" })],
    ["express.raw()", express.raw({ type: "application/json" })],
  ])("counts against maxMessageBytes behind %s, also without a length", async (_name, parser) => {
    const url = await behind(parser, { maxMessageBytes: 1000 });
    const large = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping", params: { text: "é".repeat(500) } });
    expect(await post(url, large)).toMatchObject({ status: 413 });
    const init = { method: "POST", headers: JSON_REQUEST, body: new Blob([large]).stream(), duplex: "half" };
    expect((await fetch(url, init as RequestInit)).status).toBe(413);
  });

  it("does not bypass the Origin check or the Content-Type check", async () => {
    const url = await behind(express.json({ type: "*/*" }));
    expect(await post(url, valid, { ...headers, origin: "https://evil.example" })).toMatchObject({ status: 403 });
    expect(await post(url, valid, { ...headers, "content-type": "text/plain" })).toMatchObject({ status: 415 });
  });
});

describe("a body that was not read", () => {
  it("is read even if request.body is set, as express 4 does for bodies that it does not parse", async () => {
    const unparsed: RequestHandler = (request, _response, next) => {
      request.body = {};
      next();
    };
    expect(await post(await behind(unparsed), valid, headers)).toMatchObject({ status: 200 });
  });
});

describe("inside fastify with its own parsers", () => {
  it("a message is accepted, invalid JSON gets fastify's error, and other verbs get ours", async () => {
    const { url, close } = await serveInFastify(server);
    closers.push(close);
    expect(await post(url, valid, headers)).toMatchObject({ status: 200 });
    expect(await post(url, "{")).toMatchObject({ status: 400, body: expect.stringContaining("FST_ERR") });
    expect((await fetch(url, { method: "PUT" })).status).toBe(405);
  });
});
