import { inspect } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  type Context,
  definePrompt,
  defineResource,
  defineServer,
  defineTool,
  field,
  type LogEntry,
  type Principal,
  type ServerOptions,
} from "proffer";
import { connect } from "proffer/testing";
import { describe, expect, it, vi } from "vitest";
import { createSealer } from "../../src/support/seal.ts";
import { connectMemory } from "../../src/transports/memory.ts";

const KEY = new Uint8Array(32).fill(1);
const OTHER_KEY = new Uint8Array(32).fill(2);

const INPUT = { type: "object", properties: { a: { type: "integer" }, b: { type: "integer" } } } as const;

const runs: string[] = [];

function serve(options: Partial<ServerOptions> = {}) {
  const ask = (name: string) =>
    defineTool({
      name,
      input: INPUT,
      handle: async (input, ctx) => {
        runs.push(name);
        const answer = await ctx.ask("Sure?", { yes: field.boolean() });
        return { ...input, answer };
      },
    });
  return defineServer({
    name: "sealed",
    version: "1",
    keys: [KEY],
    log: () => {},
    tools: [ask("run"), ask("other")],
    prompts: [definePrompt({ name: "run", arguments: { a: {}, b: {} }, get: () => String(runs.push("prompt")) })],
    ...options,
  });
}

const server = serve();
const CALL = { name: "run", arguments: { a: 1, b: 2 } };
const ACCEPT = { question_1: { action: "accept", content: { yes: true } } };
const REFUSED = {
  code: -32602,
  message: "params.requestState is invalid for this request or has expired. Send the request again without it.",
};

async function begin(principal?: Principal, target = server) {
  const client = await connect(target, principal ? { principal } : {});
  const { requestState } = await client.requestOnce("tools/call", CALL);
  return { client, state: requestState as string };
}

