import {
  contents,
  defineResource,
  defineResourceGroup,
  defineServer,
  defineTool,
  NotFound,
  param,
  type Resource,
  type ServerOptions,
  text,
} from "proffer";
import { connect } from "proffer/testing";
import { parseTemplate } from "proffer/uri";
import { describe, expect, it } from "vitest";
import { z } from "zod";

function open(resources: readonly Resource[], options: { revision?: string } = {}, more: Partial<ServerOptions> = {}) {
  return connect(defineServer({ name: "reading", version: "1", log: () => undefined, resources, ...more }), options);
}

describe("a template without declarations", () => {
  const any = defineResource({ uri: "x://{id}{?q}", name: "x", read: (params) => params });

  it.each([
    ["x://a%20b?q=1%262", { id: "a b", q: "1&2" }],
    ["x://a%2Fb", { id: "a/b" }],
    ["x://100%2525", { id: "100%25" }],
    ["x://a?q=/../", { id: "a", q: "/../" }],
  ])("decodes %s once", async (uri, params) => {
    const client = await open([any]);
    expect(JSON.parse((await client.read(uri)).contents[0]?.text ?? "")).toEqual(params);
  });

  it.each([
    ["x://..", '".." in "x://.." is a dot segment'],
    ["x://%2e%2e", '"%2e%2e" in "x://%2e%2e" is a dot segment'],
    ["x://..%2fetc", 'id "../etc" in "x://..%2fetc" contains a segment'],
    ["x://%252e%252e%252f", 'id "%2e%2e%2f" in'],
    ["x://..%5cx", 'id "..\\\\x" in'],
    ["x://a%00", "contains a NUL"],
    ["x://%c0%ae", 'id "%c0%ae" in "x://%c0%ae" is not valid percent-encoded UTF-8'],
    ["x://%E0%A4%A", "is not valid percent-encoded"],
    ["x://a%", "is not valid percent-encoded"],
    ["x://a?p=1", 'p "1" in "x://a?p=1" is an unknown query parameter; the resource accepts q'],
    ["x://a?q=1&q=2", 'q "2" in "x://a?q=1&q=2" is a duplicate query parameter'],
    ["x://a?=1", "is a query value without a key"],
  ])("rejects %s", async (uri, message) => {
    const client = await open([any]);
    await expect(client.read(uri)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(message),
      data: { uri },
    });
  });

  it("rejects a URI that is too long", async () => {
    const client = await open([any]);
    await expect(client.read(`x://${"a".repeat(20_000)}`)).rejects.toMatchObject({
      code: -32602,
      message: "The URI has 20004 characters; the limit is 16384.",
    });
  });

  it("reads the longest URI", async () => {
    const uri = `x://${"a".repeat(16_380)}`;
    const client = await open([any]);
    expect((await client.read(uri)).contents[0]?.uri).toBe(uri);
    await expect(client.read(`${uri}a`)).rejects.toMatchObject({ message: /the limit is 16384/ });
  });
});

describe("declared parameters", () => {
  const order = defineResource({
    uri: "orders://{orderId}{?limit}",
    name: "Order",
    params: { orderId: /^\d+$/, limit: param.integer({ default: 100, max: 10_000 }) },
    read: ({ orderId, limit }) => ({ orderId, limit }),
  });

  it("reach the handler converted to their types", async () => {
    const client = await open([order]);
    expect((await client.read("orders://7")).contents[0]?.text).toBe('{"orderId":"7","limit":100}');
    expect((await client.read("orders://7?limit=5")).contents[0]?.text).toBe('{"orderId":"7","limit":5}');
  });

  it("are rejected with key, value, uri and limit", async () => {
    const client = await open([order]);
    await expect(client.read("orders://7?limit=10001")).rejects.toMatchObject({
      code: -32602,
      message: 'limit "10001" in "orders://7?limit=10001" is greater than 10000.',
      data: { uri: "orders://7?limit=10001", name: "limit", value: "10001", limit: 10000 },
    });
    await expect(client.read("orders://x")).rejects.toThrow('orderId "x" in "orders://x" does not match ^\\d+$.');
  });

  it("can be Standard Schemas, which also validate omitted values and can be asynchronous", async () => {
    const server = [
      defineResource({
        uri: "s://{day}{?n,slow}",
        name: "s",
        params: {
          day: z.coerce.date(),
          n: z.coerce.number().default(3),
          slow: z
            .string()
            .optional()
            .refine(async (value) => value !== "bad", "is bad"),
        },
        read: ({ day, n, slow }) => ({ year: day.getFullYear(), n, slow }),
      }),
    ];
    const client = await open(server);
    expect((await client.read("s://2026-05-05?slow=x")).contents[0]?.text).toBe('{"year":2026,"n":3,"slow":"x"}');
    await expect(client.read("s://2026-05-05?slow=bad")).rejects.toMatchObject({
      code: -32602,
      message: 'slow "bad" in "s://2026-05-05?slow=bad" is bad.',
    });
    await expect(client.read("s://2026-05-05?slow=bad&more=1")).rejects.toThrow(/more "1" .* unknown/);
    await expect(client.read("s://no-date")).rejects.toMatchObject({ code: -32602 });
  });

  it("are checked item by item if they are lists", async () => {
    const list = defineResource({
      uri: "l://x{?n*}",
      name: "l",
      params: { n: param.integer({ max: 9 }) },
      read: ({ n }) => n ?? [],
    });
    const client = await open([list]);
    expect((await client.read("l://x?n=1&n=2")).contents[0]?.text).toBe("[1,2]");
    await expect(client.read("l://x?n=1&n=20")).rejects.toThrow('n "20" in');
  });

  it("must be variables of the template and have a valid check", () => {
    const sources = { b: param.uuid() } as never;
    expect(() => defineResource({ uri: "x://{a}", name: "x", params: sources, read: () => "" })).toThrow(
      /has no \{b\}/,
    );
    expect(() => defineResource({ uri: "x://{a}", name: "x", params: { a: "\\d" as never }, read: () => "" })).toThrow(
      /params\.a must be a regular expression/,
    );
  });
});

