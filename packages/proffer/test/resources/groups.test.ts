import {
  defineResource,
  defineResourceGroup,
  defineServer,
  InvalidParams,
  param,
  type Refusal,
  RpcError,
} from "proffer";
import { connect, type TestClient } from "proffer/testing";
import { beforeAll, describe, expect, it } from "vitest";

// The rules of algocline's resources are older than Proffer: a group must be able to express all of them.

const SERVICES = ["types", "packages", "cards", "scenarios", "eval", "logs"];
const RESERVED = "&=?/% ";

function id(label: string) {
  return param.charset("A-Za-z0-9_.-", { label });
}

function numberProblem({ value }: Refusal): string {
  if (value === "") return "cannot parse integer from empty string";
  return "invalid digit found in string";
}

function unmatched({ uri, segments: [service, ...rest], query }: Refusal): string {
  if (service === undefined) return `missing path segment in ${uri}`;
  if (!SERVICES.includes(service)) return `unknown service: ${service}`;
  if (rest.length === 0) return `missing path segment in ${uri}`;
  if (query.has("")) return `invalid query: empty key in query of ${uri}`;
  if (service === "types" && query.size > 0) return `query params not supported on ${uri}`;
  return `resource not found: ${uri}`;
}

const EVAL_ID = /^[A-Za-z0-9-]+_\d+$/;
const lua = "text/x-lua";
const json = "application/json";

const algocline = defineResourceGroup(
  {
    uri: "alc://",
    decode: false,
    emptySegments: "drop",
    duplicates: "last",
    hideQuery: true,
    messages: {
      foreign: ({ uri }) => `invalid scheme: expected alc://, got ${uri}`,
      traversal: ({ value }) => `path traversal segment rejected: ${value}`,
      unmatched,
      missing: ({ uri }) => `resource not found: ${uri}`,
      empty_key: ({ uri }) => `invalid query: empty key in query of ${uri}`,
      unknown_key: ({ name, uri, keys }) =>
        keys.length === 0 ? `query params not supported on ${uri}` : `unsupported query param '${name}' on ${uri}`,
      character: ({ label, value, uri, char = "" }) =>
        `${label} '${value}' on ${uri} contains ${RESERVED.includes(char) ? "reserved" : "unsupported"} character '${char}'`,
      integer: (refusal) =>
        `invalid query param '${refusal.name}=${refusal.value}' on ${refusal.uri}: ${numberProblem(refusal)}`,
      max: ({ name, value, uri, limit }) =>
        BigInt(value) < 2n ** 64n
          ? `query param '${name}=${BigInt(value)}' on ${uri} exceeds cap of ${limit}`
          : `invalid query param '${name}=${value}' on ${uri}: number too large to fit in target type`,
    },
  },
  [
    defineResource({
      uri: "alc://types/alc.d.lua",
      name: "alc.d.lua",
      description: "Lua type stubs for alc.* StdLib",
      mimeType: lua,
      read: () => "-- stub content",
    }),
    defineResource({
      uri: "alc://types/alc_shapes.d.lua",
      name: "alc_shapes.d.lua",
      mimeType: lua,
      read: () => {
        throw new InvalidParams("resource not found: alc://types/alc_shapes.d.lua");
      },
    }),
    defineResource({
      uri: "alc://packages/{name}/init.lua",
      name: "package-init-lua",
      mimeType: lua,
      params: { name: id("package name") },
      read: ({ name }) => `-- ${name}`,
    }),
    defineResource({
      uri: "alc://packages/{name}/meta",
      name: "package-meta",
      mimeType: json,
      params: { name: id("package name") },
      read: () => undefined,
    }),
    defineResource({
      uri: "alc://cards/{card_id}",
      name: "card",
      mimeType: json,
      params: { card_id: id("card_id") },
      read: ({ card_id }) => ({ card_id }),
    }),
    defineResource({
      uri: "alc://cards/{card_id}/samples{?offset,limit}",
      name: "card-samples",
      mimeType: json,
      params: {
        card_id: id("card_id"),
        offset: param.integer({ default: 0, max: 10_000_000, plus: true }),
        limit: param.integer({ default: 100, max: 10_000, plus: true }),
      },
      read: (params) => params,
    }),
    defineResource({
      uri: "alc://scenarios/{name}",
      name: "scenario",
      mimeType: lua,
      params: { name: id("scenario name") },
      read: ({ name }) => `-- ${name}`,
    }),
    defineResource({
      uri: "alc://eval/{result_id}",
      name: "eval-result",
      mimeType: json,
      params: { result_id: id("eval result_id") },
      read: ({ result_id }) => {
        if (!EVAL_ID.test(result_id)) {
          throw new InvalidParams(`invalid eval_id: must be {strategy}_{timestamp}, got '${result_id}'`);
        }
        return { result_id };
      },
    }),
    defineResource({
      uri: "alc://logs/{session_id}{?limit,max_chars}",
      name: "session-log",
      mimeType: json,
      params: {
        session_id: id("session_id"),
        limit: param.integer({ default: 50, max: 10_000, plus: true }),
        max_chars: param.integer({ default: 20_000, max: 1_000_000, plus: true }),
      },
      read: (params) => params,
    }),
  ],
);

