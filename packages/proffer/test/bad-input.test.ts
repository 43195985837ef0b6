import { setImmediate as turn } from "node:timers/promises";
import { definePrompt, defineResource, defineServer, defineTool } from "proffer";
import { connect, type TestClient } from "proffer/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { METHODS } from "../src/server/methods.ts";

interface Answer {
  readonly id?: unknown;
  readonly result?: { readonly [key: string]: unknown };
  readonly error?: { readonly code: number; readonly message: string };
}

let release: () => void = () => {};
let seen: unknown;

const echo = defineTool({
  name: "echo",
  input: { type: "object" },
  handle(input) {
    seen = input;
    return "seen";
  },
});
const slow = defineTool({
  name: "slow",
  handle: () =>
    new Promise((resolve) => {
      release = () => resolve("done");
    }),
});
const server = defineServer({
  name: "s",
  version: "1",
  tools: [echo, slow],
  prompts: [definePrompt({ name: "p", arguments: { a: { complete: ["x"] } }, get: ({ a }) => String(a) })],
  resources: [
    defineResource({ uri: "fixed://one", name: "one", content: "1" }),
    defineResource({ uri: "items://{id}", name: "items", complete: { id: ["x"] }, read: ({ id }) => id }),
  ],
  log: () => {},
});

const REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];
const transcripts: TestClient["transcript"][] = [];

/**
 * Sends raw texts and returns the server's responses, up to the response to a request that follows them. The client
 * numbers its own requests from 1, so ids from 100 are free.
 */
async function answersTo(client: TestClient, ...texts: string[]): Promise<Answer[]> {
  const before = client.transcript.messages("server").length;
  for (const text of texts) client.send(text);
  // Lets asynchronous responses arrive.
  await turn();
  await client.listTools();
  return client.transcript
    .messages("server")
    .slice(before, -1)
    .map((text) => JSON.parse(text) as Answer);
}

async function answerTo(client: TestClient, text: string): Promise<Answer> {
  const answers = await answersTo(client, text);
  expect(answers).toHaveLength(1);
  return answers[0] as Answer;
}

