import { tokensOf } from "proffer/derived";
import { describe, expect, test } from "vitest";
import { bytesOf } from "../../cli/src/derive/model/tool-size.ts";
import { costOf, costParts } from "../../cli/src/doctor/examine-cost.ts";
import { tokenShare } from "../src/page/text/format.ts";

const TOOL = {
  name: "ship",
  description: "Ships goods to an address, and says when they arrive.",
  inputSchema: {
    type: "object",
    properties: {
      carrier: { type: "string", enum: ["post", "courier", "drone"], description: "who carries the goods" },
      to: { $ref: "#/$defs/address" },
      // A parameter with the name of a keyword is no description.
      description: { type: "object", properties: { enum: { type: "string", description: "a text" } } },
    },
    $defs: { address: { type: "object", properties: { zip: { type: "string", description: "five digits" } } } },
  },
  outputSchema: { type: "object", properties: { day: { type: "string" } } },
};

describe("the cost of a tool by its parts", () => {
  const tokens = (value: unknown) => tokensOf(bytesOf(value));
  const parts = costParts(TOOL);
  const part = (name: string) => parts.find((each) => each.name === name);

  test("names each parameter and definition with its descriptions and enums", () => {
    const { carrier, description } = TOOL.inputSchema.properties;
    expect(part("carrier")).toEqual({
      kind: "parameter",
      name: "carrier",
      tokens: tokens({ carrier }),
      descriptions: tokens("who carries the goods"),
      enums: tokens(["post", "courier", "drone"]),
    });
    expect(part("description")).toMatchObject({
      tokens: tokens({ description }),
      descriptions: tokens("a text"),
      enums: 0,
    });
    expect(part("address")).toMatchObject({ kind: "definition", descriptions: tokens("five digits") });
    expect(parts[0]).toMatchObject({ kind: "description", tokens: tokens(TOOL.description) });
  });

  test("the parts are the whole without the output schema, as far as rounding allows", () => {
    const { tokens: whole, output } = costOf(TOOL);
    const sum = parts.reduce((sum, { tokens }) => sum + tokens, 0);
    expect(output).toBe(tokens(TOOL.outputSchema));
    expect(Math.abs(sum - (whole - output))).toBeLessThanOrEqual(parts.length);
  });

  test("a hostile schema is measured within bounds", () => {
    let deep: object = { description: "deep" };
    for (let level = 0; level < 500; level++) deep = { items: deep };
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`p${n}`, { enum: [n] }]));
    const found = costParts({ name: "x", inputSchema: { properties: many, $defs: [null, 1], definitions: "x" } });
    expect(found).toHaveLength(101);
    expect(found.at(-1)?.tokens).toBeGreaterThan(10_000);
    expect(costParts({ name: "x", inputSchema: { properties: { deep, none: null } } })).toHaveLength(3);
    expect(costParts({ name: "x", inputSchema: null })).toEqual([
      { kind: "rest", tokens: tokens({ name: "x", inputSchema: null }), descriptions: 0, enums: 0 },
    ]);
  });
});

test("tokens are shown with their share of a context", () => {
  expect([0, 150, 412, 20_400].map(tokenShare)).toEqual([
    "≈ 0 tokens, 0.0 % of a context of 200k",
    "≈ 150 tokens, less than 0.1 % of a context of 200k",
    "≈ 412 tokens, 0.2 % of a context of 200k",
    "≈ 20400 tokens, 10 % of a context of 200k",
  ]);
});
