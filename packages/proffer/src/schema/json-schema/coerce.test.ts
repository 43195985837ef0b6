import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { coerceArguments } from "./coerce.ts";
import { MAX_WORK, run } from "./run.ts";
import type { JsonSchema, JsonSchemaObject } from "./types.ts";

const MAX_ITEMS = 1000;

function coerce(schema: JsonSchemaObject, sent: Record<string, unknown>, maxItems = MAX_ITEMS): unknown {
  return coerceArguments(schema, sent, maxItems);
}

/** Converts one argument with this schema. */
function coerceValue(schema: JsonSchema, value: unknown, maxItems = MAX_ITEMS): unknown {
  const { v } = coerce({ type: "object", properties: { v: schema } }, { v: value }, maxItems) as { v: unknown };
  return v;
}

const NUMBER = { type: "number" };
const INTEGER = { type: "integer" };
const BOOLEAN = { type: "boolean" };
const STRING = { type: "string" };
const NULL = { type: "null" };
const NUMBERS = { type: "array", items: NUMBER };

describe("a string is converted", () => {
  it.each<[string, JsonSchema, string, unknown]>([
    ["to a number", NUMBER, "-1.5e3", -1500],
    ["to an integer", INTEGER, "12", 12],
    ["to zero", INTEGER, "0", 0],
    ["to true", BOOLEAN, "true", true],
    ["to false", BOOLEAN, "false", false],
    ["to an object", { type: "object" }, ' {"a":[1]}', { a: [1] }],
    ["to an array", { type: "array" }, "[1]", [1]],
    ["inside of a text", { type: "array", items: BOOLEAN }, '["true",false]', [true, false]],
    ["to one of some numbers", { enum: [1, 2] }, "2", 2],
    ["to a constant", { const: true }, "true", true],
    ["to a type with two names", { type: ["integer", "number"] }, "2", 2],
    ["by allOf", { allOf: [{ type: ["string", "number"] }, { type: ["number", "null"] }] }, "2", 2],
    ["by alternatives of one type", { anyOf: [{ ...NUMBER, minimum: 5 }, INTEGER] }, "2", 2],
    ["by a union of objects", { oneOf: [{ type: "object" }, { type: "object" }] }, "{}", {}],
  ])("%s", (_what, schema, text, expected) => {
    expect(coerceValue(schema, text)).toEqual(expected);
  });

  it("in properties, items, prefixItems, additionalProperties, allOf and behind references", () => {
    const schema: JsonSchemaObject = {
      type: "object",
      properties: {
        list: NUMBERS,
        pair: { type: "array", prefixItems: [BOOLEAN], items: NUMBER },
        map: { type: "object", additionalProperties: NUMBER },
        tree: { $ref: "#/$defs/a~1tree" },
        all: { allOf: [{ properties: { a: NUMBER } }, { properties: { b: BOOLEAN } }] },
      },
      $defs: {
        "a/tree": {
          type: "object",
          properties: { size: INTEGER, children: { type: "array", items: { $ref: "#/$defs/a~1tree" } } },
        },
      },
    };
    const sent = {
      list: ["1", 2, "3"],
      pair: ["true", "1"],
      map: { a: "1", b: "x" },
      tree: { size: "1", children: [{ size: "2", children: '[{"size":"3"}]' }] },
      all: { a: "1", b: "true" },
      other: "1",
    };
    expect(coerce(schema, sent)).toEqual({
      list: [1, 2, 3],
      pair: [true, 1],
      map: { a: 1, b: "x" },
      tree: { size: 1, children: [{ size: 2, children: [{ size: 3 }] }] },
      all: { a: 1, b: true },
      other: "1",
    });
  });

  it("in the only alternative that fits by type, required properties and constants", () => {
    const shape = {
      anyOf: [
        { $ref: "#/$defs/circle" },
        { type: "object", properties: { kind: { const: "square" }, side: NUMBER, r: STRING } },
        { type: "object", properties: { width: NUMBER }, required: ["width", "height"] },
        NUMBERS,
        NULL,
      ],
    };
    const circle = {
      type: "object",
      properties: { kind: { enum: ["circle", "ring"] }, r: NUMBER },
      required: ["kind"],
    };
    const schema = { type: "object", properties: { shapes: { type: "array", items: shape } }, $defs: { circle } };
    const shapes = [{ kind: "circle", r: "1" }, { kind: "square", side: "2", r: "3" }, ["1"], null];
    expect(coerce(schema, { shapes })).toEqual({
      shapes: [{ kind: "circle", r: 1 }, { kind: "square", side: 2, r: "3" }, [1], null],
    });
  });
});

