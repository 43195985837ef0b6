import { rm } from "node:fs/promises";
import { connect } from "proffer/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeModule } from "../transports.ts";
import { defineAlgocline } from "./algocline.ts";
import { createHome, environmentOf } from "./temporary-home.ts";

const LUA = "text/x-lua";
const JSON_TYPE = "application/json";
const CARD = "cot_opus46_20260412T061500_a3f9c1";
const BARE_CARD = "3f4b1a2c-0001-0000-0000-000000000000";
const SESSION = "1a2b3c4d-0001-0000-0000-000000000000";

const RESOURCES = [
  {
    uri: "alc://types/alc.d.lua",
    name: "alc.d.lua",
    description: "Lua type stubs for alc.* StdLib",
    mimeType: LUA,
  },
  {
    uri: "alc://types/alc_shapes.d.lua",
    name: "alc_shapes.d.lua",
    description: "Lua type stubs for alc_shapes DSL",
    mimeType: LUA,
  },
];

const TEMPLATES = [
  ["alc://packages/{name}/init.lua", "package-init-lua", "Lua source of an installed package", LUA],
  [
    "alc://packages/{name}/meta",
    "package-meta",
    "Package metadata JSON (description, category, alc_shapes_compat)",
    JSON_TYPE,
  ],
  ["alc://cards/{card_id}", "card", "Immutable Card snapshot", JSON_TYPE],
  [
    "alc://cards/{card_id}/samples",
    "card-samples",
    "Per-case sample rows (paginate with ?offset=N&limit=M)",
    JSON_TYPE,
  ],
  ["alc://scenarios/{name}", "scenario", "Scenario Lua source", LUA],
  ["alc://eval/{result_id}", "eval-result", "Eval result detail ({strategy}_{timestamp_secs} id)", JSON_TYPE],
  ["alc://logs/{session_id}", "session-log", "Session log (paginate with ?limit=N&max_chars=M)", JSON_TYPE],
].map(([uriTemplate, name, description, mimeType]) => ({ uriTemplate, name, description, mimeType }));

const home = createHome();
const ALGOCLINE = {
  module: new URL("./server.ts", import.meta.url),
  env: environmentOf(home),
  revisions: ["2024-11-05", "2026-07-28"],
};

beforeAll(async () => {
  const rows = Array.from({ length: 101 }, (_, at) => `{"case":${at}}\n`).join("");
  await home.write("cards/many/many_1.toml", 'card_id = "many_1"\n');
  await home.write("cards/many/many_1.samples.jsonl", rows);
  await rm(home.path("types/alc_shapes.d.lua"));
});

afterAll(() => home.remove());