describe("the state of a call", () => {
  it("is rejected with one message if any bit is changed, and the handler does not run", async () => {
    const { client, state } = await begin();
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    runs.length = 0;
    for (let at = 0; at < state.length; at++) {
      for (let bit = 0; bit < 6; bit++) {
        const changed = alphabet[alphabet.indexOf(state[at] ?? "") ^ (1 << bit)];
        const requestState = state.slice(0, at) + changed + state.slice(at + 1);
        await expect(
          client.requestOnce("tools/call", { ...CALL, requestState, inputResponses: ACCEPT }),
        ).rejects.toMatchObject(REFUSED);
      }
    }
    expect(runs).toEqual([]);
  });

  it.each([
    ["empty", () => ""],
    ["truncated", (state: string) => state.slice(0, -4)],
    ["extended", (state: string) => `${state}AAAA`],
    ["with its halves swapped", (state: string) => state.slice(state.length / 2) + state.slice(0, state.length / 2)],
    ["of another version", (state: string) => `AA${state.slice(2)}`],
    ["a megabyte long", () => "A".repeat(1024 * 1024)],
    ["not a string", () => 42],
    ["null", () => null],
  ])("is rejected if it is %s", async (_what, change) => {
    const { client, state } = await begin();
    runs.length = 0;
    const params = { ...CALL, requestState: change(state), inputResponses: ACCEPT };
    await expect(client.requestOnce("tools/call", params)).rejects.toMatchObject(REFUSED);
    expect(runs).toEqual([]);
  });

  it("is rejected if it was sealed with another key", async () => {
    const { state } = await begin(undefined, serve({ keys: [OTHER_KEY] }));
    const client = await connect(server);
    runs.length = 0;
    const params = { ...CALL, requestState: state, inputResponses: ACCEPT };
    await expect(client.requestOnce("tools/call", params)).rejects.toMatchObject(REFUSED);
    expect(runs).toEqual([]);
  });

  it("is rejected for another principal, tool, server or arguments", async () => {
    const { client, state } = await begin({ id: "alice" });
    const present = { requestState: state, inputResponses: ACCEPT };
    runs.length = 0;
    const mallory = await connect(server, { principal: { id: "mallory" } });
    await expect(mallory.requestOnce("tools/call", { ...CALL, ...present })).rejects.toMatchObject(REFUSED);
    const nobody = await connect(server);
    await expect(nobody.requestOnce("tools/call", { ...CALL, ...present })).rejects.toMatchObject(REFUSED);
    await expect(client.requestOnce("tools/call", { ...CALL, name: "other", ...present })).rejects.toMatchObject(
      REFUSED,
    );
    await expect(
      client.requestOnce("tools/call", { ...CALL, arguments: { a: 1, b: 3 }, ...present }),
    ).rejects.toMatchObject(REFUSED);
    const named = await connect(serve({ name: "another" }), { principal: { id: "alice" } });
    await expect(named.requestOnce("tools/call", { ...CALL, ...present })).rejects.toMatchObject(REFUSED);
    expect(runs).toEqual([]);
    const reordered = { ...CALL, arguments: { b: 2, a: 1 }, ...present };
    expect(await client.requestOnce("tools/call", reordered)).toMatchObject({ resultType: "complete" });
  });

  it("is rejected for another method", async () => {
    const { client, state } = await begin();
    runs.length = 0;
    const params = { ...CALL, requestState: state, inputResponses: ACCEPT };
    await expect(client.requestOnce("prompts/get", params)).rejects.toMatchObject(REFUSED);
    expect(runs).toEqual([]);
  });

  it.each([
    [61, "rejected"],
    [5, "accepted"],
    [-5, "accepted"],
  ])("is, by a clock that is %i minutes ahead, %s", async (minutes, outcome) => {
    const { client, state } = await begin();
    const params = { ...CALL, requestState: state, inputResponses: ACCEPT };
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + minutes * 60 * 1000 });
    try {
      const given = client.requestOnce("tools/call", params);
      if (outcome === "rejected") await expect(given).rejects.toMatchObject(REFUSED);
      else expect(await given).toMatchObject({ resultType: "complete" });
    } finally {
      vi.useRealTimers();
    }
    expect(await client.requestOnce("tools/call", params)).toMatchObject({ resultType: "complete" });
  });

  it.each([
    ["missing", () => []],
    ["empty", () => [""]],
    ["not a number", () => ["NaN"]],
    ["a text", () => ["tomorrow"]],
    ["in the past", () => [String(Date.now() - 1)]],
    ["as it was", (expires: string) => [expires]],
  ])("is checked although it was sealed with the right key: its expiry is %s", async (what, change) => {
    const { client, state } = await begin();
    const sealer = createSealer([KEY]);
    const bound = `${JSON.stringify(["sealed", null, "tools/call", "run"])}{"a":1,"b":2}`;
    const payload = String(await sealer.open("state", state, bound));
    const [first = "", ...lines] = payload.split("\n");
    const [id = "", round = "", expires = "", ...rest] = first.split("\t");
    const changed = [[id, round, ...change(expires), ...rest].join("\t"), ...lines].join("\n");
    const requestState = await sealer.seal("state", changed, bound);
    const given = client.requestOnce("tools/call", { ...CALL, requestState, inputResponses: ACCEPT });
    if (what === "as it was") expect(await given).toMatchObject({ resultType: "complete" });
    else await expect(given).rejects.toMatchObject(REFUSED);
  });

  it("is decrypted with any configured key, and encrypted with the first", async () => {
    const { state } = await begin();
    const retry = { ...CALL, requestState: state, inputResponses: ACCEPT };
    const rotated = await connect(serve({ keys: [OTHER_KEY, KEY] }));
    expect(await rotated.requestOnce("tools/call", retry)).toMatchObject({ resultType: "complete" });
    const removed = await connect(serve({ keys: [OTHER_KEY] }));
    await expect(removed.requestOnce("tools/call", retry)).rejects.toMatchObject(REFUSED);
    const fresh = await begin(undefined, serve({ keys: [OTHER_KEY, KEY] }));
    expect(await removed.requestOnce("tools/call", { ...retry, requestState: fresh.state })).toMatchObject({
      resultType: "complete",
    });
  });

  it("requires keys of 32 bytes, which are checked at definition", () => {
    expect(() => serve({ keys: [new Uint8Array(31)] })).toThrow(/32 bytes, not 31/);
    expect(() => serve({ keys: ["c2hvcnQ="] })).toThrow(/32 bytes, not 5/);
    expect(() => serve({ keys: ["%%%"] })).toThrow(/base64/);
  });

  it("is opaque, and never logged", async () => {
    const entries: LogEntry[] = [];
    const failing = defineTool({
      name: "run",
      input: INPUT,
      handle: async (_, ctx) => {
        await ctx.ask("Sure?", { yes: field.boolean() });
        throw new Error("after the answer");
      },
    });
    const { client, state } = await begin(undefined, serve({ tools: [failing], log: (entry) => entries.push(entry) }));
    const retry = { ...CALL, requestState: state, inputResponses: ACCEPT };
    expect(await client.requestOnce("tools/call", retry)).toMatchObject({ isError: true });
    await expect(client.requestOnce("tools/call", { ...retry, requestState: `${state}A` })).rejects.toThrow();
    expect(entries).toHaveLength(1);
    expect(inspect(entries, { depth: 10 })).not.toContain(state.slice(30, 60));
    const bytes = Buffer.from(state, "base64url").toString("latin1");
    expect(bytes).not.toContain("Sure");
    expect(bytes).not.toContain("yes");
  });

  it("is sent with questions, and ignored by methods that cannot ask", async () => {
    const client = await connect(server);
    const asked = await client.requestOnce("tools/call", CALL);
    expect(asked).toMatchObject({
      resultType: "input_required",
      inputRequests: { question_1: { method: "elicitation/create" } },
      requestState: expect.any(String),
    });
    const list = await client.requestOnce("tools/list", { requestState: "x", inputResponses: 5 });
    expect(list.resultType).toBe("complete");
  });

  it("has no caching hints", async () => {
    const client = await connect(server);
    const asked = await client.requestOnce("tools/call", CALL);
    expect(asked).not.toHaveProperty("ttlMs");
    expect(asked).not.toHaveProperty("cacheScope");
  });

  it("leads to a result that must not be cached, whatever the author says", async () => {
    const shared = { ttlMs: 60_000, cacheScope: "public" } as const;
    const secret = defineResource({
      uri: "secret://{it}",
      name: "secret",
      cache: shared,
      read: async ({ it }, ctx) => (it === "asked" ? (await ctx.ask("Name?", { name: field.text() })).action : "fixed"),
    });
    const client = await connect(serve({ resources: [secret], cache: shared }), { answers: () => ({ name: "Ada" }) });
    expect(await client.read("secret://asked")).toMatchObject({ ttlMs: 0, cacheScope: "private" });
    expect(await client.read("secret://other")).toMatchObject(shared);
  });
});