describe("a string stays a string", () => {
  it.each<[string, JsonSchema, string]>([
    ["where one is allowed", { type: ["string", "number"] }, "1"],
    ["where one is allowed by a union", { anyOf: [NUMBER, STRING] }, "1"],
    ["where one is allowed by a list of values", { enum: [1, "one"] }, "1"],
    ["where anything is allowed", true, "1"],
    ["where nothing is allowed", false, "1"],
    ["without a type", { minimum: 0 }, "1"],
    ["where two types are allowed", { type: ["number", "boolean"] }, "1"],
    ["where null is allowed too", { anyOf: [INTEGER, NULL] }, "1"],
    ["if only null is allowed", NULL, "null"],
    ["where an array or an object is allowed", { type: ["array", "object"] }, "[]"],
    ["if the text is of another type", { type: "array" }, "{}"],
    ["with other words for a boolean", BOOLEAN, "True"],
    ["with a number for a boolean", BOOLEAN, "1"],
    ["without text", NUMBER, ""],
    ["with blanks around a number", NUMBER, " 1"],
    ["with a leading zero", NUMBER, "01"],
    ["with a plus sign", NUMBER, "+1"],
    ["with a hexadecimal number", NUMBER, "0x10"],
    ["with a separator", NUMBER, "1,000"],
    ["with a word for a number", NUMBER, "Infinity"],
    ["with a number above the range", NUMBER, "1e999"],
    ["with an integer that a number cannot hold", INTEGER, "9007199254740993"],
    ["with invalid JSON", { type: "object" }, "{a:1}"],
    ["with JSON and more", { type: "array" }, "[] []"],
    ["with a duplicate key", { type: "object" }, '{"a":1,"a":2}'],
    ["with a duplicate key that is written differently", { type: "object" }, '{"a":1,"\\u0061":2}'],
    ["with a duplicate key far inside", { type: "array" }, '[{"x":[{"a":1,"a":2}]}]'],
    ["behind an unknown reference", { $ref: "https://example.org/number" }, "1"],
    ["behind a reference with a bad escape", { $ref: "#/%" }, "1"],
    ["behind a reference to itself", { $ref: "#/properties/v" }, "1"],
  ])("%s", (_what, schema, text) => {
    expect(coerceValue(schema, text)).toBe(text);
  });

  it("where a pattern may apply to the property", () => {
    const schema = { type: "object", patternProperties: { "^x": STRING }, additionalProperties: NUMBER };
    expect(coerce(schema, { x1: "1" })).toEqual({ x1: "1" });
  });

  it("in a union of which two alternatives fit", () => {
    const union = { anyOf: [NUMBERS, { type: "array", items: BOOLEAN }] };
    expect(coerceValue(union, ["1"])).toEqual(["1"]);
    const open = { anyOf: [{ properties: { a: NUMBER } }, { properties: { a: BOOLEAN } }] };
    expect(coerceValue(open, { a: "1" })).toEqual({ a: "1" });
  });
});

