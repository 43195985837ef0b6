import {
  definePrompt,
  defineResource,
  defineServer,
  defineTool,
  type LogEntry,
  type Principal,
  type Shows,
} from "proffer";
import { serveHttp } from "proffer/http";
import { connect } from "proffer/testing";
import { describe, expect, it } from "vitest";
import { openEvents } from "../http/event-client.ts";
import { legacy, modern, openSession, post, postModern } from "../http/http-client.ts";
import { as, authenticate, openDesk } from "./desk.ts";

const byRole: Shows = (item, { principal }) => !nameOf(item).startsWith("admin") || principal?.role === "admin";

function nameOf(item: Parameters<Shows>[0]): string {
  return item.kind === "resource" ? item.uri : item.name;
}

const ADMIN: Principal = { id: "ada", role: "admin" };
const USER: Principal = { id: "bob", role: "user" };

function openOffice(log?: (entry: LogEntry) => void, shows = byRole) {
  return defineServer({
    name: "office",
    version: "1.0.0",
    shows,
    ...(log && { log }),
    tools: [
      defineTool({ name: "admin_reset", handle: () => "reset" }),
      defineTool({ name: "open", handle: () => "open" }),
    ],
    prompts: [
      definePrompt({ name: "admin_note", arguments: { a: { complete: ["1"] } }, get: () => "note" }),
      definePrompt({ name: "note", get: () => "note" }),
    ],
    resources: [
      defineResource({ uri: "admin://log", name: "Log", content: "log" }),
      defineResource({ uri: "admin://{part}", name: "Part", list: () => [{ uri: "admin://x" }], read: () => "part" }),
      defineResource({ uri: "desk://x", name: "X", content: "x" }),
      defineResource({ uri: "{scheme}://{name}", name: "Any", read: ({ name }) => `any ${name}` }),
    ],
  });
}

describe("an item that is not shown", () => {
  it("is in no list", async () => {
    const names = async (principal: Principal) => {
      const client = await connect(openOffice(), { principal });
      const { tools } = (await client.request("tools/list")) as { tools: { name: string }[] };
      const { prompts } = (await client.request("prompts/list")) as { prompts: { name: string }[] };
      const { resources } = (await client.request("resources/list")) as { resources: { uri: string }[] };
      const listed = (await client.request("resources/templates/list")) as { resourceTemplates: { name: string }[] };
      await client.close();
      return [tools, prompts, listed.resourceTemplates]
        .map((list) => list.map(({ name }) => name))
        .concat([resources.map(({ uri }) => uri)]);
    };
    expect(await names(ADMIN)).toEqual([
      ["admin_reset", "open"],
      ["admin_note", "note"],
      ["Part", "Any"],
      ["admin://log", "desk://x", "admin://x"],
    ]);
    expect(await names(USER)).toEqual([["open"], ["note"], ["Any"], ["desk://x"]]);
  });

  it.each([
    ["tools/call", { name: "admin_reset" }, { name: "admin_resex" }],
    ["prompts/get", { name: "admin_note" }, { name: "admin_nota" }],
    [
      "completion/complete",
      { ref: { type: "ref/prompt", name: "admin_note" }, argument: { name: "a", value: "" } },
      { ref: { type: "ref/prompt", name: "admin_nota" }, argument: { name: "a", value: "" } },
    ],
    [
      "completion/complete",
      { ref: { type: "ref/resource", uri: "admin://{part}" }, argument: { name: "part", value: "" } },
      { ref: { type: "ref/resource", uri: "admin://{pary}" }, argument: { name: "part", value: "" } },
    ],
  ])("is answered as if it did not exist: %s %j", async (method, hidden, absent) => {
    const client = await connect(openOffice(), { principal: USER });
    const answer = async (params: object) => {
      const error = await client.request(method, params as never).catch((thrown) => thrown);
      return JSON.stringify({ code: error.code, message: error.message, data: error.data });
    };
    const never = (await answer(absent))
      .replaceAll("admin_resex", "admin_reset")
      .replaceAll("admin_nota", "admin_note");
    expect(await answer(hidden)).toBe(never.replaceAll("{pary}", "{part}"));
    await client.close();
  });

  it("does not keep anonymous callers over HTTP from updates of resources that they see", async () => {
    const server = openOffice();
    const service = await serveHttp(server, { port: 0 });
    const session = await openSession(service.url);
    await post(service.url, legacy("resources/subscribe", { uri: "desk://x" }), session);
    const events = await openEvents(service.url, { headers: session });
    server.notify("desk://x");
    expect(await events.message(({ method }) => method === "notifications/resources/updated")).toMatchObject({
      params: { uri: "desk://x" },
    });
    events.close();
    await service.close();
  });

  it("is answered as if it did not exist if it has arguments in headers, which are missing", async () => {
    const input = { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } } as const;
    const tools = [defineTool({ name: "admin_move", input, handle: () => "moved" })];
    const server = defineServer({ name: "office", version: "1", shows: byRole, tools });
    const service = await serveHttp(server, { port: 0, authenticate: () => USER });
    const answer = async (name: string) => {
      const { status, json } = await postModern(
        service.url,
        modern("tools/call", { name, arguments: { region: "eu" } }),
      );
      return { status, error: json.error };
    };
    const hidden = await answer("admin_move");
    expect(hidden).toEqual(JSON.parse(JSON.stringify(await answer("admin_mova")).replaceAll("mova", "move")));
    expect(hidden.error.message).toContain('Unknown tool "admin_move"');
    await service.close();
  });

  it("does not hide a resource behind it", async () => {
    const client = await connect(openOffice(), { principal: USER });
    expect((await client.read("admin://log")).contents[0]).toMatchObject({ text: "any log" });
    await client.close();
  });

  it("is hidden if the function throws or does not return a boolean, with an entry in the log", async () => {
    for (const answer of [() => Promise.resolve(true), () => "yes", () => undefined]) {
      const entries: LogEntry[] = [];
      const client = await connect(
        openOffice((entry) => entries.push(entry), answer as never),
        { principal: ADMIN },
      );
      expect(await client.request("tools/list")).toMatchObject({ tools: [] });
      await expect(client.call("open")).rejects.toThrow('Unknown tool "open". tools/list returns the available tools.');
      expect(entries[0]?.message).toBe("The shows function failed, so the item is hidden");
      await client.close();
    }
  });

  it("contradicts a cache that callers share", () => {
    const define = () => defineServer({ name: "a", version: "1", shows: byRole, cache: { cacheScope: "public" } });
    expect(define).toThrow('cacheScope "public" contradicts shows');
  });
});