describeModule(ALGOCLINE, (leg) => {
  const read = async (uri: string) => {
    const { contents } = await leg.client.read(uri);
    expect(contents).toHaveLength(1);
    expect(contents[0]?.uri).toBe(uri);
    return { mimeType: contents[0]?.mimeType, text: contents[0]?.text ?? "" };
  };
  const readJson = async (uri: string) => JSON.parse((await read(uri)).text);

  it("lists exactly two resources and seven templates in its first edition", async () => {
    const first = await connect(defineAlgocline(home.places, { edition: 1 }), { revision: leg.revision });
    const list = await first.request("resources/list");
    expect(list.resources).toEqual(RESOURCES);
    expect(list).not.toHaveProperty("nextCursor");
    expect(await first.listTemplates()).toEqual(TEMPLATES);
    await expect(first.read("alc://hub/index")).rejects.toThrow("unknown service: hub");
    await expect(first.read("alc://packages/cot/narrative")).rejects.toThrow("resource not found");
  });

  it("starts both lists with the same entries in its second edition", async () => {
    expect((await leg.client.listResources()).slice(0, 3)).toEqual([
      ...RESOURCES,
      expect.objectContaining({ uri: "alc://hub/index", mimeType: JSON_TYPE }),
    ]);
    expect(await leg.client.listTemplates()).toEqual([
      ...TEMPLATES,
      expect.objectContaining({ uriTemplate: "alc://packages/{name}/narrative", mimeType: "text/markdown" }),
    ]);
  });

  it("lists every readable resource, and reads every listed resource except missing stubs", async () => {
    const uris = (await leg.client.listResources()).map(({ uri }) => uri);
    expect(uris.slice(3)).toEqual([
      "alc://packages/cot/init.lua",
      "alc://packages/panel/init.lua",
      "alc://packages/cot/meta",
      "alc://packages/panel/meta",
      `alc://cards/${BARE_CARD}`,
      `alc://cards/${CARD}`,
      "alc://cards/many_1",
      `alc://cards/${CARD}/samples`,
      "alc://cards/many_1/samples",
      "alc://scenarios/my_scenario",
      "alc://eval/mystrategy_1745000000",
      `alc://logs/${SESSION}`,
      "alc://packages/cot/narrative",
    ]);
    for (const uri of uris.filter((each) => each !== "alc://types/alc_shapes.d.lua")) await read(uri);
  });

  it.each(["alc://types/alc.d.lua", "alc://types/alc.d.lua/", "alc://types//alc.d.lua", "alc://types/alc.d.lua?"])(
    "reads the type stubs as %s",
    async (uri) => {
      expect(await read(uri)).toEqual({ mimeType: LUA, text: "-- stub content" });
    },
  );

  it("reads the source of an installed package, and prefers the project's variant", async () => {
    expect(await read("alc://packages/cot/init.lua")).toMatchObject({
      mimeType: LUA,
      text: expect.stringContaining('name = "cot"'),
    });
    expect((await read("alc://packages/panel/init.lua")).text).toContain("1.1.0-local");
  });

  it("reads the metadata of a package without running it", async () => {
    expect(await readJson("alc://packages/cot/meta")).toEqual({
      name: "cot",
      version: "0.3.0",
      description: 'Thinks step by step, {even} "here".',
      category: "reasoning",
      alc_shapes_compat: null,
      docstring:
        "Chain of thought: asks a model to think aloud, step by step.\nThe steps are kept, so that a later round can go back to one of them.",
    });
    expect(await readJson("alc://packages/panel/meta")).toMatchObject({ version: "1.1.0-local", description: null });
  });

  it("reads a card as JSON, with dates as strings and every digit of its numbers", async () => {
    const { mimeType, text } = await read(`alc://cards//${CARD}`);
    expect(mimeType).toBe(JSON_TYPE);
    expect(JSON.parse(text)).toEqual({
      card_id: CARD,
      created_at: "2026-04-12T06:15:00.000Z",
      pkg: { name: "cot", version: "0.3.0" },
      stats: { n: 3, pass_rate: 0.667, tokens: "9007199254740993" },
    });
  });

  it.each([
    ["", ["add", "multiply", "divide"]],
    ["?offset=0&limit=2", ["add", "multiply"]],
    ["?offset=1", ["multiply", "divide"]],
    ["?offset=2&limit=10000", ["divide"]],
    ["?limit=0", []],
    ["?offset=10000000", []],
    ["?&limit=1&&limit=+2&", ["add", "multiply"]],
  ])("reads the samples of a card with %j", async (query, cases) => {
    const rows = await readJson(`alc://cards/${CARD}/samples${query}`);
    expect(rows.map((row: { case: string }) => row.case)).toEqual(cases);
  });

  it("returns 100 samples by default, and an empty list for a card without samples", async () => {
    expect(await readJson("alc://cards/many_1/samples")).toHaveLength(100);
    expect(await readJson("alc://cards/many_1/samples?limit=10000")).toHaveLength(101);
    expect(await readJson(`alc://cards/${BARE_CARD}/samples`)).toEqual([]);
  });

  it("reads a scenario as Lua, and an evaluation and a short log unchanged", async () => {
    expect(await read("alc://scenarios/my_scenario")).toEqual({
      mimeType: LUA,
      text: 'return { cases = { { input = "2 + 2", expect = "4" } } }\n',
    });
    expect(await read("alc://eval/mystrategy_1745000000")).toEqual({
      mimeType: JSON_TYPE,
      text: '{ "strategy": "mystrategy", "score": 0.75, "cases": 4 }\n',
    });
    expect((await read(`alc://logs/${SESSION}`)).text).toMatch(/^\{\n {2}"session_id"/);
  });

  it("truncates a log to its newest rounds, and reports the omitted rounds", async () => {
    const newest = await readJson(`alc://logs/${SESSION}?limit=1`);
    expect(newest).toMatchObject({ truncated: true, original_rounds: 2, returned_rounds: 1 });
    expect(newest.transcript).toEqual([{ prompt: "Go on.", response: "42" }]);
    const short = await read(`alc://logs/${SESSION}?max_chars=233`);
    expect(short.text.length).toBeLessThanOrEqual(233);
    expect(JSON.parse(short.text)).toMatchObject({ truncated: true, original_rounds: 2, returned_rounds: 1 });
  });

  it("serves an index of all packages, and their narratives", async () => {
    const { packages, more } = await readJson("alc://hub/index");
    expect(packages.map(({ name, version }: Record<string, string>) => [name, version])).toEqual([
      ["cot", "0.3.0"],
      ["panel", "1.1.0-local"],
    ]);
    expect(more).toBe(false);
    expect(await read("alc://packages/cot/narrative")).toMatchObject({
      mimeType: "text/markdown",
      text: expect.stringMatching(/^# cot\n/),
    });
  });

  it.each([
    ["alc://packages/{name}/init.lua", "name", "", ["cot", "panel"]],
    ["alc://packages/{name}/meta", "name", "P", ["panel"]],
    ["alc://packages/{name}/narrative", "name", "", ["cot"]],
    ["alc://cards/{card_id}", "card_id", "cot_", [CARD]],
    ["alc://cards/{card_id}/samples", "card_id", "m", ["many_1"]],
    ["alc://scenarios/{name}", "name", "my", ["my_scenario"]],
    ["alc://eval/{result_id}", "result_id", "", ["mystrategy_1745000000"]],
    ["alc://logs/{session_id}", "session_id", "1a", [SESSION]],
  ])("completes the id of %s", async (uri, name, value, expected) => {
    expect(await leg.client.complete({ type: "ref/resource", uri }, name, value)).toEqual(expected);
  });

  it.each([
    ["https://example.com/foo", "invalid scheme: expected alc://, got https://example.com/foo"],
    ["types/alc.d.lua", "invalid scheme: expected alc://, got types/alc.d.lua"],
    ["ALC://types/alc.d.lua", "invalid scheme: expected alc://, got ALC://types/alc.d.lua"],
    ["alc://types/../etc/passwd", "path traversal segment rejected: .."],
    ["alc://types/./alc.d.lua", "path traversal segment rejected: ."],
    ["alc://foo/../x", "path traversal segment rejected: .."],
    ["alc://", "missing path segment in alc://"],
    ["alc://cards", "missing path segment in alc://cards"],
    ["alc://cards/", "missing path segment in alc://cards/"],
    ["alc://unknown/x", "unknown service: unknown"],
    ["alc://evals/mystrategy_1745000000", "unknown service: evals"],
    ["alc://cards/x?=bad", "invalid query: empty key in query of alc://cards/x?=bad"],
    ["alc://types/alc.d.lua?x=1", "query params not supported on alc://types/alc.d.lua?x=1"],
    ["alc://types/other.lua?x=1", "query params not supported on alc://types/other.lua?x=1"],
    ["alc://types/sub/file.lua", "resource not found: alc://types/sub/file.lua"],
    ["alc://types/alc_shapes.d.lua", "resource not found: alc://types/alc_shapes.d.lua"],
    ["alc://packages/cot", "resource not found: alc://packages/cot"],
    ["alc://packages/cot/other", "resource not found: alc://packages/cot/other"],
    ["alc://packages/none/init.lua", "pkg not found: none"],
    ["alc://packages/gone/init.lua", "pkg not found: gone"],
    ["alc://packages/none/meta", "resource not found: alc://packages/none/meta"],
    ["alc://packages/none/narrative", "resource not found: alc://packages/none/narrative"],
    ["alc://hub/other", "resource not found: alc://hub/other"],
    ["alc://cards/none", "card 'none' not found"],
    ["alc://cards/__proto__", "card '__proto__' not found"],
    [`alc://cards/${"x".repeat(300)}`, `card '${"x".repeat(300)}' not found`],
    ["alc://cards/none/samples", "card 'none' not found"],
    ["alc://cards/x/samples/y", "resource not found: alc://cards/x/samples/y"],
    ["alc://scenarios/none", "Scenario 'none' not found"],
    ["alc://scenarios/my_scenario.lua", "Scenario 'my_scenario.lua' not found"],
    ["alc://eval/none_1", "Eval result not found: none_1"],
    ["alc://logs/none", "Log file not found for session 'none'"],
    ["alc://cards/bad&id", "card_id 'bad&id' on alc://cards/bad&id contains reserved character '&'"],
    ["alc://cards/a=b", "card_id 'a=b' on alc://cards/a=b contains reserved character '='"],
    ["alc://scenarios/a b", "scenario name 'a b' on alc://scenarios/a b contains reserved character ' '"],
    ["alc://logs/ses%20abc", "session_id 'ses%20abc' on alc://logs/ses%20abc contains reserved character '%'"],
    ["alc://logs/%2e%2e", "session_id '%2e%2e' on alc://logs/%2e%2e contains reserved character '%'"],
    ["alc://eval/a%5f1", "eval result_id 'a%5f1' on alc://eval/a%5f1 contains reserved character '%'"],
    ["alc://packages/a&b/meta", "package name 'a&b' on alc://packages/a&b/meta contains reserved character '&'"],
    ["alc://cards/é", "card_id 'é' on alc://cards/é contains unsupported character 'é'"],
    ["alc://logs/a\0b", "session_id 'a\0b' on alc://logs/a\0b contains unsupported character '\0'"],
    ["alc://cards/x?a=b", "query params not supported on alc://cards/x?a=b"],
    ["alc://cards/x?key=a=b", "query params not supported on alc://cards/x?key=a=b"],
    ["alc://scenarios/x?a=b", "query params not supported on alc://scenarios/x?a=b"],
    ["alc://packages/cot/init.lua?a=b", "query params not supported on alc://packages/cot/init.lua?a=b"],
    ["alc://eval/nounderscore?x=1", "query params not supported on alc://eval/nounderscore?x=1"],
  ])("rejects %s", async (uri, message) => {
    await expect(leg.client.read(uri)).rejects.toMatchObject({ code: -32602, message, data: undefined });
  });

  it.each(["_", "a_", "_1", "a_b", "a__1", "my_strategy_123", "nounderscore", "9e8d7c6b-0001-0000-0000-000000000000"])(
    "rejects the evaluation id %s",
    async (id) => {
      const message = `invalid eval_id: must be {strategy}_{timestamp}, got '${id}'`;
      await expect(leg.client.read(`alc://eval/${id}`)).rejects.toMatchObject({ code: -32602, message });
    },
  );

  const digits = "invalid digit found in string";
  it.each([
    [`cards/${CARD}/samples`, "limit=10001", "query param 'limit=10001' on URI exceeds cap of 10000"],
    [`cards/${CARD}/samples`, "limit=+10001", "query param 'limit=10001' on URI exceeds cap of 10000"],
    [`cards/${CARD}/samples`, "offset=10000001", "query param 'offset=10000001' on URI exceeds cap of 10000000"],
    [`cards/${CARD}/samples`, "foo=bar&limit=10001", "query param 'limit=10001' on URI exceeds cap of 10000"],
    [`cards/${CARD}/samples`, "foo=bar", "unsupported query param 'foo' on URI"],
    [`cards/${CARD}/samples`, "max_chars=1", "unsupported query param 'max_chars' on URI"],
    [`cards/${CARD}/samples`, "limit=abc", `invalid query param 'limit=abc' on URI: ${digits}`],
    [`cards/${CARD}/samples`, "limit=abc&offset=-1", `invalid query param 'offset=-1' on URI: ${digits}`],
    [`cards/${CARD}/samples`, "limit=1.5", `invalid query param 'limit=1.5' on URI: ${digits}`],
    [`cards/${CARD}/samples`, "limit=", "invalid query param 'limit=' on URI: cannot parse integer from empty string"],
    [`cards/${CARD}/samples`, "limit", "invalid query param 'limit=' on URI: cannot parse integer from empty string"],
    [
      `cards/${CARD}/samples`,
      "limit=18446744073709551616",
      "invalid query param 'limit=18446744073709551616' on URI: number too large to fit in target type",
    ],
    [`logs/${SESSION}`, "limit=10001", "query param 'limit=10001' on URI exceeds cap of 10000"],
    [`logs/${SESSION}`, "max_chars=1000001", "query param 'max_chars=1000001' on URI exceeds cap of 1000000"],
    [`logs/${SESSION}`, "offset=1", "unsupported query param 'offset' on URI"],
    [`logs/${SESSION}`, "max_chars=-1", `invalid query param 'max_chars=-1' on URI: ${digits}`],
  ])("rejects %s?%s", async (path, query, message) => {
    const uri = `alc://${path}?${query}`;
    await expect(leg.client.read(uri)).rejects.toMatchObject({ code: -32602, message: message.replace("URI", uri) });
  });

  it.each([`logs/${SESSION}?limit=10000`, `logs/${SESSION}?max_chars=1000000`, `logs/${SESSION}?limit=0`])(
    "accepts %s, which is exactly at a limit",
    async (path) => {
      expect(await readJson(`alc://${path}`)).toMatchObject({ session_id: SESSION });
    },
  );
});
