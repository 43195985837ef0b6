import { type CallResult, defineServer, defineTool, type Principal, type Server, type ServerOptions } from "proffer";
import { serveHttp } from "proffer/http";
import { connect, connectOver } from "proffer/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { memoryCluster } from "../../src/nodes/memory.ts";
import { type Headers, LEGACY, legacy, openSession, post } from "../http/http-client.ts";
import { linkHttp } from "../http/http-link.ts";
import { cursorOf, sentenceOf } from "./collect.ts";

const TEXT = "a line of a long text\n".repeat(500);
const UNKNOWN = {
  isError: true,
  content: [{ type: "text", text: "This cursor is unknown or too old. Call the tool again." }],
};

const secret = defineTool({
  name: "secret",
  scopes: ["read"],
  paramScopes: { deep: ["deep"] },
  input: { type: "object", properties: { deep: { type: "boolean" } } },
  handle: () => TEXT,
});

function serverWith(options: Partial<ServerOptions> = {}): Server {
  const tools = [defineTool({ name: "log", handle: () => TEXT }), secret];
  return defineServer({ name: "s", version: "1", maxResult: { bytes: 4000 }, log: () => {}, tools, ...options });
}

async function cursorFor(server: Server, principal: Principal, tool = "log", input: object = {}): Promise<string> {
  const client = await connect(server, { principal });
  return cursorOf((await client.call(tool, input as never)) as CallResult);
}

async function moreFor(server: Server, principal: Principal | undefined, cursor: string): Promise<unknown> {
  const client = await connect(server, principal && { principal });
  return client.call("more", { cursor });
}

afterEach(() => {
  vi.useRealTimers();
});

describe("a rest", () => {
  it("belongs to its principal, in any session", async () => {
    const server = serverWith();
    const cursor = await cursorFor(server, { id: "ada" });
    expect(await moreFor(server, { id: "ada" }, cursor)).not.toHaveProperty("isError");
    expect(await moreFor(server, { id: "eve" }, cursor)).toMatchObject(UNKNOWN);
    expect(await moreFor(server, undefined, cursor)).toMatchObject(UNKNOWN);
    const uri = `proffer-result://${cursor.slice(0, 16)}`;
    const [eve, ada] = await Promise.all(["eve", "ada"].map((id) => connect(server, { principal: { id } })));
    await expect(eve?.read(uri)).rejects.toThrow();
    expect((await ada?.read(uri))?.contents).toHaveLength(1);
  });

  it("belongs to its session without a principal, over HTTP too", async () => {
    const server = serverWith({ tools: [defineTool({ name: "log", handle: () => TEXT })] });
    const service = await serveHttp(server, { port: 0 });
    const revision = "2025-11-25";
    const [one, two] = await Promise.all([0, 1].map(() => connectOver(linkHttp(service.url), { revision })));
    const cursor = cursorOf((await one?.call("log")) as CallResult);
    expect(await two?.call("more", { cursor })).toMatchObject(UNKNOWN);
    expect(await one?.call("more", { cursor })).not.toHaveProperty("isError");
    await Promise.all([one?.close(), two?.close()]);
    await service.close();
  });

  it("needs the scopes of its call, at the time of the request for it", async () => {
    const server = serverWith();
    const all = { id: "ada", scopes: ["read", "deep"] };
    const cursor = await cursorFor(server, all, "secret", { deep: true });
    const { scopes: _, ...none } = all;
    expect(await moreFor(server, all, cursor)).not.toHaveProperty("isError");
    expect(await moreFor(server, { ...none, scopes: [] }, cursor)).toMatchObject(UNKNOWN);
    expect(await moreFor(server, { ...none, scopes: ["read"] }, cursor)).toMatchObject(UNKNOWN);
    server.tools.remove("secret");
    expect(await moreFor(server, all, cursor)).toMatchObject(UNKNOWN);
  });

  it("is hidden with its tool, and offered only in ways that exist for the caller", async () => {
    const hidden = new Set<string>();
    const server = serverWith({ shows: (item) => !hidden.has(item.name) });
    const cursor = await cursorFor(server, { id: "ada" });
    hidden.add("log");
    expect(await moreFor(server, { id: "ada" }, cursor)).toMatchObject(UNKNOWN);
    hidden.clear();
    hidden.add("more");
    const client = await connect(server);
    expect(sentenceOf((await client.call("log")) as CallResult)).toMatch(
      /shown\. Read proffer-result:\S+ for all of the rest\.$/,
    );
    hidden.add("The rest of a result");
    expect(sentenceOf((await client.call("log")) as CallResult)).toBe(
      "163 of 500 lines are shown. The rest is not available. Call log again with arguments that select less.",
    );
  });

  it("ends after 10 minutes", async () => {
    const server = serverWith();
    const client = await connect(server);
    const cursor = cursorOf((await client.call("log")) as CallResult);
    const now = Date.now();
    vi.useFakeTimers({ toFake: ["Date"], now: now + 599_000 });
    expect(await client.call("more", { cursor })).not.toHaveProperty("isError");
    vi.setSystemTime(now + 601_000);
    expect(await client.call("more", { cursor })).toMatchObject(UNKNOWN);
  });

  it("is kept up to 8 MiB for a caller, and another one has room, too", async () => {
    const long = "a line\n".repeat(420_000);
    const server = serverWith({ tools: [defineTool({ name: "log", handle: () => long })] });
    const isKept = async (id: string) => {
      const client = await connect(server, { principal: { id } });
      return sentenceOf((await client.call("log")) as CallResult).includes("cursor");
    };
    expect([await isKept("ada"), await isKept("ada"), await isKept("ada")]).toEqual([true, true, false]);
    expect(await isKept("eve")).toBe(true);
    const huge = serverWith({ tools: [defineTool({ name: "log", handle: () => long.repeat(5) })] });
    expect(sentenceOf((await (await connect(huge)).call("log")) as CallResult)).toMatch(
      /^\d+ of 2,100,000 lines are shown\. The rest is not available\. Call log again with arguments that select less\.$/,
    );
  });
});