describe("URIs and templates without a scheme", () => {
  it("are read like those with a scheme", async () => {
    const client = await open([
      defineResource({
        uri: "orders/{order_id}",
        name: "Order",
        params: { order_id: /\d+/ },
        read: ({ order_id }) => order_id,
      }),
      defineResource({ uri: "terms", name: "Terms", content: "none" }),
    ]);
    expect((await client.read("orders/12")).contents[0]).toMatchObject({ uri: "orders/12", text: "12" });
    expect((await client.read("terms")).contents[0]).toMatchObject({ text: "none" });
    await expect(client.read("orders/../terms")).rejects.toMatchObject({ code: -32602 });
  });
});

describe("a failed read", () => {
  const circular: { self?: unknown } = {};
  circular.self = circular;
  it.each([
    ["a template that returns nothing", () => undefined, "resource_not_found"],
    ["a thrown NotFound without a message", () => Promise.reject(new NotFound()), "resource_not_found"],
    ["a thrown NotFound", () => Promise.reject(new NotFound("gone", { uri: "x://1" })), "resource_not_found"],
    ["a throw", () => Promise.reject(new Error("/secret/path")), "internal_error"],
    ["an object that cannot be serialized", () => circular, "internal_error"],
    ["a content block of a tool", () => text("x"), "internal_error"],
    ["an empty list of contents", () => contents([]), "internal_error"],
  ])("%s is an error, never empty contents", async (_, read, kind) => {
    const resource = defineResource({ uri: "x://{id}", name: "x", read });
    for (const [revision, missing] of [
      ["2026-07-28", -32602],
      ["2025-11-25", -32002],
    ] as const) {
      const client = await open([resource], { revision });
      const error = await client.read("x://1").catch((thrown) => thrown);
      expect(error.code).toBe(kind === "internal_error" ? -32603 : missing);
      expect(error.message).not.toContain("secret");
      if (kind !== "internal_error") expect(error.data).toEqual({ uri: "x://1" });
    }
  });

  it("does not include a single URI that returns nothing: its text is empty", async () => {
    const client = await open([defineResource({ uri: "x://y", name: "x", read: () => undefined })]);
    expect((await client.read("x://y")).contents).toEqual([{ uri: "x://y", mimeType: "text/plain", text: "" }]);
  });
});

describe("a handler", () => {
  const terms = defineResource({
    uri: "x://terms",
    name: "terms",
    read: () => {
      throw new NotFound();
    },
  });

  it("of a single URI can throw NotFound, with the default message", async () => {
    const client = await open([terms]);
    await expect(client.read("x://terms")).rejects.toMatchObject({
      message: 'Resource not found: "x://terms".',
      data: { uri: "x://terms" },
    });
  });

  it("of a single URI can throw NotFound, with the message of its group", async () => {
    const messages = { missing: ({ uri }: { uri: string }) => `resource not found: ${uri}` };
    const client = await open(defineResourceGroup({ uri: "x://", messages }, [terms]));
    const error = await client.read("x://terms").catch((thrown) => thrown);
    expect(error).toMatchObject({ code: -32602, message: "resource not found: x://terms" });
    expect(error.data).toBeUndefined();
  });

  it("receives the URI as the client wrote it, and so does `exists`", async () => {
    const seen: unknown[] = [];
    const group = defineResourceGroup({ uri: "x://", emptySegments: "drop" }, [
      defineResource({
        uri: "x://{a}{?b}",
        name: "x",
        exists: (_, ctx) => seen.push(ctx.uri) > 0,
        read: (_, ctx) => ctx.uri,
      }),
    ]);
    const client = await open(group, { revision: "2025-11-25" });
    expect((await client.read("x:////%61?b=1")).contents[0]?.text).toBe("x:////%61?b=1");
    await client.request("resources/subscribe", { uri: "x://a/" });
    expect(seen).toEqual(["x://a/"]);
  });
});

