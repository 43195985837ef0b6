import { afterEach, describe, expect, it } from "vitest";
import { UsageError } from "../../support/usage-error.ts";
import { compileJsonSchema } from "./compile.ts";
import type { JsonSchema, JsonSchemaObject } from "./types.ts";

const TOO_MUCH = [
  {
    pointer: "",
    message: "is too complex to validate: it takes more than 5000000 steps. Simplify the value or the schema",
  },
];
const TOO_DEEP = [{ pointer: "", message: "is nested too deep to validate" }];

describe("Names of Object.prototype", () => {
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "__defineGetter__"];

  it.each(names)("are ordinary names: %s", (name) => {
    const schema = JSON.parse(
      `{"properties":{"${name}":{"type":"string"}},"required":["${name}"],"additionalProperties":false}`,
    );
    const compiled = compileJsonSchema(schema);
    expect(compiled.check({})).toBe(false);
    expect(compiled.issues({})).toEqual([{ pointer: "", message: `missing required property "${name}"` }]);
    expect(compiled.check(JSON.parse(`{"${name}":"x"}`))).toBe(true);
    expect(compiled.issues(JSON.parse(`{"${name}":{"x":1}}`))).toEqual([
      { pointer: `/${name}`, message: "must be string" },
    ]);
  });

  it.each(names)("are unknown properties if the schema does not name them: %s", (name) => {
    const compiled = compileJsonSchema({ properties: { a: true }, additionalProperties: false });
    expect(compiled.check({ a: 1 })).toBe(true);
    expect(compiled.issues(JSON.parse(`{"${name}":1}`))).toEqual([
      { pointer: `/${name}`, message: "unknown property" },
    ]);
  });

  it("cannot pollute prototypes", () => {
    const value = JSON.parse('{"__proto__":{"x":1},"constructor":{"prototype":{"x":1}}}');
    const schema = JSON.parse('{"properties":{"__proto__":{"properties":{"x":true}}},"const":{"__proto__":{"x":1}}}');
    const compiled = compileJsonSchema(schema);
    compiled.check(value);
    compiled.issues(value);
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });
});

describe("Inherited properties", () => {
  afterEach(() => {
    Reflect.deleteProperty(Object.prototype, "polluted");
    Reflect.deleteProperty(Object.prototype, "minimum");
  });

  it("are ignored, even if Object.prototype is polluted", () => {
    const closed = compileJsonSchema({ properties: { a: { type: "number" } }, additionalProperties: false });
    const required = compileJsonSchema({ required: ["polluted"] });
    const names = compileJsonSchema({
      propertyNames: { maxLength: 1 },
      maxProperties: 1,
      dependentRequired: { polluted: ["b"] },
    });
    Object.assign(Object.prototype, { polluted: "yes", minimum: 5 });
    expect(closed.check({ a: 1 })).toBe(true);
    expect(closed.issues({ a: 1 })).toEqual([]);
    expect(required.check({ a: 1 })).toBe(false);
    expect(required.issues({ a: 1 })).toHaveLength(1);
    expect(names.check({ a: 1 })).toBe(true);
    expect(compileJsonSchema({ type: "number", maximum: 9 }).check(1)).toBe(true);
  });

  it("do not make an object with methods on its prototype invalid", () => {
    const value = Object.assign(Object.create({ describe: () => "" }), { a: 1 });
    const closed = compileJsonSchema({ properties: { a: { type: "number" } }, additionalProperties: false });
    expect(closed.check(value)).toBe(true);
    expect(closed.issues(value)).toEqual([]);
  });

  it("are not required properties, because JSON does not have them", () => {
    const required = compileJsonSchema({ required: ["id", "constructor", "toString"] });
    class Row {}
    const row = Object.assign(new Row(), { constructor: "a", toString: "b" });
    Object.assign(Row.prototype, { id: 1 });
    expect([required.check(row), required.check({ ...row, id: 1 })]).toEqual([false, true]);
    expect(required.issues(new Row()).map(({ message }) => message)).toHaveLength(3);
    expect(compileJsonSchema({ additionalProperties: false }).check(new Row())).toBe(true);
  });
});

