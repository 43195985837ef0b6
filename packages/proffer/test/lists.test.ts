import { definePrompt, defineResource, defineServer, defineTool, type Server } from "proffer";
import { connect, type JsonObject, type TestClient } from "proffer/testing";
import { describe, expect, it } from "vitest";
import server from "./fixtures/features.ts";
import { describeMatrix } from "./matrix.ts";
import { EVERY, LEGACY } from "./versions.ts";

/** The lists: the method, the key of the result, the key that identifies an entry, and the number of entries. */
const LISTS = [
  ["tools/list", "tools", "name", 15],
  ["prompts/list", "prompts", "name", 6],
  ["resources/list", "resources", "uri", 7],
  ["resources/templates/list", "resourceTemplates", "uriTemplate", 6],
] as const;

async function pages(client: TestClient, method: string): Promise<JsonObject[]> {
  const all = [await client.request(method)];
  for (let cursor = all[0]?.nextCursor; cursor !== undefined; cursor = all.at(-1)?.nextCursor) {
    all.push(await client.request(method, { cursor }));
  }
  return all;
}

describeMatrix({ server, module: "features.ts" }, EVERY, (leg) => {
  it.each(LISTS)("%s returns all entries in pages, in the order of registration", async (method, key, id, total) => {
    const found = await pages(leg.client, method);
    const sizes = found.map((page) => (page[key] as JsonObject[]).length);
    expect(sizes).toEqual([...Array(Math.floor(total / 4)).fill(4), total % 4]);
    const names = found.flatMap((page) => (page[key] as JsonObject[]).map((item) => item[id]));
    expect(new Set(names).size).toBe(total);
    expect(found.at(-1)).not.toHaveProperty("nextCursor");
  });

  it.each(LISTS)("%s rejects a foreign or modified cursor", async (method) => {
    const { nextCursor } = (await leg.client.request(method)) as { nextCursor: string };
    const other = method === "tools/list" ? "prompts/list" : "tools/list";
    const { nextCursor: foreign } = await leg.client.request(other);
    const middle = Math.floor(nextCursor.length / 2);
    const changed = nextCursor.charAt(middle) === "A" ? "B" : "A";
    const tampered = nextCursor.slice(0, middle) + changed + nextCursor.slice(middle + 1);
    for (const cursor of [foreign, tampered, `${nextCursor}A`, nextCursor.slice(1), "", "4", 4, null, {}, ["4"]]) {
      await expect(leg.client.request(method, { cursor })).rejects.toMatchObject({
        code: -32602,
        message: "params.cursor is not a cursor of this list. Start again without one.",
      });
    }
  });

  it("a cursor may be used more than once", async () => {
    const { nextCursor } = await leg.client.request("tools/list");
    const first = await leg.client.request("tools/list", { cursor: nextCursor });
    const second = await leg.client.request("tools/list", { cursor: nextCursor });
    expect(second.tools).toEqual(first.tools);
  });
});

const named = (name: string) => defineTool({ name, handle: () => name });
const names = (page: JsonObject) => (page.tools as { name: string }[]).map(({ name }) => name);

function createServer(): Server {
  const tools = ["a", "b", "c", "d", "e", "f"].map(named);
  return defineServer({ name: "s", version: "1", pageSize: 2, tools, log: () => {} });
}

