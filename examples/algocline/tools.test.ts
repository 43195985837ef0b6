import { connectAs } from "@proffer/cli/profiles";
import { connect, type TestClient } from "proffer/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defineAlgocline } from "./algocline.ts";
import { createHome } from "./temporary-home.ts";

const home = createHome();
const CARD = "cot_opus46_20260412T061500_a3f9c1";
const SESSION = "1a2b3c4d-0001-0000-0000-000000000000";

/** Clients whose models cannot read resources, on an older and on the newest revision. */
const CLIENTS = [
  ["zed", "2025-11-25"],
  ["claude", "2026-07-28"],
] as const;

afterAll(() => home.remove());

describe.each(CLIENTS)("through the tools of %s on %s alone, algocline", (id, revision) => {
  let client: TestClient;
  beforeAll(async () => {
    client = await connectAs(defineAlgocline(home.places), id, { revision });
  });
  afterAll(() => client.close());

  const call = async (name: string, input: object = {}) => {
    const { content, isError } = await client.call(name, input as never);
    return { isError: isError === true, text: (content[0] as { text: string }).text };
  };

  it("has no resources, and a tool for each of them", async () => {
    expect([await client.listResources(), await client.listTemplates()]).toEqual([[], []]);
    const names = (await client.listTools()).map(({ name }) => name);
    const templates = [
      "package-init-lua",
      "package-meta",
      "card",
      "card-samples",
      "scenario",
      "eval-result",
      "session-log",
    ];
    expect(names).toEqual([
      "read_resource",
      ...[...templates, "package-narrative"].flatMap((name) => [name, `list_${name}`]),
    ]);
  });

  it("reads the contents that a client with resources reads", async () => {
    const other = await connect(defineAlgocline(home.places));
    const uris = (await other.listResources()).map(({ uri }) => uri);
    const seen = new Set<string>();
    const read = async (uri: string, name: string, input: object) => {
      seen.add(uri);
      const expected = await other.read(uri).then(
        ({ contents }) => ({ isError: false, text: contents[0]?.text }),
        (error: Error) => ({ isError: true, text: error.message }),
      );
      expect(await call(name, input)).toEqual(expected);
    };
    for (const uri of uris.slice(0, 3)) await read(uri, "read_resource", { uri });
    const names = (await client.listTools()).map(({ name }) => name);
    for (const list of names.filter((name) => name.startsWith("list_"))) {
      const { resources } = JSON.parse((await call(list)).text) as { resources: { uri: string; arguments: object }[] };
      for (const entry of resources) await read(entry.uri, list.slice("list_".length), entry.arguments);
    }
    expect([...seen].sort()).toEqual([...uris].sort());
    await read(`alc://cards/${CARD}/samples?offset=1&limit=1`, "card-samples", { card_id: CARD, offset: 1, limit: 1 });
    await read(`alc://logs/${SESSION}?limit=1`, "session-log", { session_id: SESSION, limit: 1 });
    await other.close();
  });

  it.each([
    ["card", { card_id: "none" }, "card 'none' not found"],
    [
      "card-samples",
      { card_id: CARD, limit: 10_001 },
      `query param 'limit=10001' on alc://cards/${CARD}/samples?limit=10001 exceeds cap of 10000`,
    ],
    ["eval-result", { result_id: "a_b" }, "invalid eval_id: must be {strategy}_{timestamp}, got 'a_b'"],
    ["package-meta", { name: "a&b" }, "package name 'a&b' on alc://packages/a&b/meta contains reserved character '&'"],
    ["scenario", { name: ".." }, "path traversal segment rejected: .."],
  ])("answers %s %j with the text of the document", async (name, input, text) => {
    expect(await call(name, input)).toEqual({ isError: true, text });
  });
});
