import { definePrompt, defineServer, defineTool, type Middleware, type Server, type ServerOptions } from "proffer";
import { createFacade } from "proffer/derived";
import { defineObserver } from "proffer/observe";
import { deny } from "proffer/policy";
import { connect } from "proffer/testing";
import { describe, expect, it } from "vitest";

const find = defineTool({
  name: "find",
  was: ["search", "look"],
  input: { type: "object", properties: { text: { type: "string" } } },
  handle: ({ text }) => `found ${text}`,
});
const greet = definePrompt({
  name: "greet",
  was: ["hello"],
  arguments: { name: { complete: ["Ada", "Grace"] } },
  get: ({ name }) => `Greet ${name}.`,
});

function serverWith(options: Partial<ServerOptions> = {}) {
  return defineServer({ name: "shop", version: "1.0.0", tools: [find], prompts: [greet], ...options });
}

describe("an earlier name", () => {
  it.each(["2024-11-05", "2025-11-25", "2026-07-28"])("is callable and not listed, in %s", async (revision) => {
    const client = await connect(serverWith(), { revision });
    for (const name of ["find", "search", "look"]) {
      expect(await client.call(name, { text: "pen" })).toMatchObject({ content: [{ text: "found pen" }] });
    }
    expect((await client.listTools()).map(({ name }) => name)).toEqual(["find"]);
    expect(JSON.stringify(await client.listTools())).not.toContain("search");
    expect(await client.get("hello", { name: "Ada" })).toMatchObject({
      messages: [{ content: { text: "Greet Ada." } }],
    });
    expect(await client.listPrompts()).toMatchObject([{ name: "greet" }]);
    await expect(client.call("searchh")).rejects.not.toThrow("search?");
    await client.close();
  });

  it("reaches middleware, observers and policies as the present name", async () => {
    const seen: unknown[] = [];
    const note: Middleware = (call, next) => {
      if (call.method === "tools/call") seen.push([call.name, call.params.name, call.alias, call.item?.name]);
      return next();
    };
    const observe = defineObserver({
      end: ({ method, name, alias }) => void (method === "tools/call" && seen.push([name, alias])),
    });
    const client = await connect(serverWith({ middleware: note, observe }));
    await client.call("search", { text: "pen" });
    await client.call("find", { text: "pen" });
    expect(seen).toEqual([
      ["find", "find", "search", "find"],
      ["find", "search"],
      ["find", "find", undefined, "find"],
      ["find", undefined],
    ]);
    const denied = await connect(serverWith({ middleware: deny({ names: ["find"] }) }));
    expect(await denied.call("search")).toMatchObject({ isError: true, content: [{ text: "Not permitted." }] });
  });

  it("has the scopes and the visibility of its item, and does not reveal a hidden one", async () => {
    const secret = defineTool({ name: "purge", was: ["wipe"], scopes: ["admin"], handle: () => "gone" });
    const restricted = defineServer({ name: "shop", version: "1.0.0", tools: [secret] });
    const client = await connect(restricted, { principal: { id: "ada", scopes: ["read"] } });
    await expect(client.call("wipe")).rejects.toMatchObject({ code: -31001 });
    const hidden = defineServer({ name: "shop", version: "1.0.0", tools: [secret], shows: () => false });
    const other = await connect(hidden, { principal: { id: "ada", scopes: ["admin"] } });
    await expect(other.call("wipe")).rejects.toThrow('Unknown tool "wipe"');
    await expect(other.call("wipe")).rejects.not.toThrow("purge");
  });

  it("continues a dialogue that began before the tool was renamed", async () => {
    const options = { input: { type: "object", properties: {} } } as const;
    const ask: Parameters<typeof defineTool>[0]["handle"] = async (_, ctx) =>
      (await ctx.ask("Sure?", { type: "object", properties: { ok: { type: "boolean" } } })).action;
    const [before, after] = [
      defineTool({ ...options, name: "charge", handle: ask }),
      defineTool({ ...options, name: "pay", was: ["charge"], handle: ask }),
    ].map((tool) => defineServer({ name: "shop", version: "1.0.0", tools: [tool] })) as [Server, Server];
    const same = <Item>(item: Item) => item;
    const substitutes = { tool: same, prompt: same, resource: same };
    const facade = createFacade(before, { substitutes, onStop: async () => {} });
    facade.present(before, []);
    const client = await connect(facade.server, {
      answers: () => {
        facade.present(after, ["tools"]);
        return { ok: true };
      },
    });
    expect(await client.call("charge")).toMatchObject({ content: [{ text: "accept" }] });
    expect(await client.listTools()).toMatchObject([{ name: "pay" }]);
    await client.close();
  });

  it("is completed like the present one", async () => {
    const client = await connect(serverWith());
    const ref = { type: "ref/prompt", name: "hello" };
    const result = await client.request("completion/complete", { ref, argument: { name: "name", value: "G" } });
    expect(result).toMatchObject({ completion: { values: ["Grace"] } });
    await client.close();
  });

  it("is an error if another item has it, in any order, and free again after its item is removed", () => {
    const search = defineTool({ name: "search", handle: () => 1 });
    const message = 'Duplicate tool "search", a name or an earlier name of';
    expect(() => serverWith({ tools: [find, search] })).toThrow(`${message} "search" and "find"`);
    expect(() => serverWith({ tools: [search, find] })).toThrow(`${message} "find" and "search"`);
    const other = defineTool({ name: "other", was: ["look"], handle: () => 1 });
    expect(() => serverWith({ tools: [find, other] })).toThrow('Duplicate tool "look"');
    const server = serverWith();
    expect(server.tools.get("search")).toBe(find);
    expect(server.tools.remove("search")).toBe(false);
    server.tools.remove("find");
    expect(server.tools.get("search")).toBeUndefined();
    server.tools.add(search);
    expect(server.tools.get("search")).toBe(search);
  });

  it.each([["text"], [["a b"]], [["find"]], [["x", "x"]], [[5]]])("must be valid: %j", (was) => {
    expect(() => defineTool({ name: "find", was: was as string[], handle: () => 1 })).toThrow(
      /was must be|Invalid tool name/,
    );
  });
});
