import { setImmediate as turn } from "node:timers/promises";
import { defineServer, defineTool, field, type Store } from "proffer";
import { connect, type TestClient } from "proffer/testing";
import { afterEach, describe, expect, it, vi } from "vitest";
import { MemoryStore } from "../../src/calls/store.ts";

const CAPACITY = 100_000;
const HOUR = 60 * 60 * 1000;
const BUSY = { code: -31000, message: expect.stringContaining("single-use answers") };
const ACCEPT = { action: "accept", content: { yes: true } };

let runs = 0;

/** One node of a server; all of them have the same key. */
function node(store: Store) {
  const tool = defineTool({
    name: "pay",
    singleUse: true,
    handle: async (_, ctx) => {
      await ctx.ask("Sure?", { yes: field.boolean() });
      return ++runs;
    },
  });
  return defineServer({ name: "pay", version: "1", keys: [new Uint8Array(32)], log: () => {}, store, tools: [tool] });
}

async function begin(client: TestClient): Promise<unknown> {
  return (await client.requestOnce("tools/call", { name: "pay" })).requestState;
}

function finish(client: TestClient, requestState: unknown, answer: unknown = ACCEPT) {
  return client.requestOnce("tools/call", { name: "pay", requestState, inputResponses: { question_1: answer } });
}

/** A store that answers later, as one behind a network does. */
function remoteStore(): Store {
  const memory = new MemoryStore();
  return {
    async claim(...claim) {
      await turn();
      const claimed = memory.claim(...claim);
      await turn();
      return claimed;
    },
  };
}

/** A store whose promises are not instances of Promise. */
function thenableStore(): Store {
  const store = remoteStore();
  return {
    claim(...claim) {
      const claimed = Promise.resolve(store.claim(...claim));
      // biome-ignore lint/suspicious/noThenProperty: the promise of another library
      return { then: (...callbacks: Parameters<typeof claimed.then>) => claimed.then(...callbacks) } as never;
    },
  };
}

afterEach(() => {
  vi.useRealTimers();
});

describe("the state of a single-use tool", () => {
  it.each([
    ["in memory", () => new MemoryStore()],
    ["behind a network", remoteStore],
    ["that returns the promises of another library", thenableStore],
  ])("succeeds once if two nodes that share a store %s receive it twenty times at once", async (_, create) => {
    const store = create();
    const nodes = [await connect(node(store)), await connect(node(store))] as const;
    const state = await begin(nodes[0]);
    runs = 0;
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => finish(nodes[n % 2 === 0 ? 0 : 1], state)),
    );
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === "fulfilled") continue;
      expect(outcome.reason).toMatchObject({ code: -32602, message: expect.stringContaining("already used") });
    }
    await expect(finish(nodes[1], state)).rejects.toMatchObject({ code: -32602 });
    expect(runs).toBe(1);
  });

  it("is rejected on a second node while the store fails, and stays usable", async () => {
    let down = true;
    const memory = new MemoryStore();
    const store: Store = {
      claim: async (...claim) => {
        if (down) throw new Error("the store is down");
        return memory.claim(...claim);
      },
    };
    const client = await connect(node(store));
    const state = await begin(client);
    runs = 0;
    await expect(finish(client, state)).rejects.toMatchObject({ code: -32603 });
    expect(runs).toBe(0);
    down = false;
    expect(await finish(client, state)).toMatchObject({ resultType: "complete" });
  });

  it("stays usable after an invalid answer, and is used up by a valid one", async () => {
    const client = await connect(node(new MemoryStore()));
    const state = await begin(client);
    for (const invalid of [5, null, {}, { action: "agree" }, { action: "accept", content: { yes: "maybe" } }]) {
      await expect(finish(client, state, invalid)).rejects.toMatchObject({ code: -32602 });
    }
    expect(await finish(client, state)).toMatchObject({ resultType: "complete" });
    await expect(finish(client, state)).rejects.toMatchObject({ message: expect.stringContaining("already used") });
  });

  it("is used up by a round without answers, whose new state then has the only answer", async () => {
    const client = await connect(node(new MemoryStore()));
    const state = await begin(client);
    const again = await client.requestOnce("tools/call", { name: "pay", requestState: state, inputResponses: {} });
    const [key = ""] = Object.keys(again.inputRequests as object);
    await expect(finish(client, state)).rejects.toMatchObject({ code: -32602 });
    const answer = { name: "pay", requestState: again.requestState, inputResponses: { [key]: ACCEPT } };
    expect(await client.requestOnce("tools/call", answer)).toMatchObject({ resultType: "complete" });
    await expect(client.requestOnce("tools/call", answer)).rejects.toMatchObject({ code: -32602 });
  });

  it("is accepted from other callers while one caller has filled its share of the store", async () => {
    const store = new MemoryStore();
    const server = node(store);
    fill(store, "mallory");
    const mallory = await connect(server, { principal: { id: "mallory" } });
    await expect(finish(mallory, await begin(mallory))).rejects.toMatchObject(BUSY);
    for (const caller of [{ principal: { id: "alice" } }, {}]) {
      const client = await connect(server, caller);
      expect(await finish(client, await begin(client))).toMatchObject({ resultType: "complete" });
    }
  });
});

/** Claims keys for an owner until the store refuses. Returns their number. */
function fill(store: MemoryStore, owner: string | undefined): number {
  for (let n = 0; n <= CAPACITY; n++) {
    try {
      store.claim(`${owner} ${n}`, HOUR, owner);
    } catch {
      return n;
    }
  }
  throw new Error("The store is not bounded.");
}

describe("the store in memory", () => {
  it("has room for a caller after 50 others and all anonymous callers have filled their shares", () => {
    const store = new MemoryStore();
    expect(fill(store, "mallory")).toBe(9_091);
    let total = 9_091;
    for (let n = 1; n < 50; n++) total += fill(store, `mallory ${n}`);
    total += fill(store, undefined);
    expect(total).toBeLessThan(CAPACITY);
    expect(fill(store, "alice")).toBeGreaterThan(10);
  });

  it("gives anonymous callers half of its room if nobody else uses it", () => {
    expect(fill(new MemoryStore(), undefined)).toBe(CAPACITY / 2);
  });

  it("claims a key once until it expires, and has its room back then", () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 0 });
    const store = new MemoryStore();
    expect(store.claim("short", 10, "alice")).toBe(true);
    expect(store.claim("short", 10, "bob")).toBe(false);
    vi.setSystemTime(11);
    expect(store.claim("short", HOUR, "alice")).toBe(true);
    const share = fill(store, "mallory");
    // Expired, but behind a key that has not: it can be claimed again.
    vi.setSystemTime(12);
    expect(store.claim("between", 1, "alice")).toBe(true);
    vi.setSystemTime(14);
    expect(store.claim("between", 1, "alice")).toBe(true);
    vi.setSystemTime(14 + HOUR);
    expect(fill(store, "mallory")).toBe(share);
  });
});
