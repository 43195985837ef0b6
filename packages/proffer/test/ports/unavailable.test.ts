import { defineServer, defineTool, type Middleware } from "proffer";
import { createFetchHandler } from "proffer/fetch";
import { redis } from "proffer/redis";
import { expect, it, vi } from "vitest";
import { modern, modernHeaders, present } from "../http/http-client.ts";

const tool = defineTool({ name: "t", description: "Answers.", handle: () => "yes" });

it("answers a call that needs a store which does not reply with 503, and others as usual", async () => {
  // A client that is not connected: it queues commands and never settles them.
  const client = { call: vi.fn((..._: unknown[]) => new Promise(() => {})), duplicate: () => ({ on: () => {} }) };
  const log = vi.fn();
  const cluster = redis(client, { commandTimeout: 20 });
  const options = { version: "1", tools: [tool], cluster, log };
  const call = modern("tools/call", { name: "t", arguments: {} });
  const headers = { "content-type": "application/json", accept: "application/json", ...present(modernHeaders(call)) };
  const post = (server: ReturnType<typeof defineServer>) => {
    const sent = { method: "POST", headers: headers as Record<string, string>, body: JSON.stringify(call) };
    return createFetchHandler(server)(new Request("http://localhost/mcp", sent));
  };
  const middleware: Middleware = async (_, next) => {
    await cluster.store.read("record");
    return next();
  };
  const response = await post(defineServer({ ...options, name: "needy", middleware }));
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({
    error: {
      code: -31000,
      message: "A service that this server needs is not available. Try again later.",
    },
  });
  expect(client.call.mock.calls.filter((args: unknown[]) => String(args).includes("record"))).toHaveLength(1);
  expect(log.mock.calls.filter(([entry]) => entry.level === "error")).toHaveLength(1);
  const free = await post(defineServer({ ...options, name: "free" }));
  expect(free.status).toBe(200);
});
