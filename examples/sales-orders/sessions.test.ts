import { type HttpService, serveHttp } from "proffer/http";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { defineDemo } from "./demo.ts";
import { defineSessionDemo } from "./session-demo.ts";

const HOUR = 3_600_000;
const ACCEPTED = { "content-type": "application/json", accept: "application/json, text/event-stream" };

let service: HttpService;

beforeEach(async () => {
  // Fakes only the clock: connections need real timers.
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

/** Adds 1 in a session. Returns the text of the result, or the HTTP status of a failure. */
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

  it("ends an hour after its last use", async () => {
    expect(await count(session)).toBe("Incremented value: 1");
    vi.setSystemTime(Date.now() + HOUR - 1);
    expect(await count(session)).toBe("Incremented value: 2");
    vi.setSystemTime(Date.now() + HOUR - 1);
    expect(await count(session)).toBe("Incremented value: 3");
    vi.setSystemTime(Date.now() + HOUR + 1);
    expect(await count(session)).toBe(404);
    // Turning the clock back does not restore it.
    vi.setSystemTime(Date.now() - HOUR);
    expect(await count(session)).toBe(404);
  });

  it("can be opened again, and starts with a new value", async () => {
    expect(await count(session)).toBe("Incremented value: 1");
    vi.setSystemTime(Date.now() + HOUR + 1);
    expect(await count(session)).toBe(404);
    const again = await initialize(version);
    expect(await count({ "mcp-session-id": again.headers.get("mcp-session-id") })).toBe("Incremented value: 1");
  });

  it("must be named by every request after the first, and ends once", async () => {
    expect(await count({})).toBe(400);
    const end = () => fetch(service.urls["/demo/session"] ?? "", { method: "DELETE", headers: session });
    expect((await end()).ok).toBe(true);
    expect((await end()).status).toBe(404);
    expect(await count(session)).toBe(404);
  });

  it("is neither opened nor ended by a server without sessions", async () => {
    const stateless = await initialize(version, "/demo/stateless");
    expect(stateless.status).toBe(200);
    expect(stateless.headers.get("mcp-session-id")).toBeNull();
    const ended = await fetch(service.urls["/demo/stateless"] ?? "", { method: "DELETE", headers: session });
    expect(ended.status).toBe(405);
    expect(ended.headers.get("allow")).toContain("POST");
  });
});

it("initialize answers an unknown version with the newest version that has sessions", async () => {
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
