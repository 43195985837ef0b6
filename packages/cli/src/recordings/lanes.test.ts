import { expect, it } from "vitest";
import { createLanes } from "./lanes.ts";

it("knows the revision of a client that tries server/discover first, and then opens a session", () => {
  const revisions: (string | undefined)[] = [];
  const lanes = createLanes({ onClientMessage: ({ revision }) => void revisions.push(revision) });
  const lane = lanes.create("stdio");
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "a client", version: "1" },
  };
  lanes.received(lane, JSON.stringify({ jsonrpc: "2.0", id: 1, method: "server/discover", params: { _meta } }));
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "a client", version: "1" } };
  lanes.received(lane, JSON.stringify({ jsonrpc: "2.0", id: 2, method: "initialize", params }));
  lanes.sent(lane, JSON.stringify({ jsonrpc: "2.0", id: 2, result: { protocolVersion: "2025-11-25" } }));
  expect(revisions).toEqual(["2026-07-28", "2026-07-28", "2025-11-25"]);
});
