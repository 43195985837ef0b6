import { createHash } from "node:crypto";
import {
  definePrompt,
  defineResource,
  defineServer,
  defineTool,
  field,
  type LogEntry,
  MemoryStore,
  type ServerOptions,
  type Shows,
  type Store,
  ToolError,
} from "proffer";
import { createFetchHandler } from "proffer/fetch";
import { type HttpOptions, serveHttp } from "proffer/http";
import { audit, cacheResults, concurrency, deny, rateLimit } from "proffer/policy";
import { connect } from "proffer/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openGate } from "./gate.ts";
import { modern, modernHeaders, postModern, present } from "./http/http-client.ts";

let runs = 0;
beforeEach(() => {
  runs = 0;
});

function serve(options: Partial<ServerOptions>) {
  return defineServer({
    name: "s",
    version: "1",
    log: () => {},
    tools: [
      defineTool({
        name: "count",
        input: { type: "object", properties: { who: { type: "string" }, b: { type: "number" } } },
        handle: () => `run ${++runs}`,
      }),
      defineTool({ name: "other", annotations: { destructiveHint: true }, handle: () => `run ${++runs}` }),
      defineTool({
        name: "fails",
        handle: () => {
          throw new ToolError(`run ${++runs}`);
        },
      }),
      defineTool({
        name: "asks",
        handle: async (_input, ctx) => (await ctx.ask("Sure?", { sure: field.boolean() })).action,
      }),
    ],
    resources: [defineResource({ uri: "s://{id}", name: "thing", read: () => `run ${++runs}` })],
    ...options,
  });
}

const busy = { code: -31000 };

describe("rateLimit", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"], now: 1_000_000 });
  });
  afterEach(() => void vi.useRealTimers());

  it("permits a burst per window and principal, and refuses the rest with the time to wait", async () => {
    const server = serve({ middleware: rateLimit({ per: "principal", rate: 0.5, burst: 2 }) });
    const ada = await connect(server, { principal: { id: "ada" } });
    const bob = await connect(server, { principal: { id: "bob" } });
    await ada.call("count");
    await ada.call("other");
    vi.setSystemTime(1_002_500);
    await expect(ada.call("count")).rejects.toMatchObject({
      ...busy,
      message: "Too many calls: the limit is 2 in 4 s. Try again later.",
      data: { retryAfter: 2 },
    });
    await bob.call("count");
    vi.setSystemTime(1_004_000);
    expect(await ada.call("count")).toMatchObject({ content: [{ text: "run 4" }] });
  });

  it("counts a call once, not each of its rounds, and no lists", async () => {
    const server = serve({ middleware: rateLimit({ per: "principal", rate: 1, burst: 1 }) });
    const client = await connect(server, { answers: [{ sure: true }] });
    await client.listTools();
    await client.listTools();
    expect(await client.call("asks")).toMatchObject({ content: [{ text: "accept" }] });
    await expect(client.call("count")).rejects.toMatchObject(busy);
  });

  it("limits tools, functions of the call, and combinations of them", async () => {
    const perTool = await connect(serve({ middleware: rateLimit({ per: "tool", rate: 1 }) }));
    await perTool.call("count");
    await perTool.call("other");
    await expect(perTool.call("count")).rejects.toMatchObject(busy);
    await perTool.call("no such 1").catch(() => {});
    await expect(perTool.call("no such 2")).rejects.toMatchObject(busy);

    const per = [({ name }: { name: string | undefined }) => (name === "other" ? undefined : "all"), "tool"] as const;
    const mixed = await connect(serve({ middleware: rateLimit({ per, rate: 1 }) }));
    await mixed.call("other");
    await mixed.call("other");
    await mixed.call("count");
    await expect(mixed.call("count")).rejects.toMatchObject(busy);
  });

  it("limits anonymous callers by their address, and answers 429 with Retry-After", async () => {
    const service = await serveHttp(serve({ middleware: rateLimit({ per: "principal", rate: 0.1, burst: 1 }) }), {
      port: 0,
    });
    const call = modern("tools/call", { name: "count", arguments: {} });
    expect((await postModern(service.url, call)).status).toBe(200);
    const { status, headers } = await postModern(service.url, call);
    expect({ status, retry: headers["retry-after"] }).toEqual({ status: 429, retry: "10" });
    await service.close();
  });

  it.each(["principal", "client"] as const)(
    "refuses to count callers per %s if it cannot tell them apart",
    async (per) => {
      const logged: LogEntry[] = [];
      const log = (entry: LogEntry) => void logged.push(entry);
      const server = serve({ log, middleware: rateLimit({ per, rate: 1 }) });
      const call = modern("tools/call", { name: "count", arguments: {} });
      const send = async (options: HttpOptions) => {
        const headers = { ...(present(modernHeaders(call)) as Record<string, string>), "x-ip": "192.0.2.1" };
        const handler = createFetchHandler(server, options);
        const response = await handler(
          new Request("http://localhost/", { method: "POST", headers, body: JSON.stringify(call) }),
        );
        return response.json();
      };
      expect(await send({})).toMatchObject({ error: { code: -32603 } });
      expect(logged.map(({ error }) => String(error))).toEqual([
        expect.stringContaining("rateLimit cannot count an anonymous"),
      ]);
      expect(await send({ caller: (request) => request.header("x-ip") })).toHaveProperty("result");
    },
  );

  it("counts in the store of the server, and is fair across servers that share it", async () => {
    const store = new MemoryStore();
    const middleware = rateLimit({ per: "principal", rate: 1, burst: 1 });
    const one = await connect(serve({ store, middleware }), { principal: { id: "ada" } });
    const two = await connect(serve({ store, middleware }), { principal: { id: "ada" } });
    await one.call("count");
    await expect(two.call("count")).rejects.toMatchObject(busy);
  });

  it("refuses calls if the store fails", async () => {
    const store: Store = { claim: () => true, count: () => Promise.reject(new Error("down")) };
    const client = await connect(serve({ store, middleware: rateLimit({ per: "tool", rate: 1 }) }));
    await expect(client.call("count")).rejects.toMatchObject({ code: -32603 });
    expect(runs).toBe(0);
  });

  it("needs a store that counts", () => {
    const middleware = [rateLimit({ per: "tool", rate: 1 })];
    expect(() => serve({ store: { claim: () => true }, middleware })).toThrow(
      'Server "s": rateLimit() needs a store with count(key, milliseconds), and this store has none.',
    );
  });

  it("forgets the oldest of more than 10,000 keys, and expired ones", () => {
    const store = new MemoryStore();
    for (let key = 0; key < 10_001; key++) store.count(`${key}`, 1000);
    expect(store.count("0", 1000)).toBe(1);
    expect(store.count("9999", 1000)).toBe(2);
    vi.setSystemTime(1_001_001);
    expect(store.count("9999", 1000)).toBe(1);
  });
});

