import { defineResource, param } from "proffer";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { as, openShop, order, terms } from "./shop.ts";

describe("a tool that reads a template", () => {
  const listed = async (server = openShop()) => (await as(server, "Zed")).listTools();

  it("has the variables with the words of their checks", async () => {
    const [, tool] = await listed();
    expect(tool).toMatchObject({
      name: "order",
      title: "Order",
      description: "One order.\n\nReads the resource orders://{id}{?limit,sort,tag*} (application/json).",
      annotations: { readOnlyHint: true, openWorldHint: false },
      inputSchema: {
        type: "object",
        properties: {
          id: { type: "string", pattern: "^(?:\\d+)$" },
          limit: { type: "integer", minimum: 0, maximum: 1000, default: 100 },
          sort: { type: "string", enum: ["up", "down"] },
          tag: { type: "array", items: { type: "string", pattern: "^[a-z]+$" } },
        },
        required: ["id"],
        additionalProperties: false,
      },
    });
  });

  it("describes dates, schemas of libraries and sets of characters", async () => {
    const resource = defineResource({
      uri: "a://{day}/{set}{?n,when,free}",
      name: "a",
      params: {
        day: param.date(),
        set: param.charset("-a-z\\]^_"),
        n: z.number().max(5).optional(),
        when: z.coerce.date().optional(),
      },
      read: () => "",
    });
    const [tool] = await listed(openShop({ resources: [resource] }));
    const { properties } = (tool?.inputSchema ?? {}) as { properties: Record<string, { pattern: string }> };
    expect(properties).toMatchObject({
      day: { type: "string", format: "date" },
      n: { type: "number", maximum: 5 },
      when: { type: "string" },
      free: { type: "string" },
    });
    const set = new RegExp(properties.set?.pattern ?? "", "u");
    for (const char of "-az\\]^_") expect(char).toMatch(set);
    for (const char of ["[", "A", "", "`"]) expect(char).not.toMatch(set);
  });

  it("accepts numbers and booleans, and refuses other arguments", async () => {
    const client = await as(openShop(), "Zed");
    expect(await client.call("order", { id: 7 })).toMatchObject({
      content: [{ text: expect.stringContaining('"7"') }],
    });
    for (const input of [{}, { id: { a: 1 } }, { id: "1", more: 1 }, { id: "1", tag: "a" }]) {
      const { isError, content } = await client.call("order", input as never);
      expect({ isError, text: (content[0] as { text: string }).text }).toEqual({
        isError: true,
        text: expect.stringContaining('Invalid arguments for tool "order"'),
      });
    }
  });

  it("refuses a URI that is too long, as the resource does", async () => {
    const client = await as(openShop(), "Zed");
    expect(await client.call("order", { id: "1".repeat(100_000) })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("the limit is") }],
    });
  });

  it("returns images as images, other bytes embedded, and a link where the client shows links", async () => {
    const bytes = defineResource({
      uri: "zip://{id}",
      name: "zip",
      mimeType: "application/zip",
      read: () => new Uint8Array([1]),
    });
    const sound = defineResource({
      uri: "wav://{id}",
      name: "sound",
      mimeType: "audio/wav",
      read: () => new Uint8Array([1]),
    });
    const server = openShop({ resources: [bytes, sound] });
    const chat = await as(server, "ChatGPT");
    expect((await chat.call("zip", { id: "1" })).content).toEqual([
      { type: "resource", resource: { uri: "zip://1", mimeType: "application/zip", blob: "AQ==" } },
      { type: "resource_link", uri: "zip://1", name: "zip", mimeType: "application/zip" },
    ]);
    expect((await chat.call("sound", { id: "1" })).content[0]).toEqual({
      type: "audio",
      data: "AQ==",
      mimeType: "audio/wav",
    });
    const zed = await as(server, "Zed");
    expect((await zed.call("zip", { id: "1" })).content).toEqual([
      { type: "text", text: "zip://1 is not text, but application/zip." },
    ]);
    expect((await (await as(openShop(), "Zed")).call("logo", { part: "a" })).content).toEqual([
      { type: "image", data: "iVBORw==", mimeType: "image/png" },
    ]);
  });

  it("writes the arguments as a URI that means exactly them", async () => {
    const file = defineResource({
      uri: "file://{+path}{?secret}",
      name: "file",
      params: { secret: param.oneOf("yes") },
      read: ({ path, secret }) => `${path} ${secret ?? "no"}`,
    });
    const client = await as(openShop({ resources: [file] }), "Zed");
    const read = async (path: string) => (await client.call("file", { path })).content[0];
    expect(await read("a/b c")).toEqual({ type: "text", text: "a/b c no" });
    for (const path of ["a?secret=yes", "a%20b", "a?x=1"]) {
      expect(await read(path)).toEqual({ type: "text", text: expect.stringContaining("cannot be written as a URI") });
    }
    for (const path of ["../a", "a/../b", "a#b"])
      expect(await client.call("file", { path })).toMatchObject({ isError: true });
  });

  it("does not read another resource that has the URI", async () => {
    const any = defineResource({ uri: "shop://{name}", name: "any", read: ({ name }) => name });
    const client = await as(openShop({ resources: [terms, any] }), "Zed");
    expect(await client.call("any", { name: "terms" })).toMatchObject({
      isError: true,
      content: [{ text: 'Resource not found: "shop://terms".' }],
    });
  });
});

