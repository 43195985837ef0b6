import type { Asked, ScriptedAnswer } from "proffer/testing";
import { describe, expect, it } from "vitest";
import { describeModule } from "../transports.ts";

const MODULE = new URL("./tools.ts", import.meta.url);
const NOT_FOUND: { readonly [revision: string]: number } = { "2024-11-05": -32002, "2026-07-28": -32602 };

/** The table of types: the type of a predicate's argument, its JSON type, a valid and an invalid value. */
const TYPES: readonly (readonly [string, string, unknown, unknown])[] = [
  ["integer", "integer", 5, 1.5],
  ["float", "number", 1.5, "1,5"],
  ["number", "number", 2, true],
  ["atom", "string", "atom", 1],
  ["boolean", "boolean", true, "yes"],
  ["list", "array", [1, "two", null], "1"],
  ["listOf", "array", [1, 2], [1, "two"]],
  ["compound", "object", { functor: "f", args: [1] }, []],
  ["nonvar", "string", "f(x)", null],
  ["term", "string", "X is 1", 1],
  ["chars", "string", "abc", ["a", "b", "c"]],
  ["codes", "string", "abc", [97, 98, 99]],
  ["other", "string", "anything", {}],
];
const FITTING = Object.fromEntries(TYPES.map(([name, , value]) => [name, value]));

