import { defineResource } from "proffer";
import { describe, expect, it } from "vitest";
import { as, namesOf, openShop, order, REVISIONS, terms } from "./shop.ts";

const ALL = ["read_resource", "order", "list_order", "logo"];

describe("who has tools that read resources", () => {
  it.each(["Zed", "ChatGPT", "claude-ai", "Visual Studio Code - Insiders"])(
    "auto: %s, whose model cannot",
    async (name) => {
      expect(await namesOf(openShop(), name)).toEqual(ALL);
    },
  );

  it.each(["claude-code", "codex-mcp-client", "cursor-vscode", "somebody", "zed", "", "__proto__"])(
    "auto: not %j, whose model can or is unknown",
    async (name) => {
      const server = openShop({ tools: [] });
      expect(await namesOf(server, name)).toEqual([]);
      const client = await as(server, name);
      await expect(client.call("order", { id: "1" })).rejects.toMatchObject({ code: -32602 });
    },
  );

  it("always: every client; never: none", async () => {
    expect(await namesOf(openShop({ resourceTools: "always" }), "somebody")).toEqual(ALL);
    expect(await namesOf(openShop({ resourceTools: "never", tools: [] }), "Zed")).toEqual([]);
    const client = await as(openShop({ resourceTools: "never", tools: [] }), "Zed");
    await expect(client.call("order", { id: "1" })).rejects.toMatchObject({ code: -32602 });
  });

  it("a resource with tool: every client, whatever the option", async () => {
    const hours = defineResource({ uri: "shop://hours", name: "Hours", tool: true, content: "9 to 5" });
    const resources = [terms, hours, order];
    for (const resourceTools of ["auto", "never"] as const) {
      const client = await as(openShop({ resources, resourceTools }), "somebody");
      expect((await client.listTools()).map(({ name }) => name)).toEqual(["Hours"]);
      expect(await client.call("Hours")).toMatchObject({ content: [{ text: "9 to 5" }, { type: "resource_link" }] });
      await expect(client.call("order", { id: "1" })).rejects.toMatchObject({ code: -32602 });
    }
    expect(await namesOf(openShop({ resources }), "Zed")).toEqual(["read_resource", "Hours", "order", "list_order"]);
  });

  it.each([["sometimes"], [true], [null]])("refuses resourceTools: %j", (resourceTools) => {
    expect(() => openShop({ resourceTools: resourceTools as never })).toThrow('must be "auto", "always" or "never"');
  });

  it("refuses a flag tool that is neither true nor false", () => {
    expect(() => defineResource({ uri: "a://b", name: "b", tool: "yes" as never, content: "" })).toThrow(
      'Resource a://b: tool must be true or false, not "yes".',
    );
  });
});

describe.each(REVISIONS)("on %s", (revision) => {
  it("declares tools only to clients that have some", async () => {
    const capabilities = async (name: string) => {
      const client = await as(openShop(), name, { revision });
      if (revision === "2026-07-28") return (await client.request("server/discover")).capabilities as object;
      const [, answer = ""] = client.transcript.toString().split("\n");
      return JSON.parse(answer.slice(answer.indexOf("{"))).result.capabilities as object;
    };
    expect(Object.keys(await capabilities("Zed"))).toContain("tools");
    expect(Object.keys(await capabilities("somebody"))).not.toContain("tools");
  });

  it("reads templates, fixed resources and lists", async () => {
    const client = await as(openShop(), "Zed", { revision });
    const text = async (name: string, input: object) => {
      const { content } = await client.call(name, input as never);
      expect(content).toHaveLength(1);
      return (content[0] as { text: string }).text;
    };
    expect(JSON.parse(await text("order", { id: "7", limit: 5, sort: "up", tag: ["a", "b"] }))).toEqual({
      id: "7",
      limit: 5,
      sort: "up",
      tag: ["a", "b"],
    });
    expect(await text("read_resource", { uri: "shop://terms" })).toBe("# Terms");
    expect(JSON.parse(await text("list_order", {})).resources[0]).toEqual({
      uri: "orders://1",
      name: "orders://1",
      mimeType: "application/json",
      arguments: { id: "1" },
    });
  });

  it("answers with the messages of the resource, as a result that the model can correct", async () => {
    const client = await as(openShop(), "Zed", { revision });
    for (const [id, uri] of [
      ["404", "orders://404"],
      ["x", "orders://x"],
    ] as const) {
      const read = await client.read(uri).catch((error: Error) => error.message);
      expect(await client.call("order", { id })).toMatchObject({ isError: true, content: [{ text: read }] });
    }
    const tooMany = await client.read("orders://1?limit=1001").catch((error: Error) => error.message);
    expect(await client.call("order", { id: "1", limit: 1001 })).toMatchObject({
      isError: true,
      content: [{ text: tooMany }],
    });
  });
});
