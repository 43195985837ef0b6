import { defineResource, defineServer, defineTool, type Middleware, RpcError, ToolError } from "proffer";
import { connect } from "proffer/testing";
import { describe, expect, it } from "vitest";
import { asking, throwing } from "./small-tools.ts";
import { EVERY } from "./versions.ts";

const logged: unknown[] = [];

function serve(around: Middleware) {
  return defineServer({
    name: "s",
    version: "1",
    middleware: around,
    log: ({ error }) => logged.push(error),
    tools: [defineTool({ name: "echo", handle: () => "echo" }), throwing, asking],
    resources: [defineResource({ uri: "s://fixed", name: "Fixed", content: "x".repeat(20_000) })],
  });
}

describe.each(EVERY)("middleware on %s", (revision) => {
  it("receives each request with its method, name, client and principal", async () => {
    const seen: object[] = [];
    const server = serve((call, next) => {
      const { method, name, client, principal, params } = call;
      expect(client.revision).toBe(revision);
      expect(principal).toEqual({ id: "ada" });
      expect(call.signal.aborted).toBe(false);
      expect(params).toBeTypeOf("object");
      seen.push(name === undefined ? { method } : { method, name });
      return next();
    });
    const client = await connect(server, { revision, principal: { id: "ada" } });
    await client.call("echo");
    await client.read("s://fixed");
    await client.listTools();
    await client.read("s://nowhere").catch(() => {});
    expect(seen).toEqual([
      { method: revision >= "2026-07-28" ? "server/discover" : "initialize" },
      { method: "tools/call", name: "echo" },
      { method: "resources/read", name: "s://fixed" },
      { method: "tools/list" },
      { method: "resources/read", name: "s://nowhere" },
    ]);
  });

  it("leaves responses unchanged if it only calls next", async () => {
    const looked = await connect(
      serve(async (_call, next) => await next()),
      { revision },
    );
    const plain = await connect(
      serve((_call, next) => next()),
      { revision },
    );
    for (const [method, params] of [
      ["tools/list", {}],
      ["tools/call", { name: "echo" }],
      ["tools/call", { name: "throws" }],
      ["resources/read", { uri: "s://fixed" }],
    ] as const) {
      expect(await looked.request(method, params)).toEqual(await plain.request(method, params));
    }
  });

  it("may change a result, or answer without the handler", async () => {
    const server = serve(async ({ method, name }, next) => {
      if (name === "throws") return { content: [{ type: "text", text: "answered" }] };
      const result = await next();
      return method === "tools/call" ? { ...result, _meta: { "test/seen": true } } : result;
    });
    const client = await connect(server, { revision });
    expect(await client.call("echo")).toMatchObject({ content: [{ text: "echo" }], _meta: { "test/seen": true } });
    const answered = await client.call("throws");
    expect(answered).toMatchObject({ content: [{ text: "answered" }] });
    expect(answered.isError).toBeUndefined();
  });

  it("may reject a request", async () => {
    const server = serve(({ method }, next) => {
      if (method === "tools/call") throw new RpcError("busy", "Too many calls; try again in a minute.");
      return next();
    });
    const client = await connect(server, { revision });
    await expect(client.call("echo")).rejects.toMatchObject({
      code: -31000,
      message: "Too many calls; try again in a minute.",
    });
  });

  it("may reject a call with a message for the model, like the tool itself", async () => {
    const server = serve(({ method }, next) => {
      if (method === "tools/call") throw new ToolError("Not on Sundays.");
      return next();
    });
    const client = await connect(server, { revision });
    expect(await client.call("echo")).toMatchObject({
      content: [{ type: "text", text: "Not on Sundays." }],
      isError: true,
    });
  });

  it("may fail without exposing details, and without effect on later requests", async () => {
    let broken = true;
    const server = serve(({ method }, next) => {
      if (method === "tools/call" && broken) throw new Error("password=hunter2");
      return next();
    });
    const client = await connect(server, { revision });
    await expect(client.call("echo")).rejects.toMatchObject({ code: -32603, message: "Internal error." });
    expect(logged.at(-1)).toMatchObject({ message: "password=hunter2" });
    broken = false;
    expect(await client.call("echo")).toMatchObject({ content: [{ text: "echo" }] });
  });

  it.each([undefined, null, "text", 1n])("cannot answer with %s", async (answer) => {
    const server = serve(({ method }, next) => (method === "tools/call" ? (answer as never) : next()));
    const client = await connect(server, { revision });
    await expect(client.call("echo")).rejects.toMatchObject({ code: -32603 });
  });
});

describe("middleware of a call that asks a question", () => {
  it("runs in each round, with the question as the result", async () => {
    const results: unknown[] = [];
    const server = serve(async ({ method }, next) => {
      const result = await next();
      if (method === "tools/call") results.push((result as { resultType?: string }).resultType);
      return result;
    });
    const client = await connect(server, { answers: [{ sure: true }] });
    expect(await client.call("asks")).toMatchObject({ content: [{ text: "accept" }] });
    expect(results).toEqual(["input_required", undefined]);
  });
});