describeModule({ module: MODULE, revisions: ["2024-11-05", "2026-07-28"] }, (leg) => {
  const { revision } = leg;
  const isNewest = revision === "2026-07-28";

  describe("tools by automatic dispatch", () => {
    it("are described by their comments and types", async () => {
      const tools = await leg.client.listTools();
      expect(tools.map(({ name, description }) => [name, description])).toEqual([
        ["factorial", "Computes the factorial of a non-negative integer."],
        ["divide", "Divides one integer by another."],
        ["assertz", "Records a fact and returns nothing."],
        ["types", "Accepts a value of each type that predicates can declare, and returns all of them."],
        ["ask_name", "Asks the user for their name and greets them."],
      ]);
      expect(tools[0]?.inputSchema).toEqual({
        type: "object",
        properties: { n: { type: "integer", description: "the integer. 0 to 1000.", minimum: 0, maximum: 1000 } },
        required: ["n"],
        additionalProperties: false,
      });
      expect(tools[1]?.inputSchema).toMatchObject({ required: ["dividend", "divisor"] });
    });

    it("have an empty input schema if they have no inputs", async () => {
      const tool = (await leg.client.listTools()).find(({ name }) => name === "ask_name");
      expect(tool?.inputSchema).toEqual({ type: "object", properties: {}, additionalProperties: false });
    });

    it("return one output as text, with every digit", async () => {
      const { content, isError } = await leg.client.call("factorial", { n: 25 });
      expect(content).toEqual([{ type: "text", text: "15511210043330985984000000" }]);
      expect(isError).toBeUndefined();
      expect((await leg.client.call("factorial", { n: 0 })).content).toEqual([{ type: "text", text: "1" }]);
    });

    it("return several outputs by name", async () => {
      const { content, structuredContent } = await leg.client.call("divide", { dividend: 17, divisor: 5 });
      expect(content).toEqual([{ type: "text", text: '{"quotient":3,"remainder":2}' }]);
      expect(structuredContent).toEqual(isNewest ? { quotient: 3, remainder: 2 } : undefined);
    });

    it("return an empty success if they have no outputs", async () => {
      const result = await leg.client.call("assertz", { fact: "likes(mary, wine)" });
      expect(result.content).toEqual([]);
      expect(result.isError).toBeUndefined();
    });

    it("report all invalid arguments, and do not run", async () => {
      const { content, isError } = await leg.client.call("divide", { dividend: "17", divider: 5 });
      expect(isError).toBe(true);
      const { text } = content[0] as { text: string };
      expect(text).toMatch(/\/dividend: /);
      expect(text).toMatch(/divisor/);
      expect(text).toMatch(/divider/);
      expect(await leg.client.call("factorial")).toMatchObject({ isError: true });
    });

    it("return the text of a thrown ToolError as the error", async () => {
      const result = await leg.client.call("divide", { dividend: 1, divisor: 0 });
      expect(result).toMatchObject({
        isError: true,
        content: [{ type: "text", text: "error(evaluation_error(zero_divisor), divide/4)" }],
      });
    });
  });

  describe("the type table", () => {
    it.each(TYPES)("maps %s to %s", async (name, type, _, wrong) => {
      const tool = (await leg.client.listTools()).find((each) => each.name === "types");
      expect(tool?.inputSchema).toMatchObject({
        properties: { [name]: { type } },
        required: expect.arrayContaining([name]),
      });
      const refused = await leg.client.call("types", { ...FITTING, [name]: wrong });
      expect(refused.isError).toBe(true);
      expect(JSON.stringify(refused.content)).toContain(`/${name}`);
    });

    it("passes a value of each type unchanged", async () => {
      const { content } = await leg.client.call("types", FITTING);
      expect(JSON.parse((content[0] as { text: string }).text)).toEqual(FITTING);
    });
  });

  describe("invalid requests", () => {
    it.each([
      ["tools/call", {}],
      ["tools/call", { name: "unknown" }],
      ["tools/call", { name: "factorial", arguments: [5] }],
      ["prompts/get", {}],
      ["prompts/get", { name: "unknown" }],
      ["prompts/get", { name: "summarize" }],
      ["prompts/get", { name: "summarize", arguments: { text: 1 } }],
      ["resources/read", {}],
    ])("%s with %j gets -32602", async (method, params) => {
      await expect(leg.client.request(method, params)).rejects.toMatchObject({ code: -32602 });
    });

    it("an unknown resource gets the error code of the revision", async () => {
      const uri = "logtalk://my-app/unknown";
      await expect(leg.client.read(uri)).rejects.toMatchObject({ code: NOT_FOUND[revision], data: { uri } });
    });

    it("an unknown method gets -32601", async () => {
      await expect(leg.client.request("no/such")).rejects.toMatchObject({ code: -32601 });
    });

    it("a ping is answered if the revision has it", async () => {
      const ping = leg.client.request("ping");
      if (isNewest) await expect(ping).rejects.toMatchObject({ code: -32601 });
      else expect(await ping).toEqual({});
    });
  });

  describe("prompts", () => {
    it("are listed with their arguments", async () => {
      const prompts = await leg.client.listPrompts();
      expect(prompts.map(({ name }) => name)).toEqual(["code_review", "summarize", "debate"]);
      expect(prompts[0]).toEqual({
        name: "code_review",
        description: "Reviews code for potential issues",
        arguments: [
          { name: "code", description: "The code to review", required: true },
          { name: "language", description: "The programming language", required: false },
        ],
        ...(isNewest && { _meta: { "proffer/parameters": ["code", "language"] } }),
      });
    });

    it("fill in their arguments", async () => {
      const { messages } = await leg.client.get("code_review", { code: "foo :- bar.", language: "Logtalk" });
      const text = "Please review the following Logtalk code for potential issues:\n\nfoo :- bar.";
      expect(messages).toEqual([{ role: "user", content: { type: "text", text } }]);
      const short = await leg.client.get("summarize", { text: "A long text." });
      expect(short.messages[0]?.content).toMatchObject({
        text: "Please summarize the following text:\n\nA long text.",
      });
    });

    it("may have several turns", async () => {
      expect((await leg.client.get("debate", { topic: "tabs" })).messages).toEqual([
        { role: "user", content: { type: "text", text: "Let us debate: tabs" } },
        {
          role: "assistant",
          content: { type: "text", text: "I would be happy to debate that topic. What is your position?" },
        },
      ]);
    });
  });

  describe("resources", () => {
    it("are listed with URI, name, description and type", async () => {
      expect(await leg.client.listResources()).toEqual([
        {
          uri: "logtalk://my-app/config",
          name: "config",
          description: "Application configuration",
          mimeType: "application/json",
        },
        { uri: "logtalk://my-app/readme", name: "readme", description: "Application readme", mimeType: "text/plain" },
        {
          uri: "logtalk://my-app/logs",
          name: "logs",
          description: "Application log, one content per entry",
          mimeType: "text/plain",
        },
      ]);
    });

    it("are read as JSON or as text", async () => {
      const config = { uri: "logtalk://my-app/config", mimeType: "application/json" };
      expect((await leg.client.read(config.uri)).contents).toEqual([
        { ...config, text: '{"name":"my-app","version":"1.0"}' },
      ]);
      const readme = { uri: "logtalk://my-app/readme", mimeType: "text/plain" };
      expect((await leg.client.read(readme.uri)).contents).toEqual([{ ...readme, text: "Welcome to my application." }]);
    });

    it("may have several contents", async () => {
      const logs = { uri: "logtalk://my-app/logs", mimeType: "text/plain" };
      expect((await leg.client.read(logs.uri)).contents).toEqual([
        { ...logs, text: "Log entry 1" },
        { ...logs, text: "Log entry 2" },
      ]);
    });
  });
});

describe("ask_name", () => {
  let answer: ScriptedAnswer;
  let asked: unknown[];
  const answers = ({ params }: Asked) => {
    asked.push(params);
    return answer;
  };

  describeModule({ module: MODULE, revisions: ["2025-06-18", "2026-07-28"], answers }, (leg) => {
    it.each<[ScriptedAnswer, string]>([
      [{ name: "Alice" }, "Hello, Alice!"],
      ["decline", "No name provided."],
      ["cancel", "No name provided."],
    ])("answered with %j says %s", async (given, text) => {
      answer = given;
      asked = [];
      expect((await leg.client.call("ask_name")).content).toEqual([{ type: "text", text }]);
      expect(asked).toMatchObject([
        {
          message: "What is your name?",
          requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
        },
      ]);
    });

    it("fails for a client that does not support elicitation, and other tools work", async () => {
      const client = await leg.connect({ capabilities: {} });
      const call = client.call("ask_name");
      if (leg.revision === "2026-07-28") await expect(call).rejects.toMatchObject({ code: -32021 });
      else expect(await call).toMatchObject({ isError: true });
      expect((await client.call("factorial", { n: 3 })).content).toMatchObject([{ text: "6" }]);
    });
  });
});