describe("concurrency", () => {
  it("limits the calls that run at the same time, and frees their slots", async () => {
    const gate = openGate();
    let running = 0;
    const wait = () => {
      running++;
      return gate.opened.then(() => "done");
    };
    const tools = [
      defineTool({ name: "waits", handle: wait }),
      defineTool({ name: "throws", handle: () => Promise.reject(new Error("x")) }),
    ];
    const server = serve({ tools, middleware: concurrency({ per: "principal", max: 2 }) });
    const ada = await connect(server, { principal: { id: "ada" } });
    const bob = await connect(server, { principal: { id: "bob" } });
    for (let n = 0; n < 3; n++) await ada.call("throws");
    const calls = [ada.call("waits"), ada.call("waits")];
    await expect.poll(() => running).toBe(2);
    await expect(ada.call("waits")).rejects.toMatchObject({ ...busy, data: { retryAfter: 1 } });
    const other = bob.call("waits");
    await expect.poll(() => running).toBe(3);
    gate.open();
    await Promise.all([...calls, other]);
    expect(await ada.call("waits")).toMatchObject({ content: [{ text: "done" }] });
  });
});

describe("deny", () => {
  it("denies items by name and by annotations, but not in lists", async () => {
    const middleware = [deny({ names: ["count", "thing"] }), deny({ annotations: { destructiveHint: true } })];
    const client = await connect(serve({ middleware }));
    for (const name of ["count", "other"]) {
      expect(await client.call(name)).toMatchObject({ isError: true, content: [{ text: "Not permitted." }] });
    }
    await expect(client.read("s://1")).rejects.toMatchObject({ code: -32602, message: "Not permitted." });
    expect(runs).toBe(0);
    expect(await client.call("fails")).toMatchObject({ content: [{ text: "run 1" }] });
    expect((await client.listTools()).map(({ name }) => name)).toContain("count");
  });

  it("permits the calls of unless", async () => {
    const unless = ({ principal }: { principal: { id: string } | undefined }) => principal?.id === "ada";
    const server = serve({ middleware: deny({ names: ["count"], unless, message: "Ask Ada." }) });
    const ada = await connect(server, { principal: { id: "ada" } });
    const bob = await connect(server, { principal: { id: "bob" } });
    expect(await ada.call("count")).toMatchObject({ content: [{ text: "run 1" }] });
    expect(await bob.call("count")).toMatchObject({ isError: true, content: [{ text: "Ask Ada." }] });
  });
});

