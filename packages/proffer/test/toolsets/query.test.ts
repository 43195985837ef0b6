import { defineResource, defineServer, defineTool, type Server } from "proffer";
import { createFetchHandler } from "proffer/fetch";
import { type HttpService, serveHttp } from "proffer/http";
import { chooseItems } from "proffer/process";
import { afterEach, describe, expect, it } from "vitest";
import { openEvents } from "../http/event-client.ts";
import { type Headers, legacy, modern, modernHeaders, openSession, post, postModern } from "../http/http-client.ts";
import { chosen, openShop } from "./shop.ts";

let service: HttpService | undefined;

afterEach(() => service?.close());

async function serve(server: Server = openShop(), options = {}): Promise<string> {
  service = await serveHttp(server, { port: 0, ...options });
  return service.url;
}

const namesIn = (result: { tools: { name: string }[] }) => result.tools.map(({ name }) => name).join(" ");

/** The names of the tools, or the message of the error. */
async function list(url: string, headers: Headers = {}): Promise<string> {
  const { json } = await postModern(url, modern("tools/list"), headers);
  return json.error?.message ?? namesIn(json.result);
}

describe("?toolsets= of a request", () => {
  it.each([
    ["reports", "order_count report"],
    ["orders", "order_get order_set order_count"],
    ["reports,orders", "order_get order_set order_count report"],
    ["%20reports%20,,", "order_count report"],
    ["default", "order_get order_set order_count report hello"],
    ["all", "order_get order_set order_count report hello"],
    ["all,reports", "order_get order_set order_count report hello"],
    ["admin", 'Unknown toolset "admin" in ?toolsets=. The toolsets are orders, reports.'],
    ["reports,order", 'Unknown toolset "order" in ?toolsets=. Did you mean "orders"?'],
  ])("%s narrows the items that the server shows, and never widens them", async (query, expected) => {
    expect(await list(`${await serve()}?toolsets=${query}`)).toBe(expected);
  });

  it("narrows a choice, within which a toolset with default: false must still be named", async () => {
    const server = openShop();
    await chooseItems([server], chosen({ toolsets: "orders,admin", except: "order_set" }));
    const url = await serve(server);
    expect(await list(url)).toBe("order_get order_count order_purge reset");
    expect(await list(`${url}?toolsets=orders`)).toBe("order_get order_count");
    expect(await list(`${url}?toolsets=admin`)).toBe("order_purge reset");
    expect(await list(`${url}?toolsets=all`)).toBe("order_get order_count order_purge reset");
    // Of both, the choice hides one that only it could name.
    expect(await list(`${url}?toolsets=reports`)).toBe("order_count");
  });

  it("hides the rest from calls, and each request counts on its own", async () => {
    const url = await serve();
    const call = async (query: string, name: string) =>
      (await postModern(`${url}${query}`, modern("tools/call", { name }))).json;
    expect((await call("?toolsets=orders", "order_get")).result.content[0].text).toBe("get");
    expect((await call("?toolsets=reports", "order_get")).error.message).toBe(
      'Unknown tool "order_get". tools/list returns the available tools.',
    );
    expect((await call("", "order_get")).result.content[0].text).toBe("get");
  });

  it("names only toolsets of which the caller sees an item, and finds no others", async () => {
    const server = openShop({
      shows: ({ name, toolset }, { principal }) =>
        principal?.id === "ada" || (name !== "report" && toolset !== "admin"),
      toolsets: { orders: ["order_get"], reports: ["report"], admin: [] },
    });
    const authenticate = (request: { header(name: string): string | undefined }) => ({
      id: request.header("x-id") ?? "",
    });
    const url = await serve(server, { authenticate });
    expect(await list(`${url}?toolsets=reports`, { "x-id": "ada" })).toBe("report");
    const bob = (name: string) => list(`${url}?toolsets=${name}`, { "x-id": "bob" });
    expect(await bob("reports")).toBe('Unknown toolset "reports" in ?toolsets=. The toolsets are orders.');
    expect(await bob("reporta")).toBe('Unknown toolset "reporta" in ?toolsets=. The toolsets are orders.');
    expect(await bob("orders")).toBe("order_get");
  });

  it("does not ask for scopes of hidden items, and asks for those of shown ones", async () => {
    const tools = [
      defineTool({ name: "a", toolset: "a", scopes: ["a"], handle: () => "" }),
      defineTool({ name: "b", toolset: "b", scopes: ["b"], handle: () => "" }),
    ];
    const server = defineServer({ name: "s", version: "1", lists: "granted", tools });
    const url = await serve(server, { authenticate: () => ({ id: "ada", scopes: ["b"] }) });
    const call = (query: string) => postModern(`${url}${query}`, modern("tools/call", { name: "a" }));
    expect((await call("?toolsets=a")).status).toBe(403);
    expect((await call("?toolsets=b")).json.error.message).toContain('Unknown tool "a"');
  });

  it("is answered by servers without toolsets", async () => {
    const server = defineServer({ name: "s", version: "1", tools: [defineTool({ name: "t", handle: () => "" })] });
    const url = await serve(server);
    expect(await list(`${url}?toolsets=x`)).toBe('Unknown toolset "x" in ?toolsets=. There are none.');
    expect(await list(`${url}?other=toolsets`)).toBe("t");
    expect(await list(`${url}?x-toolsets=y`)).toBe("t");
  });

  it.each([
    ["toolsets=", "names no toolset"],
    ["toolsets=%2C,", "names no toolset"],
    ["toolsets=orders&toolsets=reports", "is there twice"],
    [`toolsets=${"x".repeat(2001)}`, "has more than 2000 characters"],
    [`toolsets=${Array.from({ length: 51 }, (_, index) => index)}`, "names more than 50 toolsets"],
  ])("%s is refused with 400", async (query, message) => {
    const url = await serve();
    const { status, json } = await postModern(`${url}?${query}`, modern("tools/list"));
    expect({ status, code: json.error.code }).toEqual({ status: 400, code: -32600 });
    expect(json.error.message).toContain(`The query parameter toolsets ${message}`);
  });

  it("repeats at most the beginning of a name", async () => {
    const name = "é".repeat(1000);
    const url = await serve();
    expect(await list(`${url}?toolsets=${encodeURIComponent(name)}`)).toBe(
      `Unknown toolset "${"é".repeat(64)}" in ?toolsets=. The toolsets are orders, reports.`,
    );
  });
});

