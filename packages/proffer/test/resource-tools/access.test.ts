import { defineResource, defineResourceGroup, type MiddlewareCall, param, ToolError } from "proffer";
import { serveHttp } from "proffer/http";
import { describe, expect, it } from "vitest";
import { authenticate, as as token } from "../access/desk.ts";
import { legacy, modern, post, postModern } from "../http/http-client.ts";
import { as, namesOf, openShop, terms } from "./shop.ts";

const SECRET = "read by someone without the scope";

/** Resources that need scopes: a template, one more for its query, a fixed one and a list. */
function openVault(options: Parameters<typeof openShop>[0] = {}) {
  const file = defineResource({
    uri: "vault://{id}{?raw}",
    name: "file",
    scopes: ["vault"],
    paramScopes: { raw: ["admin"] },
    params: { raw: param.oneOf("yes") },
    list: () => [{ uri: "vault://1" }],
    read: () => SECRET,
  });
  const plan = defineResource({ uri: "plan://x", name: "Plan", scopes: ["plans"], content: SECRET });
  return openShop({ resources: [terms, plan, file], ...options });
}

const granted = (...scopes: string[]) => ({ principal: { id: "ada", scopes } });
const refusal = (...scopes: string[]) => ({ code: -31001, data: { scopes } });

describe("scopes", () => {
  it("of the resource are needed to call its tool", async () => {
    const client = await as(openVault(), "Zed", granted("other"));
    await expect(client.call("file", { id: "1" })).rejects.toMatchObject(refusal("vault"));
    await expect(client.call("read_resource", { uri: "plan://x" })).rejects.toMatchObject(refusal("plans"));
    expect(await client.call("read_resource", { uri: "shop://terms" })).toMatchObject({
      content: [{ text: "# Terms" }],
    });
    const reader = await as(openVault(), "Zed", granted("vault"));
    expect(await reader.call("file", { id: "1" })).toMatchObject({ content: [{ text: SECRET }] });
    await expect(reader.call("file", { id: "1", raw: "yes" })).rejects.toMatchObject(refusal("vault", "admin"));
  });

  it("of an argument cannot be avoided by a URI that contains it", async () => {
    const file = defineResource({
      uri: "vault://{+id}{?raw}",
      name: "file",
      paramScopes: { raw: ["admin"] },
      read: ({ raw }) => (raw === undefined ? "plain" : SECRET),
    });
    const client = await as(openShop({ resources: [file] }), "Zed", granted());
    expect(await client.call("file", { id: "1?raw=yes" })).toMatchObject({ isError: true });
    expect(await client.call("file", { id: "1" })).toMatchObject({ content: [{ text: "plain" }] });
  });

  it.each(["2025-06-18", "2026-07-28"])(
    "are checked before middleware, which may answer from a cache, on %s",
    async (revision) => {
      const cached = new Map<string, object>();
      const server = openVault({
        middleware: async (call, next) => {
          const key = JSON.stringify([call.method, call.params.name, call.params.arguments, call.params.uri]);
          const result = cached.get(key) ?? (await next());
          cached.set(key, result);
          return result;
        },
      });
      const ada = await as(server, "Zed", { ...granted("vault", "plans"), revision });
      const bob = await as(server, "Zed", { ...granted(), revision });
      for (const [name, input] of [
        ["file", { id: "1" }],
        ["read_resource", { uri: "plan://x" }],
      ] as const) {
        expect(await ada.call(name, input)).toMatchObject({ content: [{ text: SECRET }] });
        await expect(bob.call(name, input)).rejects.toMatchObject({ code: -31001 });
      }
    },
  );

  it("are checked again for the URI, in case middleware has changed the arguments", async () => {
    const server = openVault({
      middleware: (call, next) => {
        if (call.method === "tools/call") Object.assign(call.params.arguments as object, { raw: "yes" });
        return next();
      },
    });
    const client = await as(server, "Zed", granted("vault"));
    await expect(client.call("file", { id: "1" })).rejects.toMatchObject(refusal("vault", "admin"));
  });

  it("are challenged over HTTP as for a read", async () => {
    const service = await serveHttp(openVault(), { port: 0, authenticate });
    try {
      const clientInfo = { name: "Zed", version: "1" };
      const call = { name: "file", arguments: { id: "1" } };
      const _meta = { "io.modelcontextprotocol/clientInfo": clientInfo };
      const read = await postModern(service.url, modern("resources/read", { uri: "vault://1" }), token("ada", "x"));
      const called = await postModern(service.url, modern("tools/call", { ...call, _meta }), token("ada", "x"));
      expect([called.status, called.headers["www-authenticate"]]).toEqual([403, read.headers["www-authenticate"]]);
      const hello = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
      const { headers } = await post(service.url, legacy("initialize", hello), token("ada", "x"));
      const session = {
        ...token("ada", "x"),
        "mcp-session-id": String(headers["mcp-session-id"]),
        "mcp-protocol-version": "2025-06-18",
      };
      const older = await post(service.url, legacy("tools/call", call), session);
      expect([older.status, older.headers["www-authenticate"]]).toEqual([403, read.headers["www-authenticate"]]);
    } finally {
      await service.close();
    }
  });

  it("decide which tools are listed with lists: granted, and a call is challenged all the same", async () => {
    const server = openVault({ lists: "granted" });
    expect(await namesOf(server, "Zed", granted())).toEqual(["read_resource"]);
    expect(await namesOf(server, "Zed", granted("vault"))).toEqual(["read_resource", "file", "list_file"]);
    const urisOf = async (...scopes: string[]) => {
      const [tool] = await (await as(server, "Zed", granted(...scopes))).listTools();
      return (tool?.inputSchema as { properties?: { uri: { enum: string[] } } } | undefined)?.properties?.uri.enum;
    };
    expect(await urisOf()).toEqual(["shop://terms"]);
    expect(await urisOf("plans")).toEqual(["shop://terms", "plan://x"]);
    const client = await as(server, "Zed", granted());
    await expect(client.call("file", { id: "1" })).rejects.toMatchObject(refusal("vault"));
  });
});