const server = defineServer({ name: "alc", version: "1.0.0", resources: [algocline] });

describe.each(["2025-06-18", "2026-07-28"])("a group with the rules of algocline, on %s", (revision) => {
  let client: TestClient;
  beforeAll(async () => {
    client = await connect(server, { revision });
  });

  it("lists two resources and seven templates, without their queries", async () => {
    expect((await client.listResources()).map(({ uri }) => uri)).toEqual([
      "alc://types/alc.d.lua",
      "alc://types/alc_shapes.d.lua",
    ]);
    expect((await client.listTemplates()).map(({ uriTemplate }) => uriTemplate)).toEqual([
      "alc://packages/{name}/init.lua",
      "alc://packages/{name}/meta",
      "alc://cards/{card_id}",
      "alc://cards/{card_id}/samples",
      "alc://scenarios/{name}",
      "alc://eval/{result_id}",
      "alc://logs/{session_id}",
    ]);
  });

  it.each([
    ["alc://types/alc.d.lua", lua, "-- stub content"],
    ["alc://types/alc.d.lua/", lua, "-- stub content"],
    ["alc://types//alc.d.lua?", lua, "-- stub content"],
    ["alc://packages/panel/init.lua", lua, "-- panel"],
    ["alc://cards//x", json, '{"card_id":"x"}'],
    ["alc://cards/a..b", json, '{"card_id":"a..b"}'],
    ["alc://cards/x/samples", json, '{"card_id":"x","offset":0,"limit":100}'],
    ["alc://cards/x/samples?limit=10000&offset=1", json, '{"card_id":"x","limit":10000,"offset":1}'],
    ["alc://cards/x/samples?&limit=1&&limit=+5&", json, '{"card_id":"x","limit":5,"offset":0}'],
    ["alc://logs/s?limit=1&limit=2", json, '{"session_id":"s","limit":2,"max_chars":20000}'],
    ["alc://eval/mystrategy_1745000000", json, '{"result_id":"mystrategy_1745000000"}'],
  ])("reads %s and returns its uri", async (uri, mimeType, text) => {
    expect((await client.read(uri)).contents).toEqual([{ uri, mimeType, text }]);
  });

  it.each([
    ["https://example.com/foo", "invalid scheme: expected alc://, got https://example.com/foo"],
    ["https://example.com/../foo", "invalid scheme: expected alc://, got https://example.com/../foo"],
    ["types/alc.d.lua", "invalid scheme: expected alc://, got types/alc.d.lua"],
    ["ALC://types/alc.d.lua", "invalid scheme: expected alc://, got ALC://types/alc.d.lua"],
    ["alc://types/../etc/passwd", "path traversal segment rejected: .."],
    ["alc://types/./alc.d.lua", "path traversal segment rejected: ."],
    ["alc://foo/../x", "path traversal segment rejected: .."],
    ["alc://", "missing path segment in alc://"],
    ["alc:///", "missing path segment in alc:///"],
    ["alc://cards", "missing path segment in alc://cards"],
    ["alc://cards/", "missing path segment in alc://cards/"],
    ["alc://unknown/x", "unknown service: unknown"],
    ["alc://evals/a_1", "unknown service: evals"],
    ["alc://cards/x?=bad", "invalid query: empty key in query of alc://cards/x?=bad"],
    ["alc://packages/x/other?=bad", "invalid query: empty key in query of alc://packages/x/other?=bad"],
    ["alc://types/alc.d.lua?x=1", "query params not supported on alc://types/alc.d.lua?x=1"],
    ["alc://types/no.lua?x=1", "query params not supported on alc://types/no.lua?x=1"],
    ["alc://types/sub/file.lua", "resource not found: alc://types/sub/file.lua"],
    ["alc://types/alc_shapes.d.lua", "resource not found: alc://types/alc_shapes.d.lua"],
    ["alc://packages/x", "resource not found: alc://packages/x"],
    ["alc://packages/x/other", "resource not found: alc://packages/x/other"],
    ["alc://packages/x/meta", "resource not found: alc://packages/x/meta"],
    ["alc://cards/x/samples/y", "resource not found: alc://cards/x/samples/y"],
    ["alc://cards/bad&id", "card_id 'bad&id' on alc://cards/bad&id contains reserved character '&'"],
    ["alc://logs/ses%20abc", "session_id 'ses%20abc' on alc://logs/ses%20abc contains reserved character '%'"],
    ["alc://logs/%2e%2e", "session_id '%2e%2e' on alc://logs/%2e%2e contains reserved character '%'"],
    ["alc://cards/é", "card_id 'é' on alc://cards/é contains unsupported character 'é'"],
    [
      "alc://packages/a=b/meta?x=1",
      "package name 'a=b' on alc://packages/a=b/meta?x=1 contains reserved character '='",
    ],
    ["alc://packages/a/meta?x=1", "query params not supported on alc://packages/a/meta?x=1"],
    ["alc://cards/x?key=a=b", "query params not supported on alc://cards/x?key=a=b"],
    ["alc://cards/x/samples?foo=bar", "unsupported query param 'foo' on alc://cards/x/samples?foo=bar"],
    [
      "alc://cards/x/samples?foo=bar&limit=10001",
      "query param 'limit=10001' on alc://cards/x/samples?foo=bar&limit=10001 exceeds cap of 10000",
    ],
    [
      "alc://cards/x/samples?limit=abc&offset=-1",
      "invalid query param 'offset=-1' on alc://cards/x/samples?limit=abc&offset=-1: invalid digit found in string",
    ],
    [
      "alc://cards/x/samples?limit=",
      "invalid query param 'limit=' on alc://cards/x/samples?limit=: cannot parse integer from empty string",
    ],
    [
      "alc://cards/x/samples?limit",
      "invalid query param 'limit=' on alc://cards/x/samples?limit: cannot parse integer from empty string",
    ],
    [
      "alc://cards/x/samples?limit=1.5",
      "invalid query param 'limit=1.5' on alc://cards/x/samples?limit=1.5: invalid digit found in string",
    ],
    [
      "alc://cards/x/samples?limit=00010001",
      "query param 'limit=10001' on alc://cards/x/samples?limit=00010001 exceeds cap of 10000",
    ],
    [
      "alc://cards/x/samples?limit=99999999999999999999",
      "invalid query param 'limit=99999999999999999999' on alc://cards/x/samples?limit=99999999999999999999: number too large to fit in target type",
    ],
    [
      "alc://logs/s?max_chars=1000001",
      "query param 'max_chars=1000001' on alc://logs/s?max_chars=1000001 exceeds cap of 1000000",
    ],
    ["alc://eval/nounderscore?x=1", "query params not supported on alc://eval/nounderscore?x=1"],
    ["alc://eval/nounderscore", "invalid eval_id: must be {strategy}_{timestamp}, got 'nounderscore'"],
    [
      "alc://eval/9e8d7c6b-0001-0000-0000-000000000000",
      "invalid eval_id: must be {strategy}_{timestamp}, got '9e8d7c6b-0001-0000-0000-000000000000'",
    ],
  ])("rejects %s with the exact message", async (uri, message) => {
    await expect(client.read(uri)).rejects.toMatchObject({ code: -32602, message, data: undefined });
  });
});