describe("a narrowed list", () => {
  it("is private, and that of the server stays public", async () => {
    const url = await serve(openShop({ cache: { cacheScope: "public", ttlMs: 1000 }, resourceTools: "never" }));
    const scope = async (query: string) =>
      (await postModern(`${url}${query}`, modern("tools/list"))).json.result.cacheScope;
    expect(await scope("")).toBe("public");
    expect(await scope("?toolsets=orders")).toBe("private");
    expect(await scope("")).toBe("public");
  });

  it("is the same for names in any order, and keeps the pages of others apart", async () => {
    const url = await serve(openShop({ pageSize: 2 }));
    const page = async (query: string, cursor?: string) =>
      (await postModern(`${url}?toolsets=${query}`, modern("tools/list", cursor === undefined ? {} : { cursor }))).json
        .result;
    const first = await page("reports,orders");
    expect(await page("orders,reports")).toEqual(first);
    expect(namesIn(await page("orders,reports", first.nextCursor))).toBe("order_count report");
    expect(namesIn(await page("reports", first.nextCursor))).toBe("order_count report");
    expect(namesIn(await page("orders", first.nextCursor))).toBe("order_count");
  });

  it("follows a thousand different queries of 500 tools", async () => {
    const tools = Array.from({ length: 500 }, (_, index) =>
      defineTool({ name: `t${index}`, toolset: `s${index % 10}`, handle: () => "" }),
    );
    const url = await serve(defineServer({ name: "many", version: "1", tools }));
    for (let mask = 1; mask < 1024; mask += 17) {
      const sets = Array.from({ length: 10 }, (_, bit) => bit).filter((bit) => mask & (1 << bit));
      const expected = tools.map(({ name }) => name).filter((_, index) => sets.includes(index % 10));
      expect(await list(`${url}?toolsets=${sets.map((bit) => `s${bit}`)}`)).toBe(expected.join(" "));
    }
  });
});