describe("the answers of a client", () => {
  it("are requested again with a new state if they are missing", async () => {
    const { client, state } = await begin();
    const again = await client.requestOnce("tools/call", {
      ...CALL,
      requestState: state,
      inputResponses: { other: {} },
    });
    expect(again.resultType).toBe("input_required");
    expect(again.requestState).not.toBe(state);
    expect(await client.requestOnce("tools/call", { ...CALL, inputResponses: ACCEPT })).toMatchObject({
      resultType: "input_required",
    });
  });

  it("are ignored if they were not requested", async () => {
    const { client, state } = await begin();
    const inputResponses = JSON.parse(
      `{"__proto__":{"polluted":1},"constructor":{},"extra":7,"question_1":${JSON.stringify(ACCEPT.question_1)}}`,
    );
    const text = `{"jsonrpc":"2.0","id":900,"method":"tools/call","params":${JSON.stringify({ ...CALL, requestState: state, inputResponses, _meta: META })}}`;
    client.send(text);
    await expect.poll(() => client.transcript.messages("server").at(-1)).toContain('"id":900');
    expect(client.transcript.messages("server").at(-1)).toContain('"resultType":"complete"');
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it.each([
    [{ question_1: { action: "accept", content: { yes: "maybe" } } }, "/yes"],
    [{ question_1: { action: "accept", content: {} } }, "yes"],
    [{ question_1: { action: "agree" } }, "action"],
    [{ question_1: 5 }, "question_1"],
    [{ question_1: null }, "question_1"],
    [5, "inputResponses"],
    [null, "inputResponses"],
    [[], "inputResponses"],
  ])("are rejected with their path if they are invalid: %j", async (inputResponses, named) => {
    const { client, state } = await begin();
    runs.length = 0;
    const params = { ...CALL, requestState: state, inputResponses };
    await expect(client.requestOnce("tools/call", params)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(named),
    });
    expect(runs).toEqual([]);
  });

  it("are validated against the sealed form, not the client's and not a form that has changed since", async () => {
    let max = 5;
    const tool = defineTool({
      name: "run",
      input: INPUT,
      handle: async (_, ctx) => (await ctx.ask("How many?", { n: field.integer({ max }) })).action,
    });
    const { client, state } = await begin(undefined, serve({ tools: [tool] }));
    max = 50;
    const requestedSchema = { type: "object", properties: { n: { type: "integer", maximum: 50 } } };
    const answer = { action: "accept", content: { n: 30 }, requestedSchema, schema: requestedSchema };
    await expect(
      client.requestOnce("tools/call", { ...CALL, requestState: state, inputResponses: { question_1: answer } }),
    ).rejects.toMatchObject({ code: -32602, message: expect.stringContaining("/n") });
  });

  it("are accepted before the question only under the author's key, and are validated", async () => {
    const named = defineServer({
      name: "named",
      version: "1",
      keys: [KEY],
      tools: [
        defineTool({
          name: "run",
          handle: async (_, ctx) => (await ctx.ask("Sure?", { yes: field.boolean() }, { key: "sure" })).action,
        }),
      ],
    });
    const client = await connect(named);
    const offer = (sure: unknown) => client.requestOnce("tools/call", { name: "run", inputResponses: { sure } });
    expect(await offer({ action: "accept", content: { yes: true } })).toMatchObject({ content: [{ text: "accept" }] });
    await expect(offer({ action: "accept", content: { yes: 1 } })).rejects.toMatchObject({ code: -32602 });
    expect(await client.requestOnce("tools/call", { name: "run", inputResponses: { other: {} } })).toMatchObject({
      resultType: "input_required",
    });
  });

  it("are not requested if the client did not declare the capability in the same request", async () => {
    const { state } = await begin();
    const client = await connect(server, { capabilities: { sampling: {} } });
    await expect(client.requestOnce("tools/call", CALL)).rejects.toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: { form: {} } } },
    });
    expect(client.transcript.toString()).not.toContain("inputRequests");
    // An earlier answer is still valid.
    const retry = { ...CALL, requestState: state, inputResponses: ACCEPT };
    expect(await client.requestOnce("tools/call", retry)).toMatchObject({ resultType: "complete" });
  });

  it("that never come cost no memory", async () => {
    const claim = vi.fn(() => true);
    const refs: WeakRef<Context>[] = [];
    const tool = defineTool({
      name: "run",
      input: INPUT,
      singleUse: true,
      handle: async (_, ctx) => {
        refs.push(new WeakRef(ctx));
        await ctx.step("before", () => "x".repeat(1_000));
        await ctx.ask("Sure?", { yes: field.boolean() });
        return ctx.client;
      },
    });
    const server = serve({ tools: [tool], store: { claim } });
    // Without the transcript of a test client.
    let answered = 0;
    const connection = connectMemory(server, () => answered++);
    for (let id = 1; id <= 1_000; id++) {
      connection.send(JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { ...CALL, _meta: META } }));
    }
    await expect.poll(() => answered).toBe(1_000);
    expect(refs).toHaveLength(1_000);
    setFlagsFromString("--expose-gc");
    const collect: () => void = runInNewContext("gc");
    await expect
      .poll(() => {
        collect();
        return refs.filter((ref) => ref.deref() !== undefined).length;
      })
      .toBeLessThanOrEqual(1);
    expect(claim).not.toHaveBeenCalled();
  });

  it.each([
    ["answers", (key: string) => ({ [key]: { action: "decline" } })],
    ["no answers", () => ({})],
  ])("are limited to 200 rounds, on any node: rounds with %s", async (_, answer) => {
    const endless = defineTool({
      name: "run",
      input: INPUT,
      handle: async (_, ctx) => {
        for (let n = 0; ; n++) await ctx.ask(`${n}`, { yes: field.boolean() });
      },
    });
    const nodes = [await connect(serve({ tools: [endless] })), await connect(serve({ tools: [endless] }))];
    let last = await nodes[0]?.requestOnce("tools/call", CALL);
    for (let round = 2; round <= 200; round++) {
      const [key = ""] = Object.keys(last?.inputRequests as object);
      const retry = { ...CALL, requestState: last?.requestState, inputResponses: answer(key) };
      last = await nodes[round % 2]?.requestOnce("tools/call", retry);
    }
    const retry = { ...CALL, requestState: last?.requestState, inputResponses: {} };
    const refused = { code: -32603, message: "The call did not finish within 200 rounds of questions." };
    for (const node of nodes) await expect(node.requestOnce("tools/call", retry)).rejects.toMatchObject(refused);
  });
});

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
};
