import { expect, it, vi } from "vitest";

/** Opens a connection to a server whose modules are new, as in a process that has just started. */
async function start() {
  vi.resetModules();
  const { defineServer, defineTool } = await import("../src/index.ts");
  const { Connection } = await import("../src/server/connection.ts");
  const { stateOf } = await import("../src/server/server.ts");
  const loading = await import("../src/server/load-handlers.ts");
  const server = defineServer({ name: "s", version: "1", tools: [defineTool({ name: "t", handle: () => "done" })] });
  const sent: { id: number; loaded: boolean }[] = [];
  const connection = new Connection(stateOf(server), {
    transport: "memory",
    send: (wire) => sent.push({ id: JSON.parse(String(wire)).id, loaded: loading.handlers !== undefined }),
  });
  const request = (id: number, method: string, params = {}) =>
    connection.receive(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
  return { request, sent, connection, loading };
}

const INITIALIZE = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } };

it("is answered before the handlers are loaded, which no request has to ask for", async () => {
  const { request, sent, loading } = await start();
  request(1, "initialize", INITIALIZE);
  expect(sent).toEqual([{ id: 1, loaded: false }]);
  await expect.poll(() => loading.handlers).toBeDefined();
});

it("may be followed at once by requests, which wait in their order, while a ping does not", async () => {
  const { request, sent } = await start();
  request(1, "initialize", INITIALIZE);
  request(2, "tools/list");
  request(3, "tools/call", { name: "t" });
  request(4, "ping");
  await expect.poll(() => sent.map(({ id }) => id)).toEqual([1, 4, 2, 3]);
});

it("lets a request be cancelled that waits for the handlers", async () => {
  const { request, sent, connection } = await start();
  request(1, "initialize", INITIALIZE);
  request(2, "tools/call", { name: "t" });
  connection.receive('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}');
  request(3, "tools/call", { name: "t" });
  await expect.poll(() => sent.map(({ id }) => id)).toEqual([1, 3]);
});
