import { describe, expect, it } from "vitest";
import { check, manyTools, plainTool } from "./type-check.ts";

describe("many tools", () => {
  it("are checked: a wrong use of an input is an error", () => {
    const { problems } = check("wrong", manyTools("", plainTool, 2).replace("input.key1 ", "input.key0 "));
    expect(problems).toEqual([expect.stringContaining("key0")]);
  });

  it("need at most 10,000 instantiations, if they are twenty", () => {
    const { problems, instantiations } = check("twenty", manyTools("", plainTool, 20));
    expect(problems).toEqual([]);
    expect(instantiations).toBeLessThanOrEqual(10_000);
  });
});

describe("plain options instead of a defined item", () => {
  it.each([
    ["tools", '{ name: "t", handle: () => "" }', "CreatedByDefineTool"],
    [
      "tools",
      '{ name: "t", title: "T", description: "A tool", input: { type: "object" }, handle: () => "" }',
      "CreatedByDefineTool",
    ],
    ["prompts", '{ name: "p", description: "A prompt", get: () => "" }', "CreatedByDefinePrompt"],
    ["resources", '{ uri: "s://r", name: "r", content: "" }', "CreatedByDefineResource"],
  ])("in %s lead to the define function: %s", (list, item, hint) => {
    const { problems } = check(
      "undefined",
      `import { defineServer } from "proffer";\ndefineServer({ name: "s", version: "1", ${list}: [${item}] });\n`,
    );
    expect(problems).toEqual([expect.stringContaining(hint)]);
  });
});

describe("a call of the testing client", () => {
  const head = `import { defineTool, type Server, type Tool } from "proffer";
    import { connect } from "proffer/testing";
    declare const server: Server;
    const client = await connect(server);
    export const twice = defineTool({
      name: "twice",
      input: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
      handle: ({ n }) => String(2 * n),
    });
    export const nothing = defineTool({ name: "nothing", handle: () => {} });
    export declare const any: Tool;\n`;
  const problemsOf = (call: string) => check("call", `${head}await client.call(${call});\n`).problems;

  it.each([
    "twice, { n: 1 }",
    "nothing",
    "any",
    "any, {}",
    '"twice"',
    '"twice", {}',
    "nothing, undefined, { _meta: {} }",
  ])("accepts %s", (call) => {
    expect(problemsOf(call)).toEqual([]);
  });

  it("names the missing input", () => {
    expect(problemsOf("twice")).toEqual([expect.stringMatching(/Expected 2-3 arguments, but got 1.*\n.*'input'/)]);
  });

  it("names the missing property of the input", () => {
    expect(problemsOf("twice, {}")).toEqual([expect.stringContaining("Property 'n' is missing in type '{}'")]);
  });

  it("names the wrong type of a property", () => {
    expect(problemsOf('twice, { n: "1" }')).toEqual([
      expect.stringContaining("Type 'string' is not assignable to type 'number'."),
    ]);
  });
});
