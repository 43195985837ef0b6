import { describe, expect, it } from "vitest";
import { UsageError } from "../support/usage-error.ts";
import { findHeaderParams } from "./header-params.ts";

const argument = (schema: object) => ({ type: "object", properties: { a: schema } });
const header = (name: unknown, type = "string") => ({ type, "x-mcp-header": name });

describe("x-mcp-header", () => {
  it("is found in nested properties", () => {
    const schema = { type: "object", properties: { a: header("Region"), b: argument(header("Deep", "boolean")) } };
    expect(findHeaderParams(schema, "t")).toEqual([
      { header: "mcp-param-region", path: ["a"] },
      { header: "mcp-param-deep", path: ["b", "a"] },
    ]);
  });

  it("is ignored as a property name and in a default value", () => {
    const schema = {
      type: "object",
      properties: { "x-mcp-header": { type: "number", default: { "x-mcp-header": 1 } } },
    };
    expect(findHeaderParams(schema, "t")).toEqual([]);
  });

  it.each([
    ["an empty name", argument(header(""))],
    ["a line break", argument(header("A\r\nB"))],
    ["a space", argument(header("a b"))],
    ["a name that is not a string", argument(header(1))],
    ["a number", argument(header("A", "number"))],
    ["an object", argument(header("A", "object"))],
    ["the root", { type: "object", "x-mcp-header": "A" }],
    ["items", argument({ type: "array", items: header("A") })],
    ["anyOf", argument({ anyOf: [header("A")] })],
    ["a definition", { type: "object", $defs: { d: header("A") }, properties: { a: { $ref: "#/$defs/d" } } }],
    ["properties below anyOf", { type: "object", anyOf: [argument(header("A"))] }],
    ["a name that differs in case", { type: "object", properties: { a: header("Region"), b: header("region") } }],
  ])("is rejected with %s", (_what, schema) => {
    expect(() => findHeaderParams(schema, "t")).toThrow(UsageError);
  });
});