describe("A value that costs too much", () => {
  const nested = (depth: number): unknown => (depth === 0 ? {} : { child: nested(depth - 1) });

  it("is rejected if alternatives are recursive", () => {
    const branch = (name: string) => ({ type: "object", properties: { child: { $ref: "#" } }, required: [name] });
    const compiled = compileJsonSchema({ anyOf: [branch("a"), branch("b"), { type: "string" }] });
    expect(compiled.check(nested(60))).toBe(false);
    expect(compiled.issues(nested(60))).toEqual(TOO_MUCH);
    expect(compiled.issues(nested(2)).length).toBeGreaterThan(1);
  });

  it("is rejected if references fan out over one value, also under not", () => {
    const $defs: Record<string, JsonSchema> = { d50: { type: "string" } };
    for (let i = 0; i < 50; i++)
      $defs[`d${i}`] = { anyOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] };
    for (const schema of [
      { $ref: "#/$defs/d0", $defs },
      { not: { $ref: "#/$defs/d0" }, $defs },
    ]) {
      expect(compileJsonSchema(schema).check(1)).toBe(false);
      expect(compileJsonSchema(schema).issues(1)).toEqual(TOO_MUCH);
    }
  });

  it("is rejected if a pattern has many states and the text is long", () => {
    const compiled = compileJsonSchema({ pattern: String.raw`^[^\s@]+@[^\s@]+\.[^\s@]+$` });
    expect(compiled.check("ann@example.com")).toBe(true);
    expect(compiled.check(`a@${".".repeat(100_000)}a`)).toBe(true);
    expect(compiled.issues(`a@${".".repeat(1_000_000)}@`)).toEqual(TOO_MUCH);
    expect(compiled.check(`a@${".".repeat(1_000_000)}@`)).toBe(false);
    const keys = compileJsonSchema({ patternProperties: { "^\\s*\\s*$": true } });
    expect(keys.check({ [`${" ".repeat(2_000_000)}x`]: 1 })).toBe(false);
  });

  it("is not matched against a pattern if it exceeds maxLength", () => {
    const compiled = compileJsonSchema({ pattern: "^(a+)+$", unsafePattern: true, maxLength: 10 });
    expect(compiled.issues(`${"a".repeat(100)}!`)).toEqual([
      { pointer: "", message: "must have at most 10 characters (has 101)" },
    ]);
  });

  it("is rejected if it is nested deeper than the stack", () => {
    let deep: unknown = [];
    for (let i = 0; i < 200_000; i++) deep = [deep];
    for (const schema of [{ items: { $ref: "#" } }, { uniqueItems: true, minItems: 0 }, { enum: [[1]] }]) {
      const compiled = compileJsonSchema(schema);
      expect(compiled.check([deep, 1])).toBe(false);
      expect(compiled.issues([deep, 1])).toEqual(TOO_DEEP);
    }
  });

  it("does not affect the next validation", () => {
    const compiled = compileJsonSchema({ items: { $ref: "#" } });
    expect(compiled.check(new Array(6_000_000).fill(0))).toBe(false);
    expect(compiled.check([[[]]])).toBe(true);
  });

  it("does not include many unique items", () => {
    const compiled = compileJsonSchema({ uniqueItems: true });
    const items = Array.from({ length: 50_000 }, (_, i) => ({ i: [i] }));
    expect(compiled.check(items)).toBe(true);
    expect(compiled.check([...items, { i: [7] }])).toBe(false);
  });
});

describe("A schema that is too large", () => {
  it("is rejected for its depth, also if it contains itself", () => {
    let deep: JsonSchema = {};
    for (let i = 0; i < 300; i++) deep = { items: deep };
    expect(() => compileJsonSchema(deep)).toThrow(/nested more than 200 levels deep/);
    const cyclic: { not?: JsonSchemaObject } = {};
    cyclic.not = cyclic;
    expect(() => compileJsonSchema(cyclic)).toThrow(UsageError);
  });

  it("is rejected for the number of its subschemas, also if one object is used many times", () => {
    let shared: JsonSchema = {};
    for (let i = 0; i < 40; i++) shared = { allOf: [shared, shared] };
    expect(() => compileJsonSchema(shared)).toThrow(/more than 10000 subschemas/);
  });

  it("is rejected for a long chain of references", () => {
    const $defs: Record<string, JsonSchema> = { d300: {} };
    for (let i = 0; i < 300; i++) $defs[`d${i}`] = { $ref: `#/$defs/d${i + 1}` };
    expect(() => compileJsonSchema({ $ref: "#/$defs/d0", $defs })).toThrow(/at the end of more than 200 references/);
  });
});

describe("Schemas with the same $id", () => {
  it("are independent of each other", () => {
    const $id = "https://example.com/same";
    const text = compileJsonSchema({ $id, $ref: "#/$defs/a", $defs: { a: { type: "string" } } });
    const number = compileJsonSchema({ $id, $ref: "#/$defs/a", $defs: { a: { type: "number" } } });
    expect([text.check("a"), text.check(1), number.check("a"), number.check(1)]).toEqual([true, false, false, true]);
  });
});

describe("Large schemas", () => {
  it("with many required names are compiled in a linear time", () => {
    const required = Array.from({ length: 150_000 }, (_, n) => `r${n}`);
    const started = process.cpuUsage().user;
    expect(compileJsonSchema({ required }).issues({})).toHaveLength(101);
    // A search of the list for each name takes a minute.
    expect(process.cpuUsage().user - started).toBeLessThan(10_000_000);
  });

  it("are refused if they have too many names for their patterns", () => {
    const required = Array.from({ length: 5000 }, (_, n) => `name${n}`);
    const patterns = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`^a${n}`, true]));
    const schema = (count: number) => ({ patternProperties: patterns(count), required, properties: { a: true } });
    expect(() => compileJsonSchema(schema(4000))).toThrow("has too many names for its patternProperties");
    expect(compileJsonSchema(schema(100)).check({})).toBe(false);
  });
});
