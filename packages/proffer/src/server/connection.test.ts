import { describe, expect, it } from "vitest";
import type { Wire } from "../protocol/messages.ts";
import { defineTool } from "../tools/define.ts";
import { Connection } from "./connection.ts";
import { defineServer, stateOf } from "./server.ts";

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** A connection to a server whose tool `slow` waits for `release()`, and every message that was sent over it. */
function open() {
  let release = () => {};
  const slow = defineTool({
    name: "slow",
    handle: () =>
      new Promise((resolve) => {
        release = () => resolve("done");
      }),
  });
  const server = defineServer({ name: "s", version: "1", tools: [slow], log: () => {} });
  const sent: Record<string, unknown>[] = [];
  const connection = new Connection(stateOf(server), {
    transport: "memory",
    send: (wire: Wire) => sent.push(JSON.parse(String(wire))),
  });
  const request = (id: number, method: string, params: object = {}) =>
    connection.receive(JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta: META } }));
  return { server, connection, sent, request, release: () => release() };
}

describe("draining a connection", () => {
  it("waits for requests in flight, rejects new ones, and resolves when all are answered", async () => {
    const { connection, sent, request, release } = open();
    request(1, "tools/call", { name: "slow" });
    let drained = false;
    const draining = connection.drain().then(() => {
      drained = true;
    });
    request(2, "tools/list");
    expect(sent).toMatchObject([{ id: 2, error: { code: -31000 } }]);
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(drained).toBe(false);
    release();
    await draining;
    expect(sent[1]).toMatchObject({ id: 1, result: { content: [{ text: "done" }] } });
  });

  it("ends subscriptions with a result, followed by a cancellation notice", async () => {
    const { connection, sent, request, server } = open();
    request(7, "subscriptions/listen", { notifications: { toolsListChanged: true } });
    await expect.poll(() => sent.length).toBe(1);
    await connection.drain();
    expect(sent.slice(1)).toEqual([
      {
        jsonrpc: "2.0",
        id: 7,
        result: {
          resultType: "complete",
          _meta: {
            "io.modelcontextprotocol/serverInfo": { name: "s", version: "1" },
            "io.modelcontextprotocol/subscriptionId": 7,
          },
        },
      },
      { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } },
    ]);
    server.tools.remove("slow");
    // List changes are sent at the end of an event-loop turn.
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent.length).toBe(3);
  });

  it("resolves immediately without requests in flight", async () => {
    const { connection, sent } = open();
    await connection.drain();
    expect([connection.inFlight, sent]).toEqual([0, []]);
  });
});

describe("closing a connection", () => {
  it("cancels requests in flight without a response, and does nothing the second time", async () => {
    const { connection, sent, request, release } = open();
    request(1, "tools/call", { name: "slow" });
    connection.close();
    connection.close();
    release();
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(connection.inFlight).toBe(0);
    expect(sent).toEqual([]);
  });
});

describe("the error for a message that cannot be parsed", () => {
  it.each([
    ["2025-06-18", { id: null }],
    ["2025-11-25", {}],
  ])("has the id that %s requires", (protocolVersion, id) => {
    const { connection, sent } = open();
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: "c", version: "1" } };
    connection.receive(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }));
    connection.receive("{");
    const message = "The message is not valid JSON.";
    expect(sent[1]).toEqual({ jsonrpc: "2.0", ...id, error: { code: -32700, message } });
  });

  it("has no id after a request with an envelope, and null before any request", () => {
    const { connection, sent, request } = open();
    connection.receive("{");
    request(1, "tools/list");
    connection.receive("{");
    expect(sent[0]).toHaveProperty("id", null);
    expect(sent[2]).not.toHaveProperty("id");
  });
});
