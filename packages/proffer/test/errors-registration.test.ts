import { definePrompt, defineResource, defineServer, defineTool, isServer, type ServerOptions, user } from "proffer";
import { connect } from "proffer/testing";
import { describe, expect, it } from "vitest";

const handle = () => "";
const get = () => "";

/** Names that cannot be displayed, looked up or distinguished. */
const BAD_NAMES = [
  "",
  "__proto__",
  "constructor",
  "toString",
  "a\n",
  "a\u0000b",
  "a\u2028b",
  "x".repeat(129),
  7,
  null,
  undefined,
];

describe("an invalid name", () => {
  it.each([...BAD_NAMES, "a b", "naïve", "a/b", "tool!"])("is rejected for a tool: %j", (name) => {
    expect(() => defineTool({ name: name as string, handle })).toThrow(
      expect.objectContaining({ name: "UsageError", code: "bad_name", message: expect.stringContaining("tool") }),
    );
  });

  it.each(BAD_NAMES)("is rejected for a prompt, an argument, a resource and a server: %j", (bad) => {
    const name = bad as string;
    const attempts = [
      () => definePrompt({ name, get }),
      () => definePrompt({ name: "p", arguments: Object.fromEntries([[name, {}]]), get }),
      () => defineResource({ uri: "s://r", name, content: "" }),
      () => defineServer({ name, version: "1" }),
    ];
    // As a property key, every other type is converted to a string.
    for (const attempt of typeof bad === "string" ? attempts : attempts.filter((_, at) => at !== 1)) {
      expect(attempt).toThrow(expect.objectContaining({ name: "UsageError", code: "bad_name" }));
    }
  });

  it.each(["a", "A-b_c.9", "x".repeat(128)])("is not %s", (name) => {
    expect(defineTool({ name, handle }).name).toBe(name);
  });
});

describe("a duplicate name", () => {
  it("is rejected with advice, at definition and later, and changes nothing", async () => {
    const tool = defineTool({ name: "twice", handle });
    expect(() => defineServer({ name: "s", version: "1", tools: [tool, tool] })).toThrow(
      'Duplicate tool "twice". Rename one, or remove the first before adding the second.',
    );
    const server = defineServer({ name: "s", version: "1", tools: [tool], prompts: [], resources: [] });
    const other = defineTool({ name: "twice", handle: () => "other" });
    expect(() => server.tools.add(other)).toThrow(expect.objectContaining({ code: "duplicate" }));
    const prompt = definePrompt({ name: "p", get });
    server.prompts.add(prompt);
    expect(() => server.prompts.add(prompt)).toThrow(expect.objectContaining({ code: "duplicate" }));
    const resource = defineResource({ uri: "s://r", name: "r", content: "" });
    server.resources.add(resource);
    expect(() => server.resources.add(resource)).toThrow(expect.objectContaining({ code: "duplicate" }));
    expect([server.tools.size, server.prompts.size, server.resources.size]).toEqual([1, 1, 1]);
    expect(await (await connect(server)).call("twice")).toMatchObject({ content: [{ text: "" }] });
  });

  it("is allowed after the first item is removed", async () => {
    const server = defineServer({ name: "s", version: "1", tools: [defineTool({ name: "t", handle: () => "old" })] });
    expect(server.tools.remove("t")).toBe(true);
    expect(server.tools.remove("t")).toBe(false);
    server.tools.add(defineTool({ name: "t", handle: () => "new" }));
    expect(await (await connect(server)).call("t")).toMatchObject({ content: [{ text: "new" }] });
  });
});

describe("an invalid option", () => {
  it.each<[string, () => unknown, RegExp]>([
    ["a tool without a handler", () => defineTool({ name: "t" } as never), /Tool "t" has no handle function/],
    ["a prompt without get", () => definePrompt({ name: "p" } as never), /Prompt "p" has no get function/],
    [
      "a resource with neither content nor read",
      () => defineResource({ uri: "s://r", name: "r" } as never),
      /Resource s:\/\/r needs either content or a read function/,
    ],
    [
      "a resource with both",
      () => defineResource({ uri: "s://r", name: "r", content: "", read: () => "" } as never),
      /Resource s:\/\/r needs either content or a read function/,
    ],
    [
      "a template with fixed content",
      () => defineResource({ uri: "s://{r}", name: "r", content: "" } as never),
      /Resource s:\/\/\{r\} is a template/,
    ],
    ["a server without a version", () => defineServer({ name: "s" } as never), /Server "s" requires a version/],
    ["a page of no entries", () => serverWith({ pageSize: 0 }), /pageSize must be a whole number of at least 1, not 0/],
    ["a page of half an entry", () => serverWith({ pageSize: 1.5 }), /pageSize/],
    ["a time to live below zero", () => serverWith({ cache: { ttlMs: -1 } }), /cache\.ttlMs/],
    ["a time to live of half a millisecond", () => serverWith({ cache: { ttlMs: 0.5 } }), /cache\.ttlMs/],
    ["an unknown cache scope", () => serverWith({ cache: { cacheScope: "shared" as never } }), /cache\.cacheScope/],
    ["a key that is too short", () => serverWith({ keys: [new Uint8Array(16)] }), /32 bytes, not 16/],
    ["a key that is not base64", () => serverWith({ keys: ["not base64!"] }), /base64/],
  ])("is rejected: %s", (_what, attempt, message) => {
    expect(attempt).toThrow(expect.objectContaining({ name: "UsageError", code: "bad_option" }));
    expect(attempt).toThrow(message);
  });

  it("is rejected: content of an unsupported type", () => {
    expect(() => defineResource({ uri: "s://r", name: "r", content: user("Hello") })).toThrow();
    expect(() => defineResource({ uri: "s://r", name: "r", content: 1n as never })).not.toThrow();
  });

  it.each(["s://{", "s://}", "s://{a}{b}", "s://{__proto__}", ""])("is rejected: the URI %j", (uri) => {
    expect(() => defineResource({ uri, name: "r", read: () => "" })).toThrow(
      expect.objectContaining({ name: "UsageError", code: "bad_template" }),
    );
  });
});

describe("a plain object", () => {
  it.each<[string, Partial<ServerOptions>, string]>([
    ["tool", { tools: [{ name: "t", description: "T", handle } as never] }, "defineTool()"],
    ["prompt", { prompts: [{ name: "p", get } as never] }, "definePrompt()"],
    ["resource", { resources: [{ uri: "s://r", name: "r", content: "" } as never] }, "defineResource()"],
    ["tool", { tools: [undefined as never] }, "defineTool()"],
  ])("is rejected as a %s, with the function to call", (_what, options, remedy) => {
    const attempt = () => serverWith(options);
    expect(attempt).toThrow(expect.objectContaining({ name: "UsageError", code: "wrong_use" }));
    expect(attempt).toThrow(`was not created by ${remedy}`);
  });

  it("is not a server", async () => {
    expect(isServer(serverWith({}))).toBe(true);
    for (const value of [undefined, null, {}, "s", { name: "s", version: "1" }]) expect(isServer(value)).toBe(false);
    await expect(connect({ name: "s" } as never)).rejects.toMatchObject({ code: "wrong_use" });
  });
});

function serverWith(options: Partial<ServerOptions>) {
  return defineServer({ name: "s", version: "1", ...options });
}