describe("a list that changes between two pages", () => {
  it("includes new entries, and no entry twice", async () => {
    const changing = createServer();
    const client = await connect(changing);
    const first = await client.request("tools/list");
    changing.tools.add(named("g"));
    const rest = await client.request("tools/list", { cursor: first.nextCursor });
    const last = await client.request("tools/list", { cursor: rest.nextCursor });
    const end = await client.request("tools/list", { cursor: last.nextCursor });
    expect([first, rest, last, end].map(names)).toEqual([["a", "b"], ["c", "d"], ["e", "f"], ["g"]]);
    expect(end).not.toHaveProperty("nextCursor");
  });

  it("skips nothing when entries before and after the cursor are removed", async () => {
    const changing = createServer();
    const client = await connect(changing);
    const first = await client.request("tools/list");
    for (const name of ["a", "b", "c"]) changing.tools.remove(name);
    const rest = await client.request("tools/list", { cursor: first.nextCursor });
    expect(names(rest)).toEqual(["d", "e"]);
    expect(names(await client.request("tools/list", { cursor: rest.nextCursor }))).toEqual(["f"]);
  });

  it("ends with an empty page when all remaining entries are removed", async () => {
    const changing = createServer();
    const client = await connect(changing);
    const { nextCursor } = await client.request("tools/list");
    for (const name of ["c", "d", "e", "f"]) changing.tools.remove(name);
    const rest = await client.request("tools/list", { cursor: nextCursor });
    expect(names(rest)).toEqual([]);
    expect(rest).not.toHaveProperty("nextCursor");
  });

  it("moves an entry that is removed and added again to its new position", async () => {
    const changing = createServer();
    const client = await connect(changing);
    changing.tools.remove("a");
    changing.tools.add(named("a"));
    expect((await client.listTools()).map(({ name }) => name)).toEqual(["b", "c", "d", "e", "f", "a"]);
  });
});

describe("a cursor", () => {
  it("is valid only in processes with the same keys and server name", async () => {
    const keys = [Buffer.alloc(32, 7)];
    const create = (own: Buffer[], name = "s") =>
      defineServer({ name, version: "1", pageSize: 1, keys: own, tools: [named("a"), named("b")], log: () => {} });
    const { nextCursor } = await (await connect(create(keys))).request("tools/list");
    const same = await connect(create([Buffer.alloc(32, 8), ...keys]));
    expect(names(await same.request("tools/list", { cursor: nextCursor }))).toEqual(["b"]);
    for (const other of [create([Buffer.alloc(32, 8)]), create(keys, "another name")]) {
      const client = await connect(other);
      await expect(client.request("tools/list", { cursor: nextCursor })).rejects.toMatchObject({ code: -32602 });
    }
  });

  it("is opaque", async () => {
    const { nextCursor } = await (await connect(createServer())).request("tools/list");
    expect(nextCursor).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(Buffer.from(String(nextCursor), "base64url").toString("latin1")).not.toContain("tools");
  });
});

describe("an empty list", () => {
  it("exists if the server was defined with it", async () => {
    const client = await connect(defineServer({ name: "s", version: "1", tools: [], prompts: [], resources: [] }));
    expect(await client.listTools()).toEqual([]);
    expect(await client.listPrompts()).toEqual([]);
    expect(await client.listResources()).toEqual([]);
    expect(await client.listTemplates()).toEqual([]);
  });

  it.each(LEGACY)("is returned on %s without the capability", async (revision) => {
    const client = await connect(defineServer({ name: "s", version: "1" }), { revision });
    const [opened = "{}"] = client.transcript.messages("server");
    expect(JSON.parse(opened).result.capabilities).toEqual({ logging: {} });
    for (const [method, key] of LISTS) expect(await client.request(method)).toEqual({ [key]: [] });
    await expect(client.read("s://r")).rejects.toMatchObject({ code: -32601 });
  });

  it("does not exist on 2026-07-28 without the capability, until an item is added", async () => {
    const bare = defineServer({ name: "s", version: "1" });
    const client = await connect(bare);
    expect((await client.request("server/discover")).capabilities).toEqual({ logging: {} });
    for (const [method] of LISTS) await expect(client.request(method)).rejects.toMatchObject({ code: -32601 });
    bare.tools.add(named("a"));
    bare.prompts.add(definePrompt({ name: "p", get: () => "" }));
    bare.resources.add(defineResource({ uri: "s://r", name: "r", content: "" }));
    for (const [method] of LISTS) await expect(client.request(method)).resolves.toBeDefined();
    expect((await client.request("server/discover")).capabilities).toMatchObject({
      tools: {},
      prompts: {},
      resources: {},
    });
  });
});