describe("a session of an older revision", () => {
  it("has the toolsets of each request, and cannot get more than the server shows", async () => {
    const url = await serve();
    const session = await openSession(`${url}?toolsets=reports`);
    const names = async (query: string) => {
      const { json } = await post(`${url}${query}`, legacy("tools/list"), session);
      return json.error?.message ?? namesIn(json.result);
    };
    expect(await names("?toolsets=reports")).toBe("order_count report");
    expect(await names("?toolsets=orders")).toBe("order_get order_set order_count");
    expect(await names("?toolsets=all")).toBe("order_get order_set order_count report hello");
    expect(await names("?toolsets=admin")).toContain('Unknown toolset "admin"');
    expect(await names("")).toBe("order_get order_set order_count report hello");
  });

  it("cannot be opened with an unknown toolset", async () => {
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } };
    const { json } = await post(`${await serve()}?toolsets=x`, legacy("initialize", params));
    expect(json.error).toMatchObject({ code: -32602, message: expect.stringContaining('Unknown toolset "x"') });
  });

  it("narrows every request of a batch", async () => {
    const url = await serve();
    const session = await openSession(url, "2025-03-26");
    const batch = [legacy("tools/call", { name: "report" }, 1), legacy("tools/call", { name: "order_get" }, 2)];
    const { json } = await post(`${url}?toolsets=reports`, batch, session);
    expect(json).toMatchObject([
      { id: 1, result: {} },
      { id: 2, error: { message: expect.stringContaining("Unknown tool") } },
    ]);
  });

  it("gets the updates of its subscriptions, on a stream with any query", async () => {
    const resources = ["a", "b"].map((name) =>
      defineResource({ uri: `x://${name}`, name, toolset: name, read: () => name }),
    );
    const server = defineServer({ name: "s", version: "1", resources });
    const url = await serve(server);
    const session = await openSession(`${url}?toolsets=a`);
    const subscribe = async (uri: string) =>
      (await post(`${url}?toolsets=a`, legacy("resources/subscribe", { uri }), session)).json;
    expect(await subscribe("x://a")).toHaveProperty("result");
    expect(await subscribe("x://b")).toHaveProperty("error");
    const events = await openEvents(`${url}?toolsets=b`, { headers: session });
    server.notify("x://b");
    server.notify("x://a");
    await events.message(({ params }) => params?.uri === "x://a");
    expect(events.messages).toHaveLength(1);
    events.close();
  });

  it("over HTTP+SSE has the toolsets of its stream", async () => {
    const url = await serve(openShop(), { legacySse: true });
    const events = await openEvents(`${url}/sse?toolsets=reports`, {});
    await expect.poll(() => events.events.length).toBe(1);
    const messages = new URL(events.events[0]?.data ?? "", `${url}/sse`).href;
    const params = { protocolVersion: "2024-11-05", capabilities: {}, clientInfo: { name: "t", version: "1" } };
    await post(messages, legacy("initialize", params, 1));
    await post(messages, legacy("tools/list", {}, 2));
    const { result } = await events.message(({ id }) => id === 2);
    expect(namesIn(result)).toBe("order_count report");
    events.close();
  });
});

it("a handler of Web-standard requests narrows, too, also the first request", async () => {
  const handler = createFetchHandler(openShop());
  const message = modern("tools/list");
  const ask = async (query: string) => {
    const request = new Request(`http://localhost/mcp${query}`, {
      ...{ method: "POST", body: JSON.stringify(message) },
      headers: modernHeaders(message) as Record<string, string>,
    });
    const { result } = (await (await handler(request)).json()) as { result: Parameters<typeof namesIn>[0] };
    return namesIn(result);
  };
  expect(await ask("?toolsets=reports#x")).toBe("order_count report");
  expect(await ask("#?toolsets=reports")).toBe("order_get order_set order_count report hello");
  await handler.close();
});