describe("the arguments as sent", () => {
  it("are not changed: a copy is made along the converted paths only", () => {
    const schema = { type: "object", properties: { a: NUMBERS, b: NUMBERS, c: NUMBERS } };
    const sent = { a: Object.freeze(["1", "2"]), b: [1], c: "[3]" };
    const converted = coerce(schema, Object.freeze(sent)) as typeof sent;
    expect(converted).toEqual({ a: [1, 2], b: [1], c: [3] });
    expect(sent).toEqual({ a: ["1", "2"], b: [1], c: "[3]" });
    expect(converted.b).toBe(sent.b);
  });

  it("are returned if nothing was converted", () => {
    const sent = { a: [{ b: 1 }], c: "x" };
    const a = { type: "array", items: { properties: { b: NUMBER } } };
    expect(coerce({ type: "object", properties: { a, c: NUMBER } }, sent)).toBe(sent);
  });

  it("may have properties that are named like those of every object", () => {
    const sent = JSON.parse('{"__proto__":"1","constructor":"2"}');
    const converted = coerce({ type: "object", additionalProperties: NUMBER }, sent) as object;
    expect(Object.entries(converted)).toEqual([
      ["__proto__", 1],
      ["constructor", 2],
    ]);
    expect(Object.getPrototypeOf(converted)).toBe(Object.prototype);
    const text = coerceValue({ type: "object", additionalProperties: NUMBER }, '{"__proto__":"1"}') as object;
    expect(Object.entries(text)).toEqual([["__proto__", 1]]);
    const inherited = { type: "object", properties: { toString: NUMBER }, additionalProperties: NUMBER };
    expect(coerce(inherited, {})).toEqual({});
  });
});

describe("the limits", () => {
  const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

  it("of the depth of a message hold for the arguments with the parsed texts", () => {
    // The envelope, params and arguments are three of the 64 levels.
    expect(coerceValue({ type: "array" }, nested(61))).toBeInstanceOf(Array);
    expect(coerceValue({ type: "array" }, nested(62))).toBe(nested(62));
    expect(coerceValue({ items: { type: "array" } }, [nested(60)])).not.toEqual([nested(60)]);
    expect(coerceValue({ items: { type: "array" } }, [nested(61)])).toEqual([nested(61)]);
    expect(coerceValue({ type: "array" }, "[".repeat(5_000_000))).toHaveLength(5_000_000);
  });

  it("of the items of a message hold for all texts together", () => {
    const text = `[${"0,".repeat(399)}0]`;
    expect(coerceValue({ type: "array" }, text, 400)).toHaveLength(400);
    expect(coerceValue({ type: "array" }, text, 399)).toBe(text);
    const lists = { type: "array", items: { type: "array" } };
    expect(coerceValue(lists, [text, text, text], 1000)).toEqual([expect.any(Array), expect.any(Array), text]);
  });

  it("of the work of a validation hold for the walk; beyond it nothing is converted", () => {
    // Each level doubles the work.
    const both = { type: "array", items: { allOf: [{ $ref: "#/$defs/both" }, { $ref: "#/$defs/both" }] } };
    const deep = JSON.parse(`${"[".repeat(40)}"1"${"]".repeat(40)}`);
    const schema = { type: "object", properties: { n: NUMBER, both: { $ref: "#/$defs/both" } }, $defs: { both } };
    const sent = { n: "1", both: deep };
    expect(coerce(schema, sent)).toBe(sent);
    expect(run.left).toBeLessThan(0);
    expect(run.left).toBeGreaterThan(-MAX_WORK);
  });

  it("let the largest message pass", () => {
    const list = Array.from({ length: 250_000 }, () => "1");
    expect((coerceValue(NUMBERS, list) as unknown[]).at(-1)).toBe(1);
  });
});

it("converts every value back that was sent as its JSON text", () => {
  const schema = {
    type: "object",
    properties: { n: NUMBER, b: BOOLEAN, o: { type: "object" }, a: { type: "array" } },
  };
  const json = fc.jsonValue({ maxDepth: 3 });
  const values = fc.record({
    n: fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }),
    b: fc.boolean(),
    o: fc.dictionary(fc.string(), json),
    a: fc.array(json),
  });
  fc.assert(
    fc.property(values, (value) => {
      const sent = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, JSON.stringify(each)]));
      expect(coerce(schema, sent)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
    { numRuns: 300 },
  );
});
