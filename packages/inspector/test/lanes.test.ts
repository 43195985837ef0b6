import { expect, test } from "vitest";
import type { ClientMessage } from "../../cli/src/recordings/lanes.ts";
import { observeClients } from "../../cli/src/recordings/observe-clients.ts";

test("a lane is closed once, and has the exact texts", () => {
  const closed: string[] = [];
  const messages: ClientMessage[] = [];
  const tap = observeClients({
    onClientMessage: (message) => messages.push(message),
    onClientClosed: (conn) => closed.push(conn),
  }).stdio();
  tap.received('{"jsonrpc":"2.0"');
  tap.sent(["a", new TextEncoder().encode("ü")]);
  tap.closed();
  tap.closed();
  expect(closed).toEqual(["client-1"]);
  expect(messages.map(({ dir, text }) => [dir, text])).toEqual([
    ["out", '{"jsonrpc":"2.0"'],
    ["in", "aü"],
  ]);
});

test("what a client says of itself is cut, and taken only if it is text", () => {
  const messages: ClientMessage[] = [];
  const tap = observeClients({ onClientMessage: (message) => messages.push(message) }).stdio();
  const introduce = (clientInfo: unknown) =>
    tap.received(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { clientInfo } }));
  introduce({ name: { toString: "x" }, version: [1] });
  introduce({ name: "n".repeat(5000), version: 7 });
  expect(messages.map(({ client }) => client)).toEqual([undefined, { name: "n".repeat(200) }]);
  tap.received(`${"[".repeat(100_000)}`);
  expect(messages).toHaveLength(3);
});

test("what a client can do is kept if it is short, and dropped whole otherwise", () => {
  const messages: ClientMessage[] = [];
  const observer = observeClients({ onClientMessage: (message) => messages.push(message) });
  const introduce = (capabilities: string) =>
    observer.stdio().received(`{"method":"initialize","params":{"capabilities":${capabilities}}}`);
  introduce('{"sampling":{}}');
  introduce('["sampling"]');
  introduce(`{"x":"${"y".repeat(5000)}"}`);
  // Deeper than can be written again: the client must not notice.
  introduce(`{"x":${"[".repeat(100_000)}${"]".repeat(100_000)}}`);
  expect(messages.map(({ capabilities }) => capabilities)).toEqual([{ sampling: {} }, undefined, undefined, undefined]);
  const meta = { "io.modelcontextprotocol/clientCapabilities": { elicitation: {} } };
  observer.stdio().received(JSON.stringify({ method: "tools/list", params: { _meta: meta } }));
  expect(messages.at(-1)?.capabilities).toEqual({ elicitation: {} });
});