describe('lists: "granted"', () => {
  const names = async (url: string, token: string[], params = {}) => {
    const { json } = await postModern(url, modern("tools/list", params), as(...token));
    return json.result;
  };

  it("contains the items that the caller's scopes permit, and still challenges for guessed ones", async () => {
    const service = await serveHttp(openDesk({ lists: "granted" }).server, { port: 0, authenticate });
    const listed = async (...token: string[]) =>
      (await names(service.url, token)).tools.map(({ name }: { name: string }) => name);
    expect(await listed("ada")).toEqual(["hours", "refund"]);
    expect(await listed("ada", "orders:read")).toEqual(["hours", "find", "refund"]);
    const guessed = await postModern(service.url, modern("tools/call", { name: "find" }), as("ada"));
    expect(guessed.status).toBe(403);
    await service.close();
  });

  it("shows nothing of others with their cursor, and never mixes the lists of callers", async () => {
    const all = Array.from({ length: 7 }, (_, index) => `s${index}`);
    const server = defineServer({
      name: "many",
      version: "1",
      lists: "granted",
      pageSize: 2,
      tools: all.map((scope) => defineTool({ name: `t_${scope}`, scopes: [scope], handle: () => "" })),
    });
    const service = await serveHttp(server, { port: 0, authenticate });
    const { nextCursor } = await names(service.url, ["admin", ...all]);
    const foreign = await names(service.url, ["bob", "s1", "s4"], { cursor: nextCursor });
    expect(foreign.tools.map(({ name }: { name: string }) => name)).toEqual(["t_s4"]);
    // More sets than are kept, interleaved.
    const masks = Array.from({ length: 1000 }, (_, index) => (index * 37) % 128);
    for (let at = 0; at < masks.length; at += 50) {
      await Promise.all(
        masks.slice(at, at + 50).map(async (mask, index) => {
          const scopes = all.filter((_, bit) => mask & (1 << bit));
          let page = await names(service.url, [`user${at + index}`, ...scopes]);
          const seen: string[] = [];
          for (;;) {
            seen.push(...page.tools.map(({ name }: { name: string }) => name.slice(2)));
            if (page.nextCursor === undefined) break;
            page = await names(service.url, [`user${at + index}`, ...scopes], { cursor: page.nextCursor });
          }
          expect(seen).toEqual(scopes);
        }),
      );
    }
    await service.close();
  });

  it("follows items that are added and removed", async () => {
    const { server } = openDesk({ lists: "granted" });
    const client = await connect(server, { principal: { id: "ada", scopes: ["x"] } });
    const listed = async () => (await client.listTools()).map(({ name }) => name);
    expect(await listed()).toEqual(["hours", "refund"]);
    server.tools.add(defineTool({ name: "x", scopes: ["x"], handle: () => "" }));
    expect(await listed()).toEqual(["hours", "refund", "x"]);
    server.tools.remove("hours");
    expect(await listed()).toEqual(["refund", "x"]);
    await client.close();
  });

  it("can only be one of two words", () => {
    expect(() => openDesk({ lists: "some" as never })).toThrow('lists must be "all" or "granted", not "some"');
  });
});