describe("a group", () => {
  it("can change the code and data of a refusal", async () => {
    const group = defineResourceGroup(
      {
        uri: "old://",
        messages: {
          missing: ({ uri }) =>
            new RpcError("invalid_params", `Resource ${uri} not found.`, { code: -32099, data: [1] }),
          unmatched: ({ uri }) => new RpcError("internal_error", `Nothing at ${uri}.`),
        },
      },
      [defineResource({ uri: "old://{id}", name: "old", read: () => undefined })],
    );
    const client = await connect(defineServer({ name: "old", version: "1", resources: [group] }));
    await expect(client.read("old://1")).rejects.toMatchObject({
      code: -32099,
      message: "Resource old://1 not found.",
      data: [1],
    });
    await expect(client.read("old://a/b")).rejects.toMatchObject({ code: -32603, message: "Nothing at old://a/b." });
  });

  it("can handle all refusals of its own URIs with one function", async () => {
    const group = defineResourceGroup({ uri: "old://", messages: ({ kind, uri }) => `${kind}: ${uri}` }, [
      defineResource({ uri: "old://{id}{?n}", name: "old", params: { n: param.integer() }, read: () => undefined }),
    ]);
    const client = await connect(defineServer({ name: "old", version: "1", resources: [group] }));
    for (const [uri, kind] of [
      ["old://1", "missing"],
      ["old://1?n=x", "integer"],
      ["old://1?m=1", "unknown_key"],
      ["old://1/2", "unmatched"],
      ["old://..", "traversal"],
    ] as const) {
      await expect(client.read(uri)).rejects.toMatchObject({ code: -32602, message: `${kind}: ${uri}` });
    }
    await expect(client.read("new://1")).rejects.toThrow('Resource not found: "new://1".');
  });

  it("can report undeclared keys before bad values", async () => {
    const resource = defineResource({
      uri: "n://{id}{?n}",
      name: "n",
      params: { n: param.integer() },
      read: () => "",
    });
    const unknownFirst = defineResourceGroup({ uri: "n://", order: ["unknown", "faults", "path", "query"] }, [
      resource,
    ]);
    const client = await connect(defineServer({ name: "n", version: "1", resources: [unknownFirst] }));
    await expect(client.read("n://a?n=x&m=1")).rejects.toThrow(/^m "1" in .* is an unknown query parameter/);
    const usual = await connect(defineServer({ name: "n", version: "1", resources: [resource] }));
    await expect(usual.read("n://a?n=x&m=1")).rejects.toThrow(/^n "x" in .* is not an integer/);
  });

  it("applies if its prefix is the longest match", async () => {
    const named = (prefix: string) =>
      defineResourceGroup({ uri: prefix, messages: { unmatched: () => `none in ${prefix}` } }, [
        defineResource({ uri: `${prefix}{id}/x`, name: "x", read: () => "" }),
      ]);
    const client = await connect(
      defineServer({ name: "n", version: "1", resources: [named("a://"), named("a://b/")] }),
    );
    await expect(client.read("a://b/c/d/e")).rejects.toThrow("none in a://b/");
    await expect(client.read("a://c/d/e")).rejects.toThrow("none in a://");
    await expect(client.read("b://c")).rejects.toThrow('Resource not found: "b://c".');
  });

  it.each([
    ["a resource outside its prefix", () => defineResourceGroup({ uri: "a://" }, [fixed("b://x")])],
    ["a prefix with a variable", () => defineResourceGroup({ uri: "a://{b}" }, [])],
    [
      "an order that omits a check",
      () => defineResourceGroup({ uri: "a://", order: ["path", "query", "unknown"] }, []),
    ],
  ])("rejects %s", (_, define) => {
    expect(define).toThrow(expect.objectContaining({ name: "UsageError", code: "bad_option" }));
  });
});

function fixed(uri: string) {
  return defineResource({ uri, name: "x", content: "" });
}
