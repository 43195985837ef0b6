// biome-ignore-all lint/suspicious/noThenProperty: a keyword of JSON Schema
import { describe, expect, it, test } from "vitest";
import { compileJsonSchema } from "./compile.ts";
import { closeSchema, prunerOf } from "./prune.ts";
import type { JsonSchemaObject } from "./types.ts";

const text = { type: "string" } as const;
const number = { type: "number" } as const;
const objectOf = (properties: JsonSchemaObject["properties"], more: JsonSchemaObject = {}): JsonSchemaObject => ({
  type: "object",
  ...(properties && { properties }),
  ...more,
});

const USER = objectOf({ id: number, name: text }, { required: ["id"] });
const NODE = objectOf({ v: number, next: { $ref: "#/$defs/Node" } });

describe("drops unknown properties of", () => {
  const cases: [name: string, schema: JsonSchemaObject, value: unknown, pruned: unknown][] = [
    ["an object", USER, { id: 1, hash: "x", name: "Ada" }, { id: 1, name: "Ada" }],
    ["an object that is closed already", { ...USER, additionalProperties: false }, { id: 1, hash: "x" }, { id: 1 }],
    ["an object that has no properties", { type: "object", additionalProperties: false }, { hash: "x" }, {}],
    ["items", { type: "array", items: USER }, [{ id: 1, hash: "x" }, { id: 2 }], [{ id: 1 }, { id: 2 }]],
    ["elements", { prefixItems: [text, USER], items: USER }, ["a", { id: 1, h: 1 }, { id: 2, h: 1 }], ["a", { id: 1 }, { id: 2 }]],
    ["the values of a record", { type: "object", additionalProperties: USER }, { a: { id: 1, h: 1 } }, { a: { id: 1 } }],
    ["properties by pattern", objectOf({}, { patternProperties: { "^x-": USER } }), { "x-a": { id: 1, h: 1 }, b: 1 }, { "x-a": { id: 1 } }],
    ["a recursive type", { ...NODE, $defs: { Node: NODE } }, { v: 1, h: 1, next: { v: 2, h: 1 } }, { v: 1, next: { v: 2 } }],
    ["the parts of an intersection", { allOf: [USER, objectOf({ mail: text })] }, { id: 1, mail: "", h: 1 }, { id: 1, mail: "" }],
    ["nested parts of an intersection", { allOf: [objectOf({ p: USER }), objectOf({ p: objectOf({ mail: text }) })] }, { p: { id: 1, mail: "", h: 1 } }, { p: { id: 1, mail: "" } }],
    ["a conditional object", { ...objectOf({ a: number }), if: { required: ["a"] }, then: objectOf({ b: number }) }, { a: 1, b: 2, h: 1 }, { a: 1, b: 2 }],
    ["a dependent object", { ...objectOf({ a: number }), dependentSchemas: { a: objectOf({ b: number }) } }, { a: 1, b: 2, h: 1 }, { a: 1, b: 2 }],
    ["__proto__ like any other", objectOf({ id: number }), JSON.parse('{ "__proto__": { "h": 1 }, "id": 1 }'), { id: 1 }],
    ["toJSON", USER, { id: 1, toJSON: () => ({ id: 2, hash: "x" }) }, { id: 2 }],
  ]; // biome-ignore format: one case per line

  test.each(cases)("%s", (_, schema, value, pruned) => {
    const before = JSON.stringify(value);
    const result = prunerOf(schema)(value);
    expect(result).toEqual(pruned);
    expect(JSON.stringify(value)).toBe(before);
    expect(compileJsonSchema(closeSchema(schema)).check(result)).toBe(true);
  });
});