describe.each(REVISIONS)("in %s", (revision) => {
  let client: TestClient;
  beforeEach(async () => {
    client = await connect(server, { revision });
    transcripts.push(client.transcript);
  });

  /** A request as this revision has it; `more` goes into it as it is written. */
  function request(id: string, method: string, params = ""): string {
    const meta =
      revision === "2026-07-28"
        ? '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
        : "";
    const both = [params, meta].filter((part) => part !== "").join(",");
    return `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":{${both}}}`;
  }

  const call = (id: string, name: string, values = "{}") =>
    request(id, "tools/call", `"name":${JSON.stringify(name)},"arguments":${values}`);

  it.each(["", "{", "nul", "\u0000", "{}}", "\ufeff{}"])("answers %j with a parse error", async (text) => {
    const { error, ...rest } = await answerTo(client, text);
    expect(error?.code).toBe(-32700);
    // JSON-RPC uses null for an unknown id; newer revisions of MCP omit it.
    expect(rest).toEqual(revision < "2025-11-25" ? { jsonrpc: "2.0", id: null } : { jsonrpc: "2.0" });
  });

  it.each(["0", '""', '"0"', "-1", "9007199254740991", "-9007199254740991", '"\\ud800"', '"é"', '"__proto__"'])(
    "returns the id %s in the response",
    async (id) => {
      const answer = await answerTo(client, call(id, "echo"));
      expect(answer).toHaveProperty("result");
      expect(answer.id).toBe(JSON.parse(id));
    },
  );

  it("distinguishes the number 0 and the string 0 as ids", async () => {
    const answers = await answersTo(client, call("0", "slow"), call('"0"', "echo"));
    expect(answers.map(({ id }) => id)).toEqual(["0"]);
    release();
    expect(await answersTo(client)).toMatchObject([{ id: 0, result: {} }]);
  });

  it.each(["null", "1.5", "9007199254740993", "1e400", "true", "[]", "{}"])(
    "rejects the id %s and does not echo it",
    async (id) => {
      const answer = await answerTo(client, call(id, "echo"));
      expect(answer.error?.code).toBe(-32600);
      expect(answer.id ?? null).toBeNull();
    },
  );

  it.each(["null", "[]", '"x"', "1", "false"])("rejects %s as params of every method", async (params) => {
    const methods = [...METHODS.keys(), "unknown/method"];
    const texts = methods.map((method) => `{"jsonrpc":"2.0","id":"${method}","method":"${method}","params":${params}}`);
    const answers = await answersTo(client, ...texts);
    expect(answers.map(({ id, error }) => [id, error?.code])).toEqual(methods.map((method) => [method, -32602]));
  });

  it("answers every method without parameters with a result or an error", async () => {
    const methods = [...METHODS.keys()].filter((method) => method !== "initialize");
    for (const method of methods) {
      const { result, error } = await answerTo(client, request("101", method));
      if (result === undefined) expect([-32601, -32602]).toContain(error?.code);
    }
  });

  it.each([
    ["unknown", '{"jsonrpc":"2.0","method":"notifications/unknown"}'],
    ["with the method of a request", '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo"}}'],
    ["with the method of a failing request", '{"jsonrpc":"2.0","method":"tools/call","params":{}}'],
    ["with parameters of the wrong type", '{"jsonrpc":"2.0","method":"notifications/initialized","params":[]}'],
    ["with a duplicate key", '{"jsonrpc":"2.0","method":"a","method":"b"}'],
    ["in another version of JSON-RPC", '{"jsonrpc":"1.0","method":"a"}'],
    ["that cancels nothing", '{"jsonrpc":"2.0","method":"notifications/cancelled"}'],
    [
      "that cancels __proto__",
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"__proto__"}}',
    ],
    ["that cancels an object", '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{"a":1}}}'],
  ])("never answers a notification %s", async (_, text) => {
    seen = undefined;
    expect(await answersTo(client, text)).toEqual([]);
    expect(seen).toBeUndefined();
  });

  it("treats a message with an id as a request, even with the method of a notification", async () => {
    const answers = await answersTo(
      client,
      call("101", "slow"),
      request("102", "notifications/cancelled", '"requestId":101'),
    );
    expect(answers).toMatchObject([{ id: 102, error: { code: -32601 } }]);
    release();
    expect(await answersTo(client)).toMatchObject([{ id: 101, result: {} }]);
  });

  it("accepts batches if the revision has them", async () => {
    const batch = `[${call("101", "echo")},{"jsonrpc":"2.0","method":"notifications/unknown"},${call("102", "none")}]`;
    const answer = await answerTo(client, batch);
    if (revision === "2025-03-26") {
      expect(answer).toMatchObject([
        { id: 101, result: {} },
        { id: 102, error: { code: -32602 } },
      ]);
    } else expect(answer.error?.code).toBe(-32600);
  });

  it.each(["[]", "[[]]", "[1]", `[${"{},".repeat(100)}{}]`])("rejects the batch %.20s", async (text) => {
    const answer = await answerTo(client, text);
    const errors = Array.isArray(answer) ? (answer as Answer[]) : [answer];
    for (const { error } of errors) expect(error?.code).toBe(-32600);
  });

  it("rejects a second request with an id that is in flight, and accepts it afterwards", async () => {
    const answers = await answersTo(client, call("101", "slow"), call("101", "echo"));
    expect(answers).toMatchObject([
      { id: 101, error: { code: -32600, message: "A request with the id 101 is still in flight." } },
    ]);
    release();
    expect(await answersTo(client)).toMatchObject([{ id: 101, result: { content: [{ text: "done" }] } }]);
    expect(await answerTo(client, call("101", "echo"))).toMatchObject({ id: 101, result: {} });
  });

  it.each([
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "",
    "x".repeat(1_000_000),
    "tools/call\n",
    "TOOLS/CALL",
  ])("rejects the unknown method %.20j", async (method) => {
    const { error } = await answerTo(client, request("101", method));
    expect(error?.code).toBe(-32601);
    expect(error?.message.length).toBeLessThan(200);
  });

  it.each(["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", ""])(
    "rejects an unknown tool, prompt, resource or completion named %j",
    async (name) => {
      const quoted = JSON.stringify(name);
      const complete = (id: string, ref: string, argument: string) =>
        request(id, "completion/complete", `"ref":{${ref}},"argument":{"name":${argument},"value":""}`);
      const answers = await answersTo(
        client,
        call("101", name),
        request("102", "prompts/get", `"name":${quoted}`),
        request("103", "resources/read", `"uri":${quoted}`),
        complete("104", `"type":"ref/prompt","name":${quoted}`, '"a"'),
        complete("105", '"type":"ref/prompt","name":"p"', quoted),
        complete("106", `"type":"ref/resource","uri":${quoted}`, '"a"'),
        complete("107", '"type":"ref/resource","uri":"items://{id}"', quoted),
      );
      const notFound = revision === "2026-07-28" ? -32602 : -32002;
      const codes = answers.map(({ id, error }) => [id, error?.code]).sort();
      expect(codes).toEqual([
        [101, -32602],
        [102, -32602],
        [103, notFound],
        [104, -32602],
        [105, -32602],
        [106, -32602],
        [107, -32602],
      ]);
    },
  );

  it.each([
    '{"__proto__":{"polluted":1}}',
    '{"constructor":{"prototype":{"polluted":1}}}',
    '{"a":{"__proto__":{"polluted":1}}}',
  ])("passes the arguments %s to a tool unchanged, without prototype pollution", async (values) => {
    expect(await answerTo(client, call("101", "echo", values))).toHaveProperty("result");
    expect(JSON.stringify(seen)).toBe(values);
    expect(Object.getPrototypeOf(seen)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it("handles __proto__ everywhere else", async () => {
    const texts = [
      '{"jsonrpc":"2.0","id":101,"method":"ping","__proto__":{"polluted":1}}',
      request("102", "tools/list", '"__proto__":{"cursor":"x"}'),
      request("103", "prompts/get", '"name":"p","arguments":{"__proto__":{"a":"x"}}'),
      request(
        "104",
        "completion/complete",
        '"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""},"context":{"arguments":{"__proto__":"x"}}',
      ),
      '{"jsonrpc":"2.0","id":105,"method":"initialize","params":{"protocolVersion":"__proto__","capabilities":{"__proto__":{}},"clientInfo":{"__proto__":{}}}}',
    ];
    const answers = await answersTo(client, ...texts);
    expect(answers.map(({ id }) => id).sort()).toEqual([101, 102, 103, 104, 105]);
    expect(answers.some(({ error }) => error?.code === -32603)).toBe(false);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it("serves the next request after many invalid messages", async () => {
    const wrong = ["{", "[]", "null", request("null", "ping"), '{"jsonrpc":"2.0","id":1,"id":2}', "[".repeat(100_000)];
    const answers = await answersTo(client, ...wrong);
    expect(answers.map(({ error }) => error?.code)).toEqual([-32700, -32600, -32600, -32600, -32600, -32600]);
  });
});

describe("every error code in these responses", () => {
  it("is an integer that servers may send", () => {
    const codes = transcripts
      .flatMap((transcript) => transcript.messages("server"))
      .flatMap((text) => [JSON.parse(text)].flat() as Answer[])
      .map(({ error }) => error?.code)
      .filter((code) => code !== undefined);
    expect(codes.length).toBeGreaterThan(100);
    expect(codes.filter((code) => !Number.isInteger(code))).toEqual([]);
    // -32000 to -32099 are reserved for the specification. It has assigned three of them for all revisions, and
    // -32002 for missing resources in older revisions.
    const given = [-32002, -32020, -32021, -32022];
    expect(codes.filter((code) => code <= -32000 && code >= -32099 && !given.includes(code))).toEqual([]);
  });
});

describe("a name", () => {
  const long = "x".repeat(129);

  it.each(["", "a\n", "a\u0000", "a b", "ä", long, "__proto__", "constructor", "toString"])(
    "of a tool must not be %j",
    (name) => {
      expect(() => defineTool({ name, handle: () => {} })).toThrow(expect.objectContaining({ code: "bad_name" }));
    },
  );

  it.each(["", "a\n", "a\u0000", "a\u2028", long, "__proto__", "constructor", "toString"])(
    "of a prompt, its argument or a resource must not be %j",
    (name) => {
      const refused = expect.objectContaining({ code: "bad_name" });
      expect(() => definePrompt({ name, get: () => "" })).toThrow(refused);
      const fields = Object.fromEntries([[name, {}]]);
      expect(() => definePrompt({ name: "p", arguments: fields, get: () => "" })).toThrow(refused);
      expect(() => defineResource({ uri: "a://b", name, content: "" })).toThrow(refused);
    },
  );

  it.each(["__proto__", "constructor", "a\n", ""])("of a template variable must not be %j", (name) => {
    expect(() => defineResource({ uri: `a://{${name}}`, name: "r", read: () => "" })).toThrow(
      expect.objectContaining({ name: "UsageError" }),
    );
  });

  it("must be unique", () => {
    const again = expect.objectContaining({ code: "duplicate" });
    expect(() => server.tools.add(echo)).toThrow(again);
    expect(() => server.prompts.add(definePrompt({ name: "p", get: () => "" }))).toThrow(again);
    expect(() => server.resources.add(defineResource({ uri: "fixed://one", name: "x", content: "" }))).toThrow(again);
  });
});