describe("shows", () => {
  const shows: NonNullable<Parameters<typeof openShop>[0]>["shows"] = (item, { principal }) =>
    item.kind === "resource" && (principal?.role === "admin" || !item.uri.startsWith("admin:"));
  const resources = [
    terms,
    defineResource({ uri: "admin://log", name: "Log", content: SECRET }),
    defineResource({ uri: "admin://{part}", name: "part", list: () => [{ uri: "admin://a" }], read: () => SECRET }),
  ];
  const admin = { principal: { id: "ada", role: "admin" } };
  const user = { principal: { id: "bob", role: "user" } };

  it("decides about the resource, not about a tool that the author does not know", async () => {
    const server = openShop({ resources, shows });
    expect(await namesOf(server, "Zed", admin)).toEqual(["read_resource", "part", "list_part"]);
    expect(await namesOf(server, "Zed", user)).toEqual(["read_resource"]);
    const [tool] = await (await as(server, "Zed", user)).listTools();
    expect(JSON.stringify(tool)).not.toContain("admin");
  });

  it("makes the tool of a hidden resource unknown", async () => {
    const client = await as(openShop({ resources, shows }), "Zed", user);
    for (const [name, input] of [
      ["part", { part: "a" }],
      ["list_part", {}],
    ] as const) {
      await expect(client.call(name, input as never)).rejects.toMatchObject({ code: -32602 });
    }
    const refused = async (uri: string) => JSON.stringify(await client.call("read_resource", { uri })).replace(uri, "");
    expect(await refused("admin://log")).toContain("Resource not found");
    expect(await refused("admin://log")).toBe(await refused("admin://none"));
    const other = await as(openShop({ resources, shows }), "Zed", admin);
    expect(await other.call("part", { part: "a" })).toMatchObject({ content: [{ text: SECRET }] });
  });
});

