import { once } from "node:events";
import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { defineServer, defineTool } from "proffer";
import { createFetchHandler } from "proffer/fetch";
import { createNodeHandler } from "proffer/http";
import { afterEach, describe, expect, it } from "vitest";
import { serveInFastify } from "./fastify.ts";

const server = defineServer({
  name: "mounted",
  version: "1.0.0",
  tools: [
    defineTool({
      name: "greet",
      input: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
      handle: ({ name }, ctx) => {
        ctx.progress(1, 1);
        return `Hello, ${name}!`;
      },
    }),
  ],
});

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function listening(http: HttpServer): Promise<string> {
  closers.push(() => http.close());
  if (!http.listening) await once(http.listen(0, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
}

const HOSTS = {
  async express() {
    const app = express();
    app.all("/mcp", createNodeHandler(server));
    return listening(app.listen(0, "127.0.0.1"));
  },
  async fastify() {
    const app = fastify();
    const handle = createNodeHandler(server);
    app.removeAllContentTypeParsers();
    app.addContentTypeParser("*", (_request, _payload, done) => done(null));
    app.all("/mcp", (request, reply) => {
      reply.hijack();
      handle(request.raw, reply.raw);
    });
    closers.push(() => app.close());
    const origin = await app.listen({ port: 0, host: "127.0.0.1" });
    return `${origin}/mcp`;
  },
  async "express, behind express.json()"() {
    const app = express().use(express.json()).all("/mcp", createNodeHandler(server));
    return listening(app.listen(0, "127.0.0.1"));
  },
  async "fastify, with its parsers"() {
    const { url, close } = await serveInFastify(server);
    closers.push(close);
    return url;
  },
  async "node:http"() {
    return listening(createServer(createNodeHandler(server)));
  },
};

describe.each(Object.entries(HOSTS))("inside %s", (_, host) => {
  it("the official client calls a tool and receives its progress", async () => {
    expect(await greeting(new StreamableHTTPClientTransport(new URL(await host())))).toEqual(["Hello, Ada!", 1]);
  });
});

describe("inside Hono", () => {
  it("the official client calls a tool and receives its progress", async () => {
    const handle = createFetchHandler(server);
    const app = new Hono().all("/mcp", (context) => handle(context.req.raw));
    const transport = new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), {
      fetch: async (url, init) => app.request(String(url), init),
    });
    expect(await greeting(transport)).toEqual(["Hello, Ada!", 1]);
  });
});

async function greeting(transport: StreamableHTTPClientTransport) {
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(transport);
  closers.unshift(() => client.close());
  let progress = 0;
  const { content } = await client.callTool(
    { name: "greet", arguments: { name: "Ada" } },
    { onprogress: (told) => (progress = told.progress) },
  );
  const [first] = content as { text: string }[];
  return [first?.text, progress];
}
