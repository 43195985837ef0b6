import { Transcript } from "proffer/testing";
import { describe, expect, it } from "vitest";
import server from "./fixtures/features.ts";
import { describeMatrix } from "./matrix.ts";
import { violations } from "./official-schema.ts";
import { EVERY } from "./versions.ts";

/** Valid and invalid requests. */
const REQUESTS: [method: string, params: object][] = [
  ["ping", {}],
  ["server/discover", {}],
  ["tools/list", {}],
  ["tools/list", { cursor: "bad" }],
  ["tools/call", { name: "echo", arguments: { text: "x" } }],
  ["tools/call", { name: "echo", arguments: {} }],
  ["tools/call", { name: "annotated" }],
  ["tools/call", { name: "count", arguments: { to: 2, messages: true }, _meta: { progressToken: 0 } }],
  ["tools/call", { name: "chatter" }],
  ["tools/call", { name: "seen" }],
  ["tools/call", { name: "greet" }],
  ["tools/call", { name: "nothing" }],
  ["tools/call", {}],
  ["prompts/list", {}],
  ["prompts/get", { name: "describe", arguments: { bird: "owl" } }],
  ["prompts/get", { name: "describe" }],
  ["resources/list", {}],
  ["resources/templates/list", {}],
  ["resources/read", { uri: "features://motto" }],
  ["resources/read", { uri: "features://bytes" }],
  ["resources/read", { uri: "features://computed" }],
  ["resources/read", { uri: "features://birds/owl" }],
  ["resources/read", { uri: "features://birds/dodo" }],
  ["resources/subscribe", { uri: "features://motto" }],
  ["tools/call", { name: "flood" }],
  ["resources/unsubscribe", { uri: "features://motto" }],
  ["completion/complete", { ref: { type: "ref/prompt", name: "describe" }, argument: { name: "bird", value: "e" } }],
  ["logging/setLevel", { level: "debug" }],
  ["nothing/at_all", {}],
];

describeMatrix({ server, module: "features.ts" }, EVERY, (leg) => {
  it("whatever a conversation makes the server send is valid by the official schema", async () => {
    const client = await leg.connect({ answers: [{ name: "Ada" }] });
    await client.listen({ lists: ["tools", "prompts", "resources"], uris: ["features://motto"] });
    for (const [method, params] of REQUESTS)
      await client.request(method, params, { logLevel: "debug" }).catch(() => {});
    for (const list of [client.listTools(), client.listPrompts(), client.listResources(), client.listTemplates()]) {
      await list;
    }
    const incapable = await leg.connect({ capabilities: {} });
    await incapable.call("greet").catch(() => {});
    incapable.send('{"jsonrpc":"2.0","id":99');
    incapable.send('{"jsonrpc":"2.0","id":100,"method":7}');
    await incapable.call("seen");

    const { transcript } = client;
    expect(transcript.messages("server").length).toBeGreaterThan(REQUESTS.length);
    for (const each of [transcript, incapable.transcript]) expect(violations(leg.revision, each)).toEqual([]);
  });
});

/** Returns a transcript of one request and one response. */
function conversation(method: string, answer: object): Transcript {
  const transcript = new Transcript();
  transcript.add("client", JSON.stringify({ jsonrpc: "2.0", id: 1, method }));
  transcript.add("server", JSON.stringify({ jsonrpc: "2.0", id: 1, ...answer }));
  return transcript;
}

it("a code that the specification keeps to itself is a violation", () => {
  const error = (code: number) => conversation("tools/call", { error: { code, message: "" } });
  expect(violations("2025-11-25", error(-32002))).toEqual([]);
  for (const [version, code] of [
    ["2026-07-28", -32002],
    ["2026-07-28", -32042],
    ["2025-11-25", -32001],
    ["2026-07-28", -32099],
  ] as const) {
    expect(violations(version, error(code))).toEqual([expect.stringContaining("is reserved")]);
  }
});

describe("the comparison with the official schemas", () => {
  it.each(EVERY)("can fail in %s", (version) => {
    expect(violations(version, conversation("tools/list", { result: {} }))).not.toEqual([]);
    expect(violations(version, conversation("tools/call", { result: { content: [{ type: "text" }] } }))).not.toEqual(
      [],
    );
    expect(violations(version, conversation("tools/call", { error: { code: 1.5 } }))).not.toEqual([]);
    expect(violations(version, conversation("tools/call", { method: "notifications/nothing" }))).not.toEqual([]);
    expect(violations(version, conversation("notifications/x", { id: 2, result: {} }))).not.toEqual([]);
  });
});