describe("middleware", () => {
  it("runs for the call of the tool, and inside it for the read with its URI", async () => {
    const seen: unknown[] = [];
    const record = (call: MiddlewareCall) =>
      seen.push([call.method, call.name, (call.item as { name?: string } | undefined)?.name, call.principal?.id]);
    const server = openShop({
      middleware: (call, next) => {
        if (call.method !== "initialize") record(call);
        return next();
      },
    });
    const client = await as(server, "Zed", { principal: { id: "ada" } });
    await client.call("order", { id: "1" });
    await client.call("read_resource", { uri: "shop://terms" });
    await client.call("list_order");
    expect(seen).toEqual([
      ["tools/call", "order", "order", "ada"],
      ["resources/read", "orders://1", "order", "ada"],
      ["tools/call", "read_resource", "read_resource", "ada"],
      ["resources/read", "shop://terms", "Terms", "ada"],
      ["tools/call", "list_order", "list_order", "ada"],
      ["resources/list", undefined, undefined, "ada"],
    ]);
  });

  it("that refuses or changes reads does so for tools", async () => {
    const server = openShop({
      middleware: async (call, next) => {
        if (call.method === "resources/read" && call.name?.startsWith("orders:"))
          throw new ToolError("Not on Sundays.");
        const result = await next();
        return call.method === "resources/read" ? { contents: [{ uri: "x", text: "[redacted]" }] } : result;
      },
    });
    const client = await as(server, "Zed");
    expect(await client.call("order", { id: "1" })).toMatchObject({
      isError: true,
      content: [{ text: "Not on Sundays." }],
    });
    expect(await client.call("read_resource", { uri: "shop://terms" })).toMatchObject({
      content: [{ text: "[redacted]" }],
    });
  });

  it("that filters lists filters those of tools", async () => {
    const server = openShop({
      middleware: async (call, next) => {
        const result = await next();
        if (call.method !== "resources/list") return result;
        const { resources } = result as { resources: { uri: string }[] };
        return { resources: resources.filter(({ uri }) => uri !== "orders://2") };
      },
    });
    const { structuredContent } = await (await as(server, "Zed")).call("list_order");
    const { resources } = structuredContent as { resources: { uri: string }[] };
    expect(resources.map(({ uri }) => uri)).toEqual(["orders://1", "orders://3"]);
  });
});

it("a name of a client gives nothing that resources/read would refuse", async () => {
  const server = openVault();
  const honest = await as(server, "somebody", granted("vault"));
  const liar = await as(server, "Zed", granted("vault"));
  const reads = [
    ["vault://1", "file", { id: "1" }],
    ["vault://1?raw=yes", "file", { id: "1", raw: "yes" }],
    ["plan://x", "read_resource", { uri: "plan://x" }],
  ] as const;
  for (const [uri, name, input] of reads) {
    const read = await honest.read(uri).then(
      ({ contents }) => contents[0]?.text,
      (error) => error.code,
    );
    const called = await liar.call(name, input).then(
      ({ content }) => (content[0] as { text: string }).text,
      (error) => error.code,
    );
    expect(called).toBe(read);
  }
});

it("the messages of a group are those of its tools, also where URIs are not decoded", async () => {
  const group = defineResourceGroup(
    {
      uri: "g://",
      decode: false,
      messages: { character: ({ value, char }) => `no ${char} in ${value}`, missing: () => "gone" },
    },
    [
      defineResource({
        uri: "g://{id}",
        name: "g",
        params: { id: param.charset("a-zé ") },
        read: ({ id }) => (id === "b" ? undefined : id),
      }),
    ],
  );
  const client = await as(openShop({ resources: [group] }), "Zed");
  const read = async (id: string) => (await client.call("g", { id })).content[0];
  expect(await read("é a")).toEqual({ type: "text", text: "é a" });
  expect(await read("A")).toEqual({ type: "text", text: "no A in A" });
  expect(await read("b")).toEqual({ type: "text", text: "gone" });
});
