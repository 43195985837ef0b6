import { type HttpService, serveHttp } from "proffer/http";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { defineDemo } from "./demo.ts";
import { defineSessionDemo } from "./session-demo.ts";

const HOUR = 3_600_000;
const ACCEPTED = { "content-type": "application/json", accept: "application/json, text/event-stream" };

let service: HttpService;

beforeEach(async () => {
  // Only the clock is ours: connections need their timers.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-07-28T08:00:00Z") });
  service = await serveHttp(
    {
      "/demo/session": { server: defineSessionDemo(), sessions: { idleTimeout: HOUR } },
      "/demo/stateless": { server: defineDemo(), sessions: false },
    },
    { port: 0 },
  );
});

afterEach(async () => {
  vi.useRealTimers();
  await service.close();
});

function post(message: object, headers: object = {}, path = "/demo/session"): Promise<Response> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, ...message });
  return fetch(service.urls[path] ?? "", { method: "POST", headers: { ...ACCEPTED, ...headers }, body });
}

function initialize(protocolVersion: string, path?: string): Promise<Response> {
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: "sessions-test", version: "1" } };
  return post({ method: "initialize", params }, {}, path);
}

const add = { method: "tools/call", params: { name: "increment_example", arguments: { increment: 1 } } };

/** The text that a session answers with when one is added, or the status if it does not. */
async function count(session: object): Promise<string | number> {
  const response = await post(add, session);
  if (!response.ok) return response.status;
  const { result } = (await response.json()) as { result: { content: { text: string }[] } };
  return result.content[0]?.text ?? "";
}

describe.each(["2025-03-26", "2025-11-25"])("a session on %s", (version) => {
  let session: { readonly "mcp-session-id": string };
  beforeEach(async () => {
    const opened = await initialize(version);
    session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
    expect(session["mcp-session-id"]).toMatch(/^[\x21-\x7e]{16,}$/);
  });

  it("lasts an hour from its last use, and is unknown after it", async () => {
    expect(await count(session)).toBe("Incremented value: 1");
    vi.setSystemTime(Date.now() + HOUR - 1);
    expect(await count(session)).toBe("Incremented value: 2");
    vi.setSystemTime(Date.now() + HOUR - 1);
    expect(await count(session)).toBe("Incremented value: 3");
    vi.setSystemTime(Date.now() + HOUR + 1);
    expect(await count(session)).toBe(404);
    // The clock going back does not bring it back.
    vi.setSystemTime(Date.now() - HOUR);
    expect(await count(session)).toBe(404);
  });

  it("can be opened anew, and begins anew", async () => {
    expect(await count(session)).toBe("Incremented value: 1");
    vi.setSystemTime(Date.now() + HOUR + 1);
    expect(await count(session)).toBe(404);
    const again = await initialize(version);
    expect(await count({ "mcp-session-id": again.headers.get("mcp-session-id") })).toBe("Incremented value: 1");
  });

  it("is named by every request after the first, and ended once", async () => {
    expect(await count({})).toBe(400);
    const end = () => fetch(service.urls["/demo/session"] ?? "", { method: "DELETE", headers: session });
    expect((await end()).ok).toBe(true);
    expect((await end()).status).toBe(404);
    expect(await count(session)).toBe(404);
  });

  it("is not opened by a server without sessions, which cannot end one either", async () => {
    const stateless = await initialize(version, "/demo/stateless");
    expect(stateless.status).toBe(200);
    expect(stateless.headers.get("mcp-session-id")).toBeNull();
    const ended = await fetch(service.urls["/demo/stateless"] ?? "", { method: "DELETE", headers: session });
    expect(ended.status).toBe(405);
    expect(ended.headers.get("allow")).toContain("POST");
  });
});

it("an unknown version is answered with the newest that opens sessions", async () => {
  const { result } = (await (await initialize("2031-01-01")).json()) as { result: object };
  expect(result).toMatchObject({
    protocolVersion: "2025-11-25",
    serverInfo: { name: "Session Demo MCP Server", version: "1.0.0" },
    instructions: expect.stringContaining("session"),
  });
});

it("a server that has only tools offers neither prompts nor resources", async () => {
  const { result } = (await (await initialize("2025-11-25")).json()) as { result: { capabilities: object } };
  expect(result.capabilities).toHaveProperty("tools");
  expect(result.capabilities).not.toHaveProperty("prompts");
  expect(result.capabilities).not.toHaveProperty("resources");
});
