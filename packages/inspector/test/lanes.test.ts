import { expect, test } from "vitest";
import type { ClientMessage } from "../../cli/src/recordings/lanes.ts";
import { observeClients } from "../../cli/src/recordings/observe-clients.ts";

/** Creates a connection over stdio that is watched, and returns functions for its messages. */
function connect({ stdio }: ReturnType<typeof observeClients>) {
  const connection = { receive: (_text: string) => {}, abort: (_reason: string) => {} };
  const output = { send: (_wire: string | readonly (string | Uint8Array)[]) => {} };
  stdio(connection as never, output);
  return {
    receive: (text: string) => connection.receive(text),
    send: (wire: readonly (string | Uint8Array)[]) => output.send(wire),
    close: () => connection.abort("The client closed the connection."),
  };
}

test("a lane is closed once, and has the exact texts", () => {
  const closed: string[] = [];
  const messages: ClientMessage[] = [];
  const client = connect(
    observeClients({
      onClientMessage: (message) => messages.push(message),
      onClientClosed: (conn) => closed.push(conn),
    }),
  );
  client.receive('{"jsonrpc":"2.0"');
  client.send(["a", new TextEncoder().encode("ü")]);
  client.close();
  client.close();
  expect(closed).toEqual(["client-1"]);
  expect(messages.map(({ dir, text }) => [dir, text])).toEqual([
    ["out", '{"jsonrpc":"2.0"'],
    ["in", "aü"],
  ]);
});

test("the name and version of a client are cut, and taken only if they are texts", () => {
  const messages: ClientMessage[] = [];
  const client = connect(observeClients({ onClientMessage: (message) => messages.push(message) }));
  const introduce = (clientInfo: unknown) =>
    client.receive(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { clientInfo } }));
  introduce({ name: { toString: "x" }, version: [1] });
  introduce({ name: "n".repeat(5000), version: 7 });
  expect(messages.map(({ client }) => client)).toEqual([undefined, { name: "n".repeat(200) }]);
  client.receive(`${"[".repeat(100_000)}`);
  expect(messages).toHaveLength(3);
});

test("the capabilities of a client are kept if they are short, and dropped whole otherwise", () => {
  const messages: ClientMessage[] = [];
  const observer = observeClients({ onClientMessage: (message) => messages.push(message) });
  const introduce = (capabilities: string) =>
    connect(observer).receive(`{"method":"initialize","params":{"capabilities":${capabilities}}}`);
  introduce('{"sampling":{}}');
  introduce('["sampling"]');
  introduce(`{"x":"${"y".repeat(5000)}"}`);
  // Deeper than can be written again: the client must not notice.
  introduce(`{"x":${"[".repeat(100_000)}${"]".repeat(100_000)}}`);
  expect(messages.map(({ capabilities }) => capabilities)).toEqual([{ sampling: {} }, undefined, undefined, undefined]);
  const meta = { "io.modelcontextprotocol/clientCapabilities": { elicitation: {} } };
  connect(observer).receive(JSON.stringify({ method: "tools/list", params: { _meta: meta } }));
  expect(messages.at(-1)?.capabilities).toEqual({ elicitation: {} });
});
