import type { ServerOptions } from "proffer";
import { connect } from "proffer/client";
import { serveHttp } from "proffer/http";
import { memoryCluster } from "proffer/testing";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import fixture from "../fixtures/upstream.ts";
import { answers, type Crossing, cross, journey, textOf } from "./journey.ts";

const NEW = "2026-07-28";
const OLD = "2025-11-25";

let upstream: string;
let end: () => Promise<void>;
beforeAll(async () => {
  ({ url: upstream, close: end } = await serveHttp(fixture, { port: 0 }));
});
afterAll(() => end());

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function open(crossing: Omit<Crossing, "upstream">, options = {}, more: Partial<ServerOptions> = {}) {
  const opened = await cross({ upstream, ...crossing }, { answers, ...options }, more);
  closers.push(opened.close);
  return opened;
}

describe.each([NEW, OLD])("a client of %s", (front) => {
  describe.each([NEW, OLD])("and a server of %s", (behind) => {
    it.each(["memory", "http"] as const)("meet over %s", async (over) => {
      const crossing = { front, behind, over };
      const { client } = await open(crossing);
      await journey(client, { upstream, ...crossing });
    });
  });
});

describe("a parked call", () => {
  const crossing = { front: NEW, behind: OLD, over: "http" } as const;
  const ask = (client: Awaited<ReturnType<typeof open>>["client"], more: object = {}) =>
    client.requestOnce("tools/call", { name: "up_ask_twice", arguments: {}, ...more });
  const answer = (result: Record<string, unknown>, word: string) => {
    const [key = ""] = Object.keys(result.inputRequests as object);
    return { requestState: result.requestState, inputResponses: { [key]: { action: "accept", content: { word } } } };
  };

  it("goes on where it was: the server is called once", async () => {
    const { client } = await open(crossing);
    const calls = async () => JSON.parse(textOf(await client.call("up_seen"))).calls;
    const before = await calls();
    const first = await ask(client);
    expect(first).toMatchObject({ resultType: "input_required" });
    const second = await ask(client, answer(first, "a"));
    expect(second).toMatchObject({ resultType: "input_required" });
    expect(await ask(client, answer(second, "b"))).toMatchObject({ content: [{ text: "a b" }] });
    expect(await calls()).toBe(before + 1);
    // Its state is worth nothing any more.
    await expect(ask(client, answer(second, "b"))).rejects.toThrow("not open any more");
  });

  it("is refused on another process, and to another caller", async () => {
    const one = await open(crossing);
    const other = await open(crossing);
    const first = await ask(one.client);
    await expect(ask(other.client, answer(first, "a"))).rejects.toThrow("requestState is invalid");
    await expect(
      one.client.requestOnce("tools/call", { name: "up_echo", arguments: {}, ...answer(first, "a") }),
    ).rejects.toThrow("requestState is invalid");
  });

  it("goes on at another node, and comes back", async () => {
    const shared = { cluster: memoryCluster(), keys: [new Uint8Array(32).fill(7)] };
    const one = await open(crossing, {}, shared);
    const other = await open(crossing, {}, shared);
    const first = await ask(one.client);
    const second = await ask(other.client, answer(first, "a"));
    expect(second).toMatchObject({ resultType: "input_required" });
    expect(await ask(other.client, answer(second, "b"))).toMatchObject({ content: [{ text: "a b" }] });
    await expect.poll(() => one.server.metrics().mounts?.parkedCalls).toBe(0);
    const again = await ask(one.client);
    const then = await ask(other.client, answer(again, "c"));
    expect(await ask(one.client, answer(then, "d"))).toMatchObject({ content: [{ text: "c d" }] });
  });

  it("is bounded for each caller", async () => {
    const { client, server } = await open(crossing);
    const asked = [];
    for (let at = 0; at < 10; at++) asked.push(await ask(client));
    expect(await ask(client)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("Too many calls wait") }],
    });
    expect(server.metrics().mounts?.parkedCalls).toBe(10);
    const second = await ask(client, answer(asked[0] ?? {}, "a"));
    expect(await ask(client, answer(second, "b"))).toMatchObject({ content: [{ text: "a b" }] });
    expect(server.metrics().mounts?.parkedCalls).toBe(9);
  });

  it("of a caller who cannot be asked fails, and says why", async () => {
    const { client } = await open(crossing, { answers: undefined });
    const result = await client.call("up_ask_twice").catch((error) => error);
    expect(JSON.stringify(result.content ?? result.message)).toContain("elicitation");
  });
});

it("refuses an old caller without a session, who could not be asked", async () => {
  const { url } = await open({ front: NEW, behind: NEW, over: "http" });
  const response = await fetch(String(url), {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": OLD,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "up_ask_twice", arguments: {} },
    }),
  });
  expect(await response.text()).toContain("send initialize first");
});

it("joins two calls of one caller at a server that asks both", async () => {
  const { client } = await open({ front: OLD, behind: OLD, over: "http" });
  const both = await Promise.all([
    client.call("up_ask_twice"),
    client.call("up_ask_together"),
    client.call("up_ask_twice"),
  ]);
  expect(both.map(textOf)).toEqual(["one two", "l r", "one two"]);
});

it("keeps anonymous callers over HTTP apart", async () => {
  const { client, url } = await open({ front: NEW, behind: OLD, over: "http" });
  const other = await connect(String(url), { answers: ({ params }) => ({ word: `other ${params.message}` }) });
  closers.push(() => other.close());
  const [mine, theirs] = await Promise.all([client.call("up_ask_twice"), other.call("up_ask_twice")]);
  expect(textOf(mine)).toBe("one two");
  expect(textOf(theirs)).toBe("other First? other Second?");
});
