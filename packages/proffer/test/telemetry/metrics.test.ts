import { metrics } from "@opentelemetry/api";
import { Busy, defineServer, defineTool, ToolError } from "proffer";
import { serveHttp, unauthorized } from "proffer/http";
import { oauth } from "proffer/oauth";
import { telemetry } from "proffer/telemetry";
import { connect } from "proffer/testing";
import { describe, expect, it } from "vitest";
import { legacy, modern, openSession, post, postModern, send } from "../http/http-client.ts";
import { FakeIssuer } from "../oauth/fake-issuer.ts";
import { startSdk } from "./sdk.ts";

const tools = [
  defineTool({ name: "greet", handle: () => "hello" }),
  defineTool({
    name: "fails",
    handle: () => {
      throw new ToolError("no");
    },
  }),
  defineTool({
    name: "busy",
    handle: () => {
      throw new Busy("Too many calls.");
    },
  }),
];

function serve(observe: ReturnType<typeof telemetry>) {
  return defineServer({ name: "s", version: "1", observe, tools });
}

describe("the metrics of a server", () => {
  it("are the durations of its operations, with the attributes and buckets of the conventions", async () => {
    const sdk = startSdk();
    const service = await serveHttp(serve(telemetry(sdk.options)), { port: 0 });
    for (const name of ["greet", "greet", "fails", "nothing", "nothing else"]) {
      await postModern(service.url, modern("tools/call", { name, arguments: {} }));
    }
    await postModern(service.url, modern("tools/list"));
    await service.close();
    const common = {
      "mcp.protocol.version": "2026-07-28",
      "network.transport": "tcp",
      "network.protocol.name": "http",
      "network.protocol.version": "1.1",
    };
    const call = { ...common, "mcp.method.name": "tools/call", "gen_ai.operation.name": "execute_tool" };
    const points = await sdk.points("mcp.server.operation.duration");
    expect(points.map(({ attributes, value }) => ({ attributes, count: value.count }))).toEqual([
      { attributes: { ...call, "gen_ai.tool.name": "greet" }, count: 2 },
      { attributes: { ...call, "gen_ai.tool.name": "fails", "error.type": "tool_error" }, count: 1 },
      { attributes: { ...call, "error.type": "-32602", "rpc.response.status_code": "-32602" }, count: 2 },
      { attributes: { ...common, "mcp.method.name": "tools/list" }, count: 1 },
    ]);
    expect(points[0]?.value.buckets.boundaries).toEqual([
      ...[0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300],
    ]);
    expect(points[0]?.value.sum).toBeLessThan(60);
    expect(await sdk.points("proffer.calls.active")).toMatchObject([{ value: 0 }]);
  });

  it("are the durations of its sessions, and the open ones", async () => {
    const sdk = startSdk();
    const service = await serveHttp(serve(telemetry(sdk.options)), { port: 0 });
    const headers = await openSession(service.url, "2025-06-18");
    await openSession(service.url, "2025-06-18");
    expect(await sdk.points("proffer.sessions.active")).toMatchObject([{ value: 2 }]);
    const abort = new AbortController();
    const stream = await fetch(service.url, {
      headers: { ...(headers as Record<string, string>), accept: "text/event-stream" },
      signal: abort.signal,
    });
    expect(stream.status).toBe(200);
    expect(await sdk.points("proffer.streams.active")).toMatchObject([{ value: 1 }]);
    abort.abort();
    await expect.poll(async () => (await sdk.points("proffer.streams.active"))[0]?.value).toBe(0);
    await send(service.url, { method: "DELETE", headers });
    expect(await sdk.points("proffer.sessions.active")).toMatchObject([{ value: 1 }]);
    expect(await sdk.points("mcp.server.session.duration")).toMatchObject([
      {
        attributes: {
          "mcp.protocol.version": "2025-06-18",
          "network.transport": "tcp",
          "network.protocol.name": "http",
        },
        value: { count: 1 },
      },
    ]);
    await service.close();
  });

  it("count refused callers and calls", async () => {
    const sdk = startSdk();
    const service = await serveHttp(serve(telemetry(sdk.options)), {
      port: 0,
      authenticate: (request) => (request.header("authorization") === undefined ? unauthorized() : { id: "ada" }),
    });
    await post(service.url, legacy("ping"));
    const headers = { authorization: "Bearer x" };
    await postModern(service.url, modern("tools/call", { name: "busy", arguments: {} }), headers);
    await service.close();
    expect(await sdk.points("proffer.auth.refused")).toMatchObject([{ attributes: { reason: "401" }, value: 1 }]);
    expect(await sdk.points("proffer.rate.limited")).toMatchObject([
      { attributes: { "mcp.method.name": "tools/call" }, value: 1 },
    ]);
  });

  it("say why oauth() refused callers, and count how often it fetched keys", async () => {
    const sdk = startSdk();
    const issuer = await FakeIssuer.open();
    const resource = "http://127.0.0.1/mcp";
    const service = await serveHttp(
      defineServer({
        name: "s",
        version: "1",
        observe: telemetry(sdk.options),
        tools: [defineTool({ name: "t", scopes: ["x"], handle: () => "" })],
      }),
      { port: 0, authenticate: oauth({ issuer: issuer.url, resource }) },
    );
    const call = (token: string) =>
      postModern(service.url, modern("tools/call", { name: "t" }), { authorization: `Bearer ${token}` });
    expect((await call(issuer.token({ aud: "elsewhere" }))).status).toBe(401);
    expect((await call(issuer.token({ aud: resource, scope: "y" }))).status).toBe(403);
    await service.close();
    await issuer.close();
    expect(await sdk.points("proffer.auth.refused")).toMatchObject([
      { attributes: { reason: "audience" }, value: 1 },
      { attributes: { reason: "scope" }, value: 1 },
    ]);
    expect(await sdk.points("proffer.keys.fetch")).toMatchObject([{ attributes: { outcome: "ok" }, value: 1 }]);
  });

  it("can be switched off", async () => {
    const sdk = startSdk();
    const client = await connect(serve(telemetry({ ...sdk.options, metrics: false })));
    await client.call("greet");
    expect(await sdk.points("mcp.server.operation.duration")).toEqual([]);
    expect(sdk.spans()).toHaveLength(2);
  });

  it("reach a global provider that is set after the server was defined", async () => {
    const sdk = startSdk();
    const server = serve(telemetry({ tracerProvider: sdk.options.tracerProvider }));
    metrics.setGlobalMeterProvider(sdk.options.meterProvider);
    const client = await connect(server);
    await client.call("greet");
    expect(await sdk.points("mcp.server.operation.duration")).toHaveLength(2);
    metrics.disable();
  });

  it("are not needed: without an SDK calls are served", async () => {
    const client = await connect(serve(telemetry()));
    expect(await client.call("greet")).toMatchObject({ content: [{ text: "hello" }] });
    const asked = { traceparent: "nonsense", tracestate: 1 };
    expect(await client.call("greet", {}, { _meta: asked })).toMatchObject({ content: [{ text: "hello" }] });
  });
});
