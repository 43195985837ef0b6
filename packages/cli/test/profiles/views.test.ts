import { connectAs, findLosses, findProfile, PROFILES, toolsSeenBy } from "@proffer/cli/profiles";
import {
  audio,
  defineResource,
  defineServer,
  defineTool,
  embed,
  image,
  link,
  type ProfileId,
  result,
  text,
} from "proffer";
import { describe, expect, it } from "vitest";

type Tools = Parameters<typeof toolsSeenBy>[2];

const tool = (name: string, inputSchema: object = { type: "object", properties: {} }, rest: object = {}) => ({
  name,
  inputSchema,
  ...rest,
});
const seen = (id: ProfileId, tools: Tools, server = "shop") => toolsSeenBy(findProfile(id), server, tools);
const losses = (id: ProfileId, tools: Tools, server = "shop") =>
  findLosses(findProfile(id), server, tools).map(({ tool: name, effect, what }) => `${name}: ${effect} ${what}`);
const inputOf = (id: ProfileId, schema: object) => seen(id, [tool("t", schema)])[0]?.inputSchema;

describe("Codex", () => {
  it("shows tools as mcp__server__tool, with a hash if two names become one or are too long", () => {
    const names = ["add", "a.b", "a-b", "x".repeat(128)];
    const [add, dot, dash, long = ""] = seen(
      "codex",
      names.map((name) => tool(name)),
      "my-shop",
    ).map(({ name }) => name);
    expect(add).toBe("mcp__my_shop__add");
    expect(dot).toMatch(/^mcp__my_shop__a_b_[0-9a-f]{12}$/);
    expect(dash).toMatch(/^mcp__my_shop__a_b_[0-9a-f]{12}$/);
    expect(dot).not.toBe(dash);
    expect(long).toMatch(/^mcp__my_shop__x+_[0-9a-f]{12}$/);
    expect(long).toHaveLength(128);
  });

  it("keeps a few keywords, sorts properties and guesses types", () => {
    const schema = {
      type: "object",
      title: "T",
      properties: {
        n: { type: "integer", minimum: 1, default: 2, description: "how many" },
        any: { description: "lost" },
        flag: true,
        list: { type: "array" },
        one: { const: 1 },
        when: { format: "date" },
        nullable: { type: ["string", "null"], maxLength: 3 },
      },
      required: ["n"],
      additionalProperties: false,
    };
    expect(JSON.stringify(inputOf("codex", schema))).toBe(
      JSON.stringify({
        type: "object",
        properties: {
          any: {},
          flag: { type: "string" },
          list: { type: "array", items: { type: "string" } },
          n: { type: "integer", description: "how many" },
          nullable: { type: ["string", "null"] },
          one: { type: "string", enum: [1] },
          when: { type: "string" },
        },
        required: ["n"],
        additionalProperties: false,
      }),
    );
  });

  it("keeps the definitions that are used", () => {
    const used = { type: "string" };
    const schema = { type: "object", properties: { a: { $ref: "#/$defs/used" } }, $defs: { used, unused: used } };
    expect(inputOf("codex", schema)).toEqual({ ...schema, $defs: { used } });
  });

  it("removes descriptions, then definitions, depth and unions of a schema of more than 5,000 bytes", () => {
    const words = { type: "string", description: "x".repeat(6000) };
    expect(inputOf("codex", { type: "object", properties: { words } })).toEqual({
      type: "object",
      properties: { words: { type: "string" } },
    });
    const many = { type: "string", enum: Array.from({ length: 1000 }, (_, i) => `value ${i}`) };
    const defined = { type: "object", properties: { a: { $ref: "#/$defs/many" } }, $defs: { many } };
    expect(inputOf("codex", defined)).toEqual({ type: "object", properties: { a: {} } });
    const nest = (inner: object, levels: number): object =>
      levels === 0 ? inner : { type: "object", properties: { a: nest(inner, levels - 1) } };
    expect(inputOf("codex", nest({ type: "array", items: many }, 3))).toEqual(nest({}, 3));
    expect(inputOf("codex", nest({ anyOf: [many] }, 1))).toEqual(nest({}, 1));
  });
});

