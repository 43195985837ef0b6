import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { HttpService } from "proffer/http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serveHost } from "./host.ts";

const INFO = { name: "host-test", version: "1" };
const JSON_HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

let service: HttpService;
beforeAll(async () => {
  service = await serveHost({ port: 0 });
});
afterAll(() => service.close());

const url = (path: string) => service.urls[path] ?? "";

function post(path: string, message: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const body = typeof message === "string" ? message : JSON.stringify(message);
  return fetch(`http://127.0.0.1:${service.port}${path}`, {
    method: "POST",
    headers: { ...JSON_HEADERS, ...headers },
    body,
  });
}

/** The parts of a response that the tests read. */
interface Answer {
  readonly id?: unknown;
  readonly result: { readonly protocolVersion?: string; readonly content: readonly { readonly text: string }[] };
  readonly error: { readonly code: number };
}

async function answerOf(response: Response): Promise<Answer> {
  return (await response.json()) as Answer;
}

/** Opens a session of an older revision and returns its header. */
async function openSession(path: string, protocolVersion: string): Promise<Record<string, string>> {
  const params = { protocolVersion, capabilities: {}, clientInfo: INFO };
  const response = await post(path, { jsonrpc: "2.0", id: 0, method: "initialize", params });
  expect((await answerOf(response)).result.protocolVersion).toBe(protocolVersion);
  return { "mcp-session-id": response.headers.get("mcp-session-id") ?? "" };
}

const call = (name: string, input: object = {}, id: unknown = 1) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: input },
});

describe("several servers on one host", () => {
  it("each have their own path, for an official client with sessions", async () => {
    const names: (string | undefined)[] = [];
    for (const path of Object.keys(service.urls)) {
      const client = new OldClient(INFO);
      // The types of that package do not support exactOptionalPropertyTypes.
      await client.connect(new OldTransport(new URL(url(path))) as never);
      names.push(client.getServerVersion()?.name);
      await client.close();
    }
    expect(names).toEqual(["sales-orders", "Demo MCP Server", "Session Demo MCP Server"]);
  });

  it("also serve an official client of the newest revision", async () => {
    const client = new NewClient(INFO, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    await client.connect(new NewTransport(new URL(url("/sales/orders"))));
    const { contents } = await client.readResource({ uri: "sales_order/12345" });
    expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({ id: 12345 });
    await expect(client.readResource({ uri: "sales_order/1" })).rejects.toThrow("Resource sales_order/1 not found");
    await client.close();
  });

  it("do not answer on other paths", async () => {
    for (const path of ["/", "/sales", "/sales/orders/x", "/demo/other"]) {
      expect((await post(path, call("get_server_time"))).status).toBe(404);
    }
  });
});

describe.each(["2025-03-26", "2025-06-18", "2025-11-25"])("a session on %s", (version) => {
  it("keeps its value until it ends", async () => {
    const session = await openSession("/demo/session", version);
    const text = async (increment: number) => {
      const response = await post("/demo/session", call("increment_example", { increment }), session);
      return (await answerOf(response)).result.content[0]?.text;
    };
    expect(await text(5)).toBe("Incremented value: 5");
    expect(await text(3)).toBe("Incremented value: 8");
    const details = await answerOf(await post("/demo/session", call("get_session_details"), session));
    expect(details.result.content[0]?.text).toBe(`Session ID: ${session["mcp-session-id"]}`);
    const ended = await fetch(url("/demo/session"), { method: "DELETE", headers: session });
    expect(ended.ok).toBe(true);
    expect((await post("/demo/session", call("get_session_details"), session)).status).toBe(404);
  });

  it("is unknown to the other servers", async () => {
    const session = await openSession("/demo/session", version);
    expect((await post("/demo/stateless", call("get_server_time"), session)).status).toBe(404);
    expect(
      (await post("/demo/session", call("get_session_details"), { "mcp-session-id": "0".repeat(32) })).status,
    ).toBe(404);
  });

  it("answers a ping with the id of the request", async () => {
    const session = await openSession("/demo/stateless", version);
    for (const id of ["5", 5, 0, ""]) {
      const response = await post("/demo/stateless", { jsonrpc: "2.0", id, method: "ping" }, session);
      expect(await answerOf(response)).toMatchObject({ id, result: {} });
    }
  });

  it("accepts notifications without a response, and rejects unknown methods", async () => {
    const session = await openSession("/demo/stateless", version);
    const told = await post("/demo/stateless", { jsonrpc: "2.0", method: "notifications/initialized" }, session);
    expect([told.status, await told.text()]).toEqual([202, ""]);
    const unknown = await post("/demo/stateless", { jsonrpc: "2.0", id: 1, method: "no/such" }, session);
    expect((await answerOf(unknown)).error.code).toBe(-32601);
    const broken = await post("/demo/stateless", "{", session);
    expect((await answerOf(broken)).error.code).toBe(-32700);
  });
});

describe("the host", () => {
  it("requires JSON and an Accept header that allows it", async () => {
    const body = call("get_server_time");
    expect((await post("/demo/stateless", body, { "content-type": "text/plain" })).status).toBe(415);
    expect((await post("/demo/stateless", body, { accept: "text/html" })).status).toBe(406);
  });

  it("rejects foreign origins and other HTTP methods", async () => {
    expect((await post("/demo/stateless", call("x"), { origin: "https://evil.example" })).status).toBe(403);
    expect((await fetch(url("/demo/stateless"), { method: "PUT" })).status).toBe(405);
  });
});
