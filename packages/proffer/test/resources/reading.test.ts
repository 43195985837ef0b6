import { contents, defineResource, defineServer, integer, NotFound, path, type Resource, text, uuid } from "proffer";
import { connect } from "proffer/testing";
import { parseTemplate } from "proffer/uri";
import { describe, expect, it } from "vitest";
import { z } from "zod";

function open(resources: readonly Resource[], options: { revision?: string } = {}) {
  return connect(defineServer({ name: "reading", version: "1", log: () => undefined, resources }), options);
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
    ["x://..", '".." on "x://.." is a segment'],
    ["x://%2e%2e", '"%2e%2e" on "x://%2e%2e" is a segment'],
    ["x://..%2fetc", 'id "../etc" on "x://..%2fetc" has a segment'],
    ["x://%252e%252e%252f", 'id "%2e%2e%2f" on'],
    ["x://..%5cx", 'id "..\\\\x" on'],
    ["x://a%00", "has a NUL"],
    ["x://%c0%ae", 'id "%c0%ae" on "x://%c0%ae" is not the percent-encoding of UTF-8'],
    ["x://%E0%A4%A", "is not the percent-encoding"],
    ["x://a%", "is not the percent-encoding"],
    ["x://a?p=1", 'p "1" on "x://a?p=1" is an unknown query parameter; the resource takes q'],
    ["x://a?q=1&q=2", 'q "2" on "x://a?q=1&q=2" stands under a key that came before'],
    ["x://a?=1", "has no key in the query"],
  ])("refuses %s", async (uri, message) => {
    const client = await open([any]);
    await expect(client.read(uri)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(message),
      data: { uri },
    });
  });

  it("refuses a URI that is too long to look at", async () => {
    const client = await open([any]);
    await expect(client.read(`x://${"a".repeat(20_000)}`)).rejects.toMatchObject({
      code: -32602,
      message: "The URI has 20004 characters; the most is 16384.",
    });
  });
});

describe("declared parameters", () => {
  const order = defineResource({
    uri: "orders://{orderId}{?limit}",
    name: "Order",
    params: { orderId: /^\d+$/, limit: integer({ default: 100, max: 10_000 }) },
    read: ({ orderId, limit }) => ({ orderId, limit }),
  });

  it("reach the handler as what they are", async () => {
    const client = await open([order]);
    expect((await client.read("orders://7")).contents[0]?.text).toBe('{"orderId":"7","limit":100}');
    expect((await client.read("orders://7?limit=5")).contents[0]?.text).toBe('{"orderId":"7","limit":5}');
  });

  it("are refused with key, value, uri and limit", async () => {
    const client = await open([order]);
    await expect(client.read("orders://7?limit=10001")).rejects.toMatchObject({
      code: -32602,
      message: 'limit "10001" on "orders://7?limit=10001" is more than 10000.',
      data: { uri: "orders://7?limit=10001", name: "limit", value: "10001", limit: 10000 },
    });
    await expect(client.read("orders://x")).rejects.toThrow('orderId "x" on "orders://x" does not match ^\\d+$.');
  });

  it("may be Standard Schemas, which see what is left out, and may take their time", async () => {
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
      message: 'slow "bad" on "s://2026-05-05?slow=bad" is bad.',
    });
    await expect(client.read("s://2026-05-05?slow=bad&more=1")).rejects.toThrow(/more "1" .* unknown/);
    await expect(client.read("s://no-date")).rejects.toMatchObject({ code: -32602 });
  });

  it("are checked item by item where they are lists", async () => {
    const list = defineResource({
      uri: "l://x{?n*}",
      name: "l",
      params: { n: integer({ max: 9 }) },
      read: ({ n }) => n ?? [],
    });
    const client = await open([list]);
    expect((await client.read("l://x?n=1&n=2")).contents[0]?.text).toBe("[1,2]");
    await expect(client.read("l://x?n=1&n=20")).rejects.toThrow('n "20" on');
  });

  it("must be variables of the template, and checks", () => {
    const sources = { b: uuid() } as never;
    expect(() => defineResource({ uri: "x://{a}", name: "x", params: sources, read: () => "" })).toThrow(
      /has no \{b\}/,
    );
    expect(() => defineResource({ uri: "x://{a}", name: "x", params: { a: "\\d" as never }, read: () => "" })).toThrow(
      /params\.a must be a regular expression/,
    );
  });
});

describe("URIs and templates without a scheme", () => {
  it("are read like any others", async () => {
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

describe("bad answers of a handler", () => {
  const circular: { self?: unknown } = {};
  circular.self = circular;
  it.each([
    ["a template that finds nothing", () => undefined, "resource_not_found"],
    ["a thrown NotFound", () => Promise.reject(new NotFound("gone", { uri: "x://1" })), "resource_not_found"],
    ["a throw", () => Promise.reject(new Error("/secret/path")), "internal_error"],
    ["an object that cannot be written", () => circular, "internal_error"],
    ["a block of a tool", () => text("x"), "internal_error"],
    ["an empty list of contents", () => contents([]), "internal_error"],
  ])("%s never gives empty contents", async (_, read, kind) => {
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

  it("nothing is an empty text where the uri is fixed", async () => {
    const client = await open([defineResource({ uri: "x://y", name: "x", read: () => undefined })]);
    expect((await client.read("x://y")).contents).toEqual([{ uri: "x://y", mimeType: "text/plain", text: "" }]);
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
    params: { file: path() },
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
    "%j stays within its segment, or is refused",
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
