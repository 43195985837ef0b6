import { defineServer, defineTool, type LogEntry } from "proffer";
import { createFetchHandler } from "proffer/fetch";
import { connect } from "proffer/testing";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

beforeEach(() => {
  vi.stubEnv("PROFFER_KEYS", "");
});

afterEach(() => {
  vi.unstubAllEnvs();
});

/** A server with a list of two pages, whose cursor must be sealed. */
function createServer(entries: LogEntry[]) {
  const tools = ["a", "b"].map((name) => defineTool({ name, description: "Does it.", handle: () => name }));
  return defineServer({ name: "x", version: "1", pageSize: 1, tools, log: (entry) => entries.push(entry) });
}

it("a server that only its own client can reach does not mention that PROFFER_KEYS is not set", async () => {
  const entries: LogEntry[] = [];
  const client = await connect(createServer(entries));
  expect(await client.listTools()).toHaveLength(2);
  await client.close();
  expect(entries).toEqual([]);
});

it("a server over HTTP mentions once that PROFFER_KEYS is not set, when it needs a key", async () => {
  const entries: LogEntry[] = [];
  const handle = createFetchHandler(createServer(entries));
  const list = () =>
    handle(
      new Request("http://localhost/mcp", {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": "tools/list",
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/list",
          params: {
            _meta: {
              "io.modelcontextprotocol/protocolVersion": "2026-07-28",
              "io.modelcontextprotocol/clientCapabilities": {},
              "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
            },
          },
        }),
      }),
    );
  expect(entries).toEqual([]);
  for (const _ of [1, 2]) expect(await (await list()).json()).toHaveProperty("result.nextCursor");
  expect(entries).toEqual([{ level: "info", message: expect.stringContaining("PROFFER_KEYS is not set") }]);
});
