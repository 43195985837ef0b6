import { defineServer, defineTool, type ServerOptions } from "proffer";
import { connect } from "proffer/testing";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { FEATURES } from "../src/features/features.ts";
import type { Feature, FeatureRow } from "../src/server/feature.ts";

const NAME = "com.example/dogs";
const REVISIONS = ["2025-11-25", "2026-07-28"];

/** The calls of its hooks. */
const seen: string[] = [];
const bark = defineTool({ name: "bark", handle: () => "woof" });

/** An extension of the protocol that the core does not know: its whole code is in this file. */
const feature: Feature = {
  methods: {
    "dogs/count": { handle: () => ({ count: 3 }), isIn: ({ version }) => REVISIONS.includes(version) },
  },
  capabilities: (_server, { extensions }) =>
    extensions ? { extensions: { [NAME]: { breeds: 2 } } } : { experimental: { [NAME]: { breeds: 2 } } },
  attach: () => void seen.push("attach"),
  addsTools: () => true,
  list: (_call, list) => (list === "tools" ? { key: NAME, entries: [{ item: bark, position: 1000 }] } : undefined),
  findTool: (_call, name) => (name === bark.name ? bark : undefined),
  around(call, work) {
    if (call.method === "dogs/count") seen.push("around");
    return work(call);
  },
  open: () => void seen.push("open"),
  drain: async () => void seen.push("drain"),
  close: async () => void seen.push("close"),
};

let loads = 0;
const row: FeatureRow = {
  isNeeded: ({ options }) => options.name === "kennel",
  hasLifespan: true,
  dependsOnClient: ({ method, server }) => method === "tools/list" && server.info.name === "kennel",
  async load() {
    loads += 1;
    return { feature };
  },
};
const table = FEATURES as FeatureRow[];
table.push(row);
afterAll(() => void table.splice(table.indexOf(row), 1));

beforeEach(() => {
  seen.length = 0;
  loads = 0;
});

function serverOf(name: string, options: Partial<ServerOptions> = {}) {
  return defineServer({ ...options, name, version: "1", tools: [defineTool({ name: "own", handle: () => "own" })] });
}

describe("an extension that is defined outside of the core", () => {
  it.each([
    ["2025-11-25", "experimental"],
    ["2026-07-28", "extensions"],
  ])("is a capability and a method on %s, and adds to a list", async (revision, kind) => {
    const client = await connect(serverOf("kennel"), { revision });
    expect(client.opened.capabilities).toMatchObject({ [kind]: { [NAME]: { breeds: 2 } } });
    expect(await client.request("dogs/count")).toMatchObject({ count: 3 });
    expect((await client.listTools()).map(({ name }) => name)).toEqual(["own", "bark"]);
    expect((await client.call("bark")).content).toMatchObject([{ text: "woof" }]);
    await client.close();
    expect([...new Set(seen)]).toEqual(["attach", "open", "around", "drain", "close"]);
  });

  it("keeps shared caches from answering other clients", async () => {
    const client = await connect(serverOf("kennel", { cache: { cacheScope: "public" } }));
    expect(await client.request("tools/list")).toMatchObject({ cacheScope: "private" });
    expect(await client.request("server/discover")).toMatchObject({ cacheScope: "public" });
    await client.close();
  });

  it("has no method in other revisions", async () => {
    const client = await connect(serverOf("kennel"), { revision: "2025-06-18" });
    await expect(client.request("dogs/count")).rejects.toMatchObject({ code: -32601 });
    await client.close();
  });

  it("is not loaded by a server that does not need it", async () => {
    const client = await connect(serverOf("shop"));
    await expect(client.request("dogs/count")).rejects.toMatchObject({ code: -32601 });
    expect((await client.listTools()).map(({ name }) => name)).toEqual(["own"]);
    await client.close();
    expect({ loads, seen }).toEqual({ loads: 0, seen: [] });
  });

  it("keeps a server that needs it from being served if it cannot be loaded", async () => {
    const { load } = row;
    Object.assign(row, { load: () => Promise.reject(new Error("gone")) });
    await expect(connect(serverOf("kennel"), {})).rejects.toThrow("gone");
    Object.assign(row, { load });
  });

  it("refuses requests if a client needs it and it cannot be loaded", async () => {
    const log = vi.fn();
    const late: FeatureRow = {
      isNeeded: () => false,
      isNeededBy: ({ method, server }) => method === "tools/list" && server.info.name === "late",
      load: () => Promise.reject(new Error("gone")),
    };
    table.push(late);
    const client = await connect(serverOf("late", { log }));
    for (let n = 0; n < 2; n++) await expect(client.listTools()).rejects.toMatchObject({ code: -32603 });
    expect(log).toHaveBeenCalledWith(expect.objectContaining({ error: expect.objectContaining({ message: "gone" }) }));
    table.splice(table.indexOf(late), 1);
  });
});