describe("keeps", () => {
  const cases: [name: string, schema: JsonSchemaObject, value: object][] = [
    ["the same object if nothing is dropped", objectOf({ list: { type: "array", items: USER } }), { list: [{ id: 1 }] }],
    ["values that no schema describes", {}, { any: { thing: 1 } }],
    ["an object without declared properties", objectOf({ meta: { type: "object" } }), { meta: { any: 1 } }],
    ["unknown parts", objectOf({ meta: {} }), { meta: { deep: { any: 1 } } }],
    ["an open object", objectOf({ id: number }, { additionalProperties: true }), { id: 1, more: { any: 1 } }],
    ["properties by an index signature", objectOf({ id: number }, { additionalProperties: {} }), { id: 1, more: 1 }],
  ]; // biome-ignore format: one case per line

  test.each(cases)("%s", (_, schema, value) => {
    expect(prunerOf(schema)(value)).toBe(value);
  });
});

describe("a union", () => {
  const circle = objectOf({ kind: { const: "circle" }, r: number }, { required: ["kind"] });
  const square = objectOf({ kind: { const: "square" }, side: number }, { required: ["kind"] });

  it("keeps the properties of the alternative that matches", () => {
    for (const schema of [{ oneOf: [circle, square] }, { anyOf: [square, circle, { type: "null" }] }]) {
      expect(prunerOf(schema)({ kind: "circle", r: 1, side: 2, h: 1 })).toEqual({ kind: "circle", r: 1 });
      expect(prunerOf(schema)({ kind: "square", r: 1, side: 2, h: 1 })).toEqual({ kind: "square", side: 2 });
    }
  });

  it("keeps the properties of the alternative that drops the least, at every level", () => {
    const small = objectOf({ id: number }, { required: ["id"] });
    const lists = {
      anyOf: [
        { type: "array", items: small },
        { type: "array", items: USER },
      ],
    };
    expect(prunerOf(lists)([{ id: 1, name: "Ada", h: 1 }])).toEqual([{ id: 1, name: "Ada" }]);
    expect(prunerOf({ anyOf: [USER, small] })({ id: 1, name: 5 })).toEqual({ id: 1 });
    const either = { anyOf: [objectOf({ x: number }), objectOf({ y: number })] };
    expect(prunerOf(either)({ x: 1, y: 2 })).toEqual({ x: 1 });
  });

  it("keeps no property that all alternatives lack if none matches", () => {
    expect(prunerOf({ anyOf: [circle, square] })({ kind: "other", r: 1, h: 1 })).toEqual({ kind: "other", r: 1 });
  });

  it("is chosen in time for a deep value whose alternatives all match", () => {
    const left = objectOf({ v: number, next: { $ref: "#/$defs/Tree" } });
    const right = objectOf({ w: number, next: { $ref: "#/$defs/Tree" } });
    const schema = { $ref: "#/$defs/Tree", $defs: { Tree: { anyOf: [left, right] } } };
    let value: object = { v: 1, h: 1 };
    for (let level = 0; level < 15; level++) value = { w: 1, h: 1, next: value };
    expect(JSON.stringify(prunerOf(schema)(value))).not.toContain("h");
  });
});

describe("a closed schema", () => {
  it("rejects other properties at every level", () => {
    expect(
      closeSchema(
        objectOf({ user: USER, list: { type: "array", items: { $ref: "#/$defs/User" } } }, { $defs: { User: USER } }),
      ),
    ).toEqual(
      objectOf(
        { user: { ...USER, additionalProperties: false }, list: { type: "array", items: { $ref: "#/$defs/User" } } },
        { $defs: { User: { ...USER, additionalProperties: false } }, additionalProperties: false },
      ),
    );
  });

  it("stays open where it is composed, unknown or open on purpose", () => {
    const open = [
      { allOf: [USER, objectOf({ mail: text })] },
      objectOf({ id: number }, { anyOf: [objectOf({ a: number }), objectOf({ b: number })] }),
      {},
      { type: "object" },
      objectOf({ id: number }, { additionalProperties: {} }),
    ];
    for (const schema of open) expect(closeSchema(schema)).toEqual(schema);
  });
});