describe("Gemini CLI", () => {
  it("shows tools as mcp_server_tool, without the middle of a long name", () => {
    const [short, long] = seen("gemini-cli", [tool("a b"), tool("x".repeat(100))]).map(({ name }) => name);
    expect(short).toBe("mcp_shop_a_b");
    expect(long).toBe(`mcp_shop_${"x".repeat(21)}...${"x".repeat(30)}`);
  });

  it("writes null as nullable", () => {
    const schema = { type: "object", properties: { a: { type: ["string", "null"] } } };
    expect(inputOf("gemini-cli", schema)).toEqual({
      type: "object",
      properties: { a: { type: "string", nullable: true } },
    });
  });
});

describe("Zed", () => {
  it("resolves definitions, closes the root and omits tools with other references", () => {
    const node = { type: "object", properties: { next: { $ref: "#/$defs/node" } } };
    const schema = { type: "object", title: "T", properties: { a: { $ref: "#/$defs/node" } }, $defs: { node } };
    expect(inputOf("zed", schema)).toEqual({
      type: "object",
      properties: { a: { type: "object", properties: { next: {} } } },
      additionalProperties: false,
    });
    const other = [tool("t", { ...schema, properties: { a: { $ref: "#/properties/b" } } })];
    expect(seen("zed", other)).toEqual([]);
    expect(losses("zed", other)).toEqual(["t: refuses the reference #/properties/b is not one to a definition"]);
  });
});

describe("the losses of a client", () => {
  it.each<[ProfileId, ReturnType<typeof tool>, string]>([
    ["openai-api", tool("t", { type: "object" }), "t: refuses an object without properties"],
    [
      "vscode",
      tool("t", { type: "object", properties: { a: { type: "array" } } }),
      "t: refuses an array without items",
    ],
    ["claude-code", tool("t", { type: "object", oneOf: [{}] }), "t: refuses oneOf at the root of the arguments"],
    ["gemini-api", tool("t", { $schema: "x", type: "object" }), "t: refuses $schema"],
    ["openai-api", tool("a.b"), "a.b: refuses the name a.b: only A-Za-z0-9_- is allowed"],
    [
      "cursor",
      tool("x".repeat(57)),
      `${"x".repeat(57)}: omits the name shop${"x".repeat(57)}, which has more than 60 characters`,
    ],
    [
      "claude-code",
      tool("t", undefined, { description: "x".repeat(2049) }),
      "t: cuts the description after 2048 characters",
    ],
    ["codex", tool("t", { type: "object", properties: {}, patternProperties: {} }), "t: drops patternProperties"],
  ])("is found for %s", (id, given, loss) => {
    expect(losses(id, [given])).toEqual([loss]);
  });

  it("is nothing for constraints, which descriptions state", () => {
    const schema = { type: "object", properties: { n: { type: "integer", minimum: 1, description: "at least 1" } } };
    for (const { id } of PROFILES) expect(losses(id, [tool("t", schema)])).toEqual([]);
  });

  it("includes names that become one, for clients without a remedy", () => {
    expect(losses("zed", [tool("a.b"), tool("a_b")])).toEqual(["a_b: omits the name a_b, which a.b has too"]);
    expect(seen("zed", [tool("a.b"), tool("a_b")]).map(({ original }) => original)).toEqual(["a.b"]);
    expect(losses("codex", [tool("a.b"), tool("a_b")])).toEqual([]);
  });

  it("includes the tools beyond the limit of a client", () => {
    const tools = Array.from({ length: 500 }, (_, i) => tool(`t${i}`));
    expect(seen("windsurf", tools)).toHaveLength(100);
    expect(losses("windsurf", tools)).toHaveLength(400);
    expect(seen("claude-code", tools)).toHaveLength(500);
  });

  it("is found in huge and recursive schemas in little time", () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 200 }, (_, i) => [
        `d${i}`,
        { type: "object", properties: { a: { $ref: `#/$defs/d${(i + 1) % 200}` } }, description: "x".repeat(500) },
      ]),
    );
    const huge = tool(
      "t",
      { type: "object", properties: { a: { $ref: "#/$defs/d0" } }, $defs },
      {
        description: "x".repeat(100_000),
      },
    );
    for (const { id } of PROFILES) expect(() => [seen(id, [huge]), losses(id, [huge])]).not.toThrow();
    expect(seen("claude-code", [huge])[0]?.description).toHaveLength(2048);
  });
});