describe("cacheResults", () => {
  const named = { names: ["count", "fails", "asks", "thing"], milliseconds: 60_000 };

  it("does not answer a token with less scopes of the same caller", async () => {
    const tool = defineTool({
      name: "secret",
      handle: (_, ctx) => {
        ctx.require("admin");
        return "the secret";
      },
    });
    const middleware = cacheResults({ names: ["secret"], milliseconds: 60_000 });
    const server = defineServer({ name: "s", version: "1", tools: [tool], middleware });
    const admin = await connect(server, { principal: { id: "ada", scopes: ["read", "admin"] } });
    const same = await connect(server, { principal: { id: "ada", scopes: ["admin", "read"] } });
    const reader = await connect(server, { principal: { id: "ada", scopes: ["read"] } });
    expect(await admin.call("secret")).toMatchObject({ content: [{ text: "the secret" }] });
    expect(await same.call("secret")).toMatchObject({ content: [{ text: "the secret" }] });
    await expect(reader.call("secret")).rejects.toThrow("admin");
  });

  it("answers the same request of the same caller once, in any order of the arguments", async () => {
    const server = serve({ middleware: cacheResults(named) });
    const ada = await connect(server, { principal: { id: "ada" } });
    const bob = await connect(server, { principal: { id: "bob" } });
    const nobody = await connect(server);
    const first = await ada.call("count", { who: "x", b: 1 });
    expect(first).toMatchObject({ content: [{ text: "run 1" }] });
    expect(await ada.call("count", { b: 1, who: "x" })).toEqual(first);
    expect(await ada.call("count", { who: "y", b: 1 })).toMatchObject({ content: [{ text: "run 2" }] });
    expect(await bob.call("count", { who: "x", b: 1 })).toMatchObject({ content: [{ text: "run 3" }] });
    expect(await nobody.call("count", { who: "x", b: 1 })).toMatchObject({ content: [{ text: "run 4" }] });
    expect(await ada.read("s://1")).toEqual(await ada.read("s://1"));
    expect(await ada.read("s://2")).toMatchObject({ contents: [{ text: "run 6" }] });
  });

  it("answers nobody who sees other items, even with the same id", async () => {
    const shows: Shows = (item, { principal }) => item.kind !== "prompt" || principal?.role === "admin";
    const server = serve({
      middleware: cacheResults(named),
      shows,
      prompts: [definePrompt({ name: "p", get: () => "" })],
    });
    const texts: unknown[] = [];
    for (const role of ["admin", "user", "admin", "user"]) {
      const client = await connect(server, { principal: { id: "ada", role } });
      texts.push((await client.call("count")).content);
    }
    expect(texts).toEqual([1, 2, 1, 2].map((run) => [{ type: "text", text: `run ${run}` }]));
  });

  it("keeps no failures, no calls that ask, no other items, and no result of another revision", async () => {
    const server = serve({ middleware: cacheResults(named) });
    const client = await connect(server, { answers: [{ sure: true }, { sure: true }] });
    await client.call("fails");
    expect(await client.call("fails")).toMatchObject({ content: [{ text: "run 2" }] });
    await client.call("other");
    expect(await client.call("other")).toMatchObject({ content: [{ text: "run 4" }] });
    await client.call("asks");
    await client.call("asks");
    await client.call("count");
    const older = await connect(server, { revision: "2025-06-18" });
    expect(await older.call("count")).toMatchObject({ content: [{ text: "run 6" }] });
  });

  it("keeps results for a time, and a number of them and of characters", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 1_000_000 });
    const client = await connect(serve({ middleware: cacheResults({ ...named, milliseconds: 1000, max: 2 }) }));
    const run = async (who: string) => {
      const [block] = (await client.call("count", { who })).content;
      return block?.type === "text" ? block.text : undefined;
    };
    expect([await run("a"), await run("b"), await run("c"), await run("a"), await run("c")]).toEqual([
      ...["run 1", "run 2", "run 3", "run 4", "run 3"],
    ]);
    vi.setSystemTime(1_001_000);
    expect(await run("c")).toBe("run 5");
    vi.useRealTimers();
    const small = await connect(serve({ middleware: cacheResults({ ...named, maxCharacters: 50 }) }));
    await small.call("count");
    expect(await small.call("count")).toMatchObject({ content: [{ text: "run 7" }] });
  });
});

