import { defineResource, defineTool } from "proffer";
import { connect } from "proffer/testing";
import { describe, expect, it } from "vitest";
import { stateOf } from "../../src/server/server.ts";
import { as, namesOf, openShop, terms } from "./shop.ts";

const ALL = ["read_resource", "order", "list_order", "logo"];

describe("the list of tools", () => {
  it("is serialized once per revision and kind of client, not per client", async () => {
    const server = openShop({ tools: [defineTool({ name: "own", handle: () => "" })] });
    for (const name of ["Zed", "ChatGPT", "Zed", "claude-ai", "somebody", "other"]) await namesOf(server, name);
    const pages = [...stateOf(server).pages.keys()].filter((key) => key.startsWith("tools"));
    expect(pages).toHaveLength(2);
  });

  it("has the author's tools first, and pages", async () => {
    const tools = ["b", "a"].map((name) => defineTool({ name, handle: () => name }));
    const server = openShop({ tools, pageSize: 2 });
    expect(await namesOf(server, "Zed")).toEqual(["b", "a", ...ALL]);
  });

  it("is private to caches if it depends on the client", async () => {
    const cache = { cacheScope: "public", ttlMs: 1000 } as const;
    const scopes = async (resourceTools: "auto" | "always" | "never", resources = [terms]) => {
      const client = await connect(openShop({ tools: [], cache, resourceTools, resources }));
      const methods = ["tools/list", "server/discover", "resources/list"];
      return Promise.all(methods.map(async (method) => (await client.request(method)).cacheScope));
    };
    expect(await scopes("auto")).toEqual(["private", "private", "public"]);
    expect(await scopes("always")).toEqual(["public", "public", "public"]);
    expect(await scopes("never")).toEqual(["public", "public", "public"]);
    expect(await scopes("auto", [])).toEqual(["public", "public", "public"]);
  });

  it.each(["2025-11-25", "2026-07-28"])(
    "changes with the resources, and only its clients are told, on %s",
    async (revision) => {
      const server = openShop({ tools: [] });
      const zed = await as(server, "Zed", { revision });
      const other = await as(server, "somebody", { revision });
      for (const client of [zed, other])
        if (revision === "2026-07-28") await client.listen({ lists: ["tools", "resources"] });
      server.resources.add(defineResource({ uri: "new://{id}", name: "new", read: ({ id }) => id }));
      await zed.waitFor("notifications/tools/list_changed");
      expect((await zed.listTools()).map(({ name }) => name)).toEqual([...ALL, "new"]);
      expect(await zed.call("new", { id: "1" })).toMatchObject({ content: [{ text: "1" }] });
      await other.waitFor("notifications/resources/list_changed");
      expect(other.transcript.toString()).not.toContain("tools/list_changed");
      for (const uri of [...server.resources].map((resource) => resource.uri)) server.resources.remove(uri);
      await zed.waitFor("notifications/tools/list_changed");
      expect(await zed.listTools()).toEqual([]);
      await expect(zed.call("order", { id: "1" })).rejects.toMatchObject({ code: -32602 });
    },
  );
});

describe("names", () => {
  const template = (name: string, uri: string) => defineResource({ uri, name, read: () => uri });

  it("are those of the resources, with read_ if a tool has the name or had it", async () => {
    const own = [
      defineTool({ name: "order", handle: () => "own" }),
      defineTool({ name: "renamed", was: ["logo", "read_resource"], handle: () => "own" }),
    ];
    const server = openShop({ tools: own });
    expect((await namesOf(server, "Zed")).slice(2)).toEqual([
      "read_fixed_resource",
      "read_order",
      "list_order",
      "read_logo",
    ]);
    const client = await as(server, "Zed");
    expect(await client.call("order")).toMatchObject({ content: [{ text: "own" }] });
    expect(await client.call("logo")).toMatchObject({ content: [{ text: "own" }] });
    expect(await client.call("read_order", { id: "1" })).toMatchObject({
      content: [{ text: expect.stringContaining('"1"') }],
    });
  });

  it("give way to a tool that is added later", async () => {
    const server = openShop({ tools: [] });
    const client = await as(server, "Zed");
    await client.listTools();
    server.tools.add(defineTool({ name: "order", handle: () => "own" }));
    expect(await client.call("order")).toMatchObject({ content: [{ text: "own" }] });
    expect((await client.listTools()).map(({ name }) => name)).toContain("read_order");
  });

  it("at a second clash, leave the resource out with a warning, once", async () => {
    const logged: string[] = [];
    const server = openShop({
      resources: [template("a", "a://{x}"), template("a", "b://{x}"), template("a", "c://{x}")],
      log: ({ message }) => void logged.push(message),
    });
    expect(await namesOf(server, "Zed")).toEqual(["a", "read_a"]);
    server.resources.add(terms);
    expect(await namesOf(server, "Zed")).toEqual(["read_resource", "a", "read_a"]);
    expect(logged).toEqual([
      "The resource c://{x} has no tool, because other tools are named a and read_a. Rename the resource or one of the tools.",
    ]);
  });

  it("at a second clash under always, keep the server from starting", async () => {
    const server = openShop({
      resourceTools: "always",
      tools: [defineTool({ name: "a", handle: () => "" }), defineTool({ name: "read_a", handle: () => "" })],
      resources: [template("a", "a://{x}")],
      log: () => undefined,
    });
    await expect(connect(server)).rejects.toThrow(
      'Server "shop": The resource a://{x} has no tool, because other tools are named a and read_a.',
    );
  });

  it("have only characters that every client accepts", async () => {
    const names = ["My Order!", "注文", "x".repeat(128), "a/b", "toString ", "..", "-", "<script>"];
    const resources = names.map((name, i) => template(name, `s${i}://{x}`));
    const shown = await namesOf(openShop({ resources }), "Zed");
    expect(shown).toHaveLength(names.length);
    expect(new Set(shown).size).toBe(names.length);
    for (const name of shown) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(shown.slice(0, 2)).toEqual(["My_Order", "s1_x"]);
  });

  it("are shortened by adapt, and called by the shortened name", async () => {
    const long = template(`${"reports_".repeat(7)}x`, "long://{x}");
    const client = await as(openShop({ adapt: true, resources: [long] }), "Visual Studio Code");
    const [tool] = await client.listTools();
    expect(await client.call(tool?.name ?? "", { x: "1" } as never)).toMatchObject({
      content: [{ text: "long://{x}" }, {}],
    });
  });
});