describe("the memory for rests", () => {
  const long = `${"a long line ".repeat(10)}\n`.repeat(35_000);
  const options = { maxResult: { bytes: 1_000_000 }, tools: [defineTool({ name: "log", handle: () => long })] };

  let later = Date.now();
  beforeEach(() => {
    // The bytes of earlier tests are forgotten.
    later += 660_000;
    vi.useFakeTimers({ toFake: ["Date"], now: later });
  });

  it("counts the sessions of one address as one caller, and it alone reads its parts", async () => {
    const service = await serveHttp(serverWith(options), { port: 0, trustedProxies: ["127.0.0.0/8"] });
    const call = async (session: Headers, name: string, input: object = {}): Promise<CallResult> =>
      (await post(service.url, legacy("tools/call", { name, arguments: input }), session)).json.result;
    const sessions: Headers[] = [];
    for (const address of ["203.0.113.1", "203.0.113.1", "203.0.113.1", "203.0.113.2"])
      sessions.push(await openSession(service.url, LEGACY, { "x-forwarded-for": address }));
    const results: CallResult[] = [];
    for (const session of sessions) results.push(await call(session, "log"));
    expect(results.map((result) => sentenceOf(result).includes("cursor"))).toEqual([true, true, false, true]);
    const [cursor, [one = {}, two = {}]] = [cursorOf(results[0] as CallResult), sessions];
    expect(await call(two, "more", { cursor })).toMatchObject(UNKNOWN);
    // The address counts, and does not authorize.
    expect(await call({ ...one, "x-forwarded-for": "203.0.113.9" }, "more", { cursor })).not.toHaveProperty("isError");
    await service.close();
  });

  it("always has room for a caller below its share, also if many others have filled it", async () => {
    const server = serverWith(options);
    const cursors: string[] = [];
    for (let at = 10; at < 34; at++) cursors.push(await cursorFor(server, { id: `greedy ${at}` }));
    const cursor = await cursorFor(server, { id: "ada" });
    expect(await moreFor(server, { id: "ada" }, cursor)).not.toHaveProperty("isError");
    expect(await moreFor(server, { id: "greedy 10" }, cursors[0] as string)).toMatchObject(UNKNOWN);
    expect(await moreFor(server, { id: "greedy 33" }, cursors[23] as string)).not.toHaveProperty("isError");
  });
});

describe("with a cluster", () => {
  const keys = [new Uint8Array(32).fill(7)];

  it("another node returns the rest, which the store has only sealed", async () => {
    const cluster = memoryCluster();
    const written: string[] = [];
    const { store } = cluster;
    const change = store.change.bind(store);
    store.change = (key, changes) => {
      written.push(JSON.stringify(changes));
      return change(key, changes);
    };
    const [one, two] = [0, 1].map(() => serverWith({ cluster, keys }));
    const cursor = await cursorFor(one as Server, { id: "ada" });
    expect(await moreFor(two as Server, { id: "ada" }, cursor)).not.toHaveProperty("isError");
    expect(await moreFor(two as Server, { id: "eve" }, cursor)).toMatchObject(UNKNOWN);
    expect(written.join("")).not.toMatch(/a line|"ada"|"log"/);
    const other = serverWith({ cluster, keys: [new Uint8Array(32).fill(8)] });
    expect(await moreFor(other, { id: "ada" }, cursor)).toMatchObject(UNKNOWN);
  });

  it("a store that fails costs only the rest", async () => {
    const cluster = memoryCluster();
    cluster.store.change = () => Promise.reject(new Error("away"));
    const logged: unknown[] = [];
    const server = serverWith({ cluster, keys, log: ({ message }) => void logged.push(message) });
    const client = await connect(server);
    expect(sentenceOf((await client.call("log")) as CallResult)).toContain("The rest is not available.");
    expect(logged).toContain("The rest of a large result could not be kept");
  });
});