describe("connect as a client", () => {
  const server = defineServer({
    name: "shop",
    version: "1",
    tools: [
      defineTool({
        name: "add",
        input: { type: "object", properties: { n: { type: "integer", minimum: 1 } } },
        handle: () => 1,
      }),
      defineTool({
        name: "mixed",
        handle: () => result({ n: 1 }, { content: [text("one"), image(new Uint8Array([1]), "image/png")] }),
      }),
      defineTool({
        name: "blocks",
        handle: () => [
          text("one"),
          link({ uri: "a://b", name: "b" }),
          audio(new Uint8Array([1]), "audio/wav"),
          embed({ uri: "a://c", text: "c" }),
        ],
      }),
      defineTool({ name: "long", handle: () => "x".repeat(300_000) }),
      defineTool({ name: "count", handle: () => 42 }),
      defineTool({ name: "who", handle: (_, { client }) => `${client.info?.name} ${client.revision}` }),
    ],
    resources: [defineResource({ uri: "a://b", name: "b", content: "" })],
  });
  const contentOf = async (as: ProfileId, name: string) => (await (await connectAs(server, as)).call(name)).content;

  it("has its name and its revision", async () => {
    expect(await contentOf("zed", "who")).toEqual([{ type: "text", text: "Zed 2025-11-25" }]);
    expect(await contentOf("goose", "who")).toMatchObject([{ text: "goose 2025-03-26" }]);
  });

  it("lists the tools that its model sees, and calls them by those names", async () => {
    const client = await connectAs(server, "codex");
    const [first] = await client.listTools();
    expect(first).toMatchObject({
      name: "mcp__shop__add",
      inputSchema: { properties: { n: { type: "integer", description: "at least 1" } } },
    });
    expect(await client.call("mcp__shop__add")).toMatchObject({ content: [{ text: expect.stringContaining("1") }] });
  });

  it("shows the content of results that its model sees", async () => {
    expect(await contentOf("codex", "mixed")).toEqual([{ type: "text", text: '{"n":1}' }]);
    expect(await contentOf("zed", "mixed")).toMatchObject([{ type: "text" }, { type: "image" }]);
    expect(await contentOf("zed", "blocks")).toMatchObject([{ text: "one" }]);
    expect(await contentOf("gemini-cli", "blocks")).toMatchObject([
      { text: "<untrusted_context>\none\n</untrusted_context>" },
      { text: "Resource Link: b at a://b" },
      { text: expect.stringContaining("audio data") },
      { type: "audio" },
      { text: "<untrusted_context>\nc\n</untrusted_context>" },
    ]);
    expect(JSON.stringify(await contentOf("gemini-cli", "long")).length).toBeLessThan(41_000);
    expect(await contentOf("goose", "long")).toMatchObject([{ text: expect.stringContaining("300000 characters") }]);
  });

  it("shows what was measured: texts beside structured content, links, numbers, and long texts", async () => {
    expect(await contentOf("claude-code", "mixed")).toMatchObject([{ text: '{"n":1}' }, { type: "image" }]);
    expect(await contentOf("opencode", "blocks")).toMatchObject([{ text: "one" }, { type: "resource" }]);
    expect(await contentOf("gemini-cli", "count")).toMatchObject([{ text: "MCP tool 'count' reported tool error" }]);
    expect(JSON.stringify(await contentOf("codex", "long")).length).toBeLessThan(12_200);
    expect(JSON.stringify(await contentOf("claude-code", "long")).length).toBeLessThan(101_000);
  });

  it("has no resources if its model cannot read them", async () => {
    expect(await (await connectAs(server, "zed")).listResources()).toEqual([]);
    expect(await (await connectAs(server, "codex")).listResources()).toHaveLength(1);
  });

  it("rejects an unknown client", async () => {
    await expect(connectAs(server, "netscape" as never)).rejects.toThrow("Unknown client");
  });
});