describe("resources that are too long", () => {
  const template = defineResource({ uri: `x://{a}/${"b".repeat(3000)}`, name: "long", read: () => "read" });

  it("are rejected", () => {
    const single = defineResource({ uri: `x://${"a".repeat(17_000)}`, name: "long", content: "" });
    const define = (resource: Resource) => () => defineServer({ name: "s", version: "1", resources: [resource] });
    expect(define(template)).toThrow(/has 3008 characters; the limit is 2048/);
    expect(define(single)).toThrow(/has 17004 characters; the limit is 16384/);
  });

  it("are served up to the limit", async () => {
    const rest = "b".repeat(2040);
    const client = await open([defineResource({ uri: `x://{a}/${rest}`, name: "long", read: () => "read" })]);
    expect((await client.read(`x://1/${rest}`)).contents[0]?.text).toBe("read");
  });
});

describe("a stream", () => {
  const read = async function* () {
    for (let at = 0; at < 10; at++) yield "0123456789";
  };

  it("is collected up to the limit of the server", async () => {
    const resource = defineResource({ uri: "x://y", name: "x", read });
    const tool = defineTool({ name: "t", handle: read });
    const fits = await open([resource], {}, { limits: { streamBytes: 100 }, tools: [tool] });
    expect((await fits.read("x://y")).contents[0]?.text).toHaveLength(100);
    expect((await fits.call("t")).content).toMatchObject([{ text: expect.stringMatching(/^(?:\d{10}){10}$/) }]);
    const tight = await open([resource], {}, { limits: { streamBytes: 99 }, tools: [tool] });
    const refusal = { code: -32603, message: "The result is larger than 99 bytes." };
    await expect(tight.read("x://y")).rejects.toMatchObject(refusal);
    await expect(tight.call("t")).rejects.toMatchObject(refusal);
  });
});

describe("several contents", () => {
  it("keep their order, types and metadata", async () => {
    const list = [
      { uri: "x://y", mimeType: "text/plain", text: "", _meta: { n: 0 } },
      { uri: "x://y#2", mimeType: "image/png", blob: Uint8Array.of(1, 2, 3) },
    ];
    const client = await open([
      defineResource({ uri: "x://y", name: "x", read: () => contents(list, { _meta: { pages: 0 } }) }),
    ]);
    const result = await client.read("x://y");
    expect(result.contents).toEqual([list[0], { uri: "x://y#2", mimeType: "image/png", blob: "AQID" }]);
    expect(result._meta).toMatchObject({ pages: 0 });
  });
});

describe("a handler that asks", () => {
  const guarded = defineResource({
    uri: "secret://{+file}",
    name: "Secret",
    params: { file: param.path() },
    read: async ({ file }, ctx) => {
      const answer = await ctx.ask(`Read ${file}?`, { type: "object", properties: { sure: { type: "boolean" } } });
      return answer.action === "accept" ? "opened" : "closed";
    },
  });

  it.each(["2025-06-18", "2026-07-28"])("gets its answer on %s", async (revision) => {
    const server = defineServer({ name: "asks", version: "1", log: () => undefined, resources: [guarded] });
    const client = await connect(server, { revision, answers: () => ({ action: "accept", content: { sure: true } }) });
    expect((await client.read("secret://a/b")).contents[0]).toMatchObject({ text: "opened" });
  });
});

describe("a value that goes into the URL of another service", () => {
  const upstream = parseTemplate("https://api.example/v1/{id}");
  const proxy = defineResource({ uri: "api://{id}", name: "api", read: ({ id }) => upstream.expand({ id }) });

  it.each(["../admin", "..", ".", "?x=", "#", "//evil", "@evil", "a\r\nHost: evil", "..\\x", "%2e%2e", "a b", "ü"])(
    "%j stays within its segment, or is rejected",
    async (value) => {
      const client = await open([proxy]);
      const read = client.read(`api://${encodeURIComponent(value)}`);
      const url = await read.then(({ contents: [only] }) => new URL(only?.text ?? "")).catch((error) => error.code);
      if (url === -32602) return;
      expect(url).toMatchObject({ origin: "https://api.example", search: "", hash: "", username: "" });
      expect(url.pathname).toMatch(/^\/v1\/[^/]+$/);
    },
  );
});