describe("resources with a single URI", () => {
  it("share a tool with a choice of URIs, each with its name and first line", async () => {
    const [tool] = await (await as(openShop(), "Zed")).listTools();
    expect(tool).toMatchObject({
      name: "read_resource",
      description: "Reads one of these resources:\n- shop://terms: Terms: What customers agree to.",
      inputSchema: { properties: { uri: { enum: ["shop://terms"] } }, required: ["uri"] },
    });
  });

  it("refuse other URIs, also those of templates", async () => {
    const client = await as(openShop(), "Zed");
    for (const uri of ["orders://1", "shop://other", "", "__proto__"]) {
      expect(await client.call("read_resource", { uri })).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining("Resource not found") }],
      });
    }
  });

  it("above 50, are listed page by page by a tool", async () => {
    const many = Array.from({ length: 500 }, (_, i) =>
      defineResource({ uri: `n://${i}`, name: `${i}`, description: "x".repeat(1000), content: `${i}` }),
    );
    const client = await as(openShop({ resources: many, pageSize: 200 }), "Zed");
    const [read, list] = await client.listTools();
    expect([read?.name, list?.name]).toEqual(["read_resource", "list_resources"]);
    expect(read?.description).toBe("Reads one of 500 resources by its URI. list_resources returns their URIs.");
    expect(JSON.stringify(read).length).toBeLessThan(500);
    const uris: string[] = [];
    let cursor: string | undefined;
    do {
      const { structuredContent } = await client.call("list_resources", cursor === undefined ? {} : { cursor });
      const page = structuredContent as { resources: { uri: string }[]; nextCursor?: string };
      uris.push(...page.resources.map(({ uri }) => uri));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(uris).toEqual(many.map(({ uri }) => uri));
    expect(await client.call("read_resource", { uri: "n://499" })).toMatchObject({ content: [{ text: "499" }] });
  });

  it("up to 50, have a bounded description", async () => {
    const many = Array.from({ length: 50 }, (_, i) =>
      defineResource({ uri: `n://${i}`, name: `${i}`, description: "x".repeat(5000), content: "" }),
    );
    const [tool] = await (await as(openShop({ resources: many }), "Zed")).listTools();
    expect(tool?.description?.length).toBeLessThan(50 * 210 + 100);
  });
});

describe("a tool that lists a template", () => {
  it("has the same pages and cursors as resources/list", async () => {
    const client = await as(openShop({ resources: [order], pageSize: 2 }), "Zed");
    const first = (await client.call("list_order")).structuredContent as { resources: object[]; nextCursor: string };
    expect(first.resources).toHaveLength(2);
    const second = (await client.call("list_order", { cursor: first.nextCursor })).structuredContent;
    expect(second).toEqual({
      resources: [{ uri: "orders://3", name: "orders://3", mimeType: "application/json", arguments: { id: "3" } }],
    });
    const { resources } = await client.request("resources/list", { cursor: first.nextCursor });
    expect(resources).toEqual([expect.objectContaining({ uri: "orders://3" })]);
    expect(await client.call("list_order", { cursor: "forged" })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("not a cursor of this list") }],
    });
  });

  it("has cursors of its own caller only", async () => {
    const server = openShop({ resources: [order], pageSize: 2 });
    const ada = await as(server, "Zed", { principal: { id: "ada" } });
    const bob = await as(server, "Zed", { principal: { id: "bob" } });
    const { nextCursor } = (await ada.call("list_order")).structuredContent as { nextCursor: string };
    expect(await bob.call("list_order", { cursor: nextCursor })).toMatchObject({ isError: true });
  });
});