describe("audit", () => {
  const parse = (lines: string[]) => lines.map((line) => JSON.parse(line));

  it("writes one line per call with its outcome, and nothing of its contents", async () => {
    const lines: string[] = [];
    const server = serve({ observe: audit((line) => lines.push(line)) });
    const client = await connect(server, { principal: { id: "ada", token: "t0ken" }, answers: [{ sure: true }] });
    await client.call("count", { who: "s3cret" });
    await client.call("fails");
    await client.call("asks");
    await client.call("nothing").catch(() => {});
    await client.read("s://1");
    await client.listTools();
    const entries = parse(lines);
    expect(entries[0]).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      chain: expect.stringMatching(/^[0-9a-f-]{36}$/),
      round: 0,
      principal: "ada",
      client: expect.any(String),
      method: "tools/call",
      name: "count",
      outcome: "ok",
      milliseconds: expect.any(Number),
      bytes: expect.any(Number),
    });
    expect(entries.map(({ name, outcome, code, round }) => [name, outcome, code, round])).toEqual([
      ["count", "ok", undefined, 0],
      ["fails", "tool_error", undefined, 0],
      ["asks", "input_required", undefined, 0],
      ["asks", "ok", undefined, 1],
      ["nothing", "error", -32602, 0],
      ["s://1", "ok", undefined, 0],
    ]);
    expect(entries[2].chain).toBe(entries[3].chain);
    expect(lines.join()).not.toMatch(/s3cret|t0ken|run \d|accept/);
  });

  it("writes the SHA-256 of the arguments in canonical form if asked", async () => {
    const lines: string[] = [];
    const client = await connect(serve({ observe: audit((line) => lines.push(line), { digest: true }) }));
    await client.call("count", { who: "x", b: 1 });
    await client.call("count", { b: 1, who: "x" });
    const digest = createHash("sha256").update('{"b":1,"who":"x"}').digest("hex");
    expect(parse(lines).map((entry) => entry.arguments)).toEqual([digest, digest]);
  });

  it("escapes names that could forge a line or hide text, and cuts long ones", async () => {
    const lines: string[] = [];
    const client = await connect(serve({ observe: audit((line) => lines.push(line)) }));
    await client.call("a\u2028b\u202e\n{}").catch(() => {});
    await client.call("x".repeat(10_000)).catch(() => {});
    expect(lines[0]).toContain("a\\u2028b\\u202e\\n{}");
    expect(lines[1]?.length).toBeLessThan(1000);
  });

  it("writes only the methods that are wanted, and logs the failure of its sink", async () => {
    const lines: string[] = [];
    const logged: LogEntry[] = [];
    const sink = (line: string) => {
      lines.push(line);
      throw new Error("disk full");
    };
    const observe = audit(sink, { methods: ["tools/list"] });
    const client = await connect(serve({ observe, log: (entry) => logged.push(entry) }));
    await client.call("count");
    await client.listTools();
    expect(parse(lines)).toMatchObject([{ method: "tools/list", name: null }]);
    expect(logged).toMatchObject([{ message: "An observer failed", error: { message: "disk full" } }]);
  });
});

describe("the options of a policy", () => {
  it.each<[string, () => unknown]>([
    ["rateLimit: rate must be a positive number, not 0.", () => rateLimit({ per: "tool", rate: 0 })],
    ["rateLimit: rate must be a positive number, not null.", () => rateLimit({ per: "tool", rate: Number.NaN })],
    ["rateLimit: burst must be a whole number", () => rateLimit({ per: "tool", rate: 1, burst: 1.5 })],
    ['rateLimit: per must be "principal", "client", "tool"', () => rateLimit({ per: "user" as never, rate: 1 })],
    ["rateLimit: per must not be an empty list", () => rateLimit({ per: [], rate: 1 })],
    ["rateLimit: methods must be a list", () => rateLimit({ per: "tool", rate: 1, methods: [] })],
    ['rateLimit: unknown option "rates"', () => rateLimit({ per: "tool", rate: 1, rates: 2 } as never)],
    ["rateLimit needs an object of options", () => rateLimit(undefined as never)],
    ["concurrency: max must be a whole number", () => concurrency({ per: "tool", max: 0 })],
    ["deny: set names or annotations", () => deny({})],
    ["deny: names must be a list", () => deny({ names: "x" as never })],
    ["deny: unless must be a function", () => deny({ names: ["x"], unless: true as never })],
    ['annotations: unknown option "destructive"', () => deny({ annotations: { destructive: true } as never })],
    ["deny: annotations must have hints", () => deny({ annotations: {} })],
    ["deny: message must be a text", () => deny({ names: ["x"], message: 1 as never })],
    ["cacheResults: milliseconds must be", () => cacheResults({ names: ["x"], milliseconds: -1 })],
    ["cacheResults: names must be a list", () => cacheResults({ milliseconds: 1 } as never)],
    ["audit needs a function", () => audit({} as never)],
    ["audit: digest must be true or false", () => audit(() => {}, { digest: "sha256" as never })],
  ])("are checked: %s", (message, create) => {
    expect(create).toThrow(expect.objectContaining({ name: "UsageError", message: expect.stringContaining(message) }));
  });
});
