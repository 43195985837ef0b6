import { describe, expect, it } from "vitest";
import { compileJsonSchema } from "./compile.ts";
import { compilePattern } from "./pattern.ts";
import { MAX_WORK, run } from "./run.ts";
import type { JsonSchema } from "./types.ts";

const TOO_COMPLEX = {
  pointer: "",
  message: "is too complex to validate: it takes more than 5000000 steps. Simplify the value or the schema",
};

function list<Item>(length: number, item: (i: number) => Item): Item[] {
  return Array.from({ length }, (_, i) => item(i));
}

function record<Item>(size: number, item: (i: number) => Item, name = "k"): Record<string, Item> {
  return Object.fromEntries(list(size, (i) => [`${name}${i}`, item(i)]));
}

/** Wraps a schema in itself. */
function wrap(times: number, schema: JsonSchema, around: (inner: JsonSchema) => JsonSchema): JsonSchema {
  return times === 0 ? schema : around(wrap(times - 1, schema, around));
}

function nest(depth: number, value: unknown): unknown {
  return depth === 0 ? value : [nest(depth - 1, value), depth];
}

/** Returns the steps that a validation charges. */
function stepsOf(validate: () => unknown): number {
  validate();
  return MAX_WORK - run.left;
}

describe("a value that exceeds the work limit is refused, by check and by issues", () => {
  it.each<[string, JsonSchema, unknown]>([
    ["multiples with big integers", { items: { multipleOf: 0.01 } }, list(200_000, () => 1e300)],
    [
      "recursive uniqueItems",
      { uniqueItems: true, items: { $ref: "#" } },
      nest(
        60,
        list(30_000, (i) => [i]),
      ),
    ],
    ["enums of arrays", { anyOf: list(100, (i) => ({ enum: [[i]] })) }, list(20_000, (i) => i)],
    [
      "alternatives for each item",
      { items: { anyOf: list(100, (i) => ({ type: "object", properties: { a: { const: i } }, maxProperties: 1 })) } },
      list(50_000, () => ({ a: -1, b: 1 })),
    ],
  ])("%s", (_what, schema, value) => {
    const { check, issues } = compileJsonSchema(schema);
    expect(check(value)).toBe(false);
    expect(issues(value).at(-1)).toEqual(TOO_COMPLEX);
    // The check stops at the limit: it overshoots by at most one canonical form of the value.
    expect(run.left).toBeGreaterThan(-MAX_WORK);
  });

  it("with the issues that were found before the limit", () => {
    const names = list(1_000, (i) => `r${i}`);
    const found = compileJsonSchema({ items: { required: names } }).issues(list(50_000, () => ({})));
    expect(found[0]).toEqual({ pointer: "/0", message: 'missing required property "r0"' });
    expect(found).toHaveLength(101);
    expect(found.at(-1)).toEqual(TOO_COMPLEX);
  });
});

describe("the work is charged", () => {
  const text = "x".repeat(100_000);
  const numbers = list(1_000, (i) => i);
  const objects = list(100, () => ({}));
  const names = record(1_000, (i) => i);
  const hundred = (schema: (i: number) => JsonSchema) => list(100, schema);
  /** The schema, the value, and the least number of steps for `check` and for `issues`. */
  const cases: [string, JsonSchema, unknown, number, number][] = [
    ["multiples of integers", { items: { multipleOf: 7 } }, list(1_000, () => 1.4e301), 30_000, 30_000],
    ["unique composite items", { uniqueItems: true }, list(1_000, (i) => ({ i: [i] })), 20_000, 20_000],
    ["unique primitive items", { uniqueItems: true }, numbers, 5_000, 5_000],
    ["enums of objects", { anyOf: hundred((i) => ({ enum: [{ i }] })) }, names, 100_000, 100_000],
    ["a constant next to a long text", { const: [1] }, [text], 10_000, 10_000],
    ["anyOf", { items: { anyOf: hundred((i) => ({ const: i })) } }, list(1_000, () => 99), 100_000, 100_000],
    ["oneOf", { items: { oneOf: hundred((i) => ({ enum: [i] })) } }, list(1_000, () => 99), 100_000, 100_000],
    ["allOf", { items: { allOf: hundred((i) => ({ minimum: -i })) } }, numbers, 50_000, 100_000],
    ["not", { items: wrap(100, { type: "number" }, (not) => ({ not })) }, numbers, 100_000, 100_000],
    [
      "if",
      { items: wrap(100, { type: "number" }, (inner) => ({ if: inner, else: { minimum: 0 } })) },
      numbers,
      100_000,
      100_000,
    ],
    [
      "nested anyOf",
      { items: wrap(50, { type: "string" }, (inner) => ({ anyOf: [inner, { type: "null" }] })) },
      [1, 2, 3],
      50,
      3_000,
    ],
    ["contains", { allOf: hundred(() => ({ contains: { type: "number" } })) }, numbers, 100_000, 100_000],
    ["patternProperties", { patternProperties: record(100, () => true, "^a") }, names, 400_000, 400_000],
    ["propertyNames", { propertyNames: { enum: Object.keys(names) } }, names, 8_000, 8_000],
    ["rejected names of a large object", { anyOf: hundred(() => ({ propertyNames: false })) }, names, 800_000, 800_000],
    ["rejected properties", { anyOf: hundred(() => ({ additionalProperties: false })) }, names, 800_000, 800_000],
    ["numbers of properties", { allOf: hundred(() => ({ minProperties: 1 })) }, names, 800_000, 800_000],
    ["missing properties", { items: { required: list(1_000, (i) => `r${i}`) } }, objects, 1_000, 100_000],
    ["dependentRequired", { items: { dependentRequired: record(1_000, () => ["z"]) } }, objects, 100_000, 100_000],
    ["dependentSchemas", { items: { dependentSchemas: record(1_000, () => true) } }, objects, 100_000, 100_000],
    ["lengths", { allOf: hundred((i) => ({ minLength: 60_000 + i, maxLength: 100_000 - i })) }, text, 12_500, 1e6],
    ["formats", { allOf: hundred(() => ({ format: "uri" })) }, `a:${text}`, 2_500_000, 2_500_000],
    ["formats of short texts", { items: { format: "uri" } }, list(1_000, () => "a:b"), 12_000, 12_000],
    ["patterns", { allOf: hundred((i) => ({ pattern: `^[x${i}]*$` })) }, text, 2_500_000, 2_500_000],
    ["automatons of patterns", { pattern: "^x*x*y$" }, text, 200_000, 200_000],
    ["patterns of short texts", { items: { pattern: "^a" } }, list(1_000, () => "ab"), 4_000, 4_000],
    ["a pattern that backtracks at each position", { pattern: "x{0,60}y" }, text, 1_000_000, 1_000_000],
    ["issues", { items: { type: "string" } }, numbers, 1_000, 12_000],
    ["pointers", { additionalProperties: true, properties: { k: true } }, names, 8_000, 12_000],
  ];

  it.each(cases)("for %s", (_what, schema, value, check, issues) => {
    const compiled = compileJsonSchema(schema);
    expect(stepsOf(() => compiled.check(value))).toBeGreaterThanOrEqual(check);
    expect(stepsOf(() => compiled.issues(value))).toBeGreaterThanOrEqual(issues);
  });

  it("for each state of a pattern's automaton, and for the characters that a search reads again", () => {
    expect(compilePattern("^[a-z]+$").cost).toBe(1 / 4);
    expect(compilePattern("^(?:foo|bar|qux)$").cost).toBe(1 / 4);
    expect(compilePattern("abcd").cost).toBe(5 / 4);
    expect(compilePattern("^a*a$").cost).toBe(3);
  });
});

describe("a message of 250,000 items is validated", () => {
  const SIZE = 250_000;
  const date = "2026-01-31";
  it.each<[string, JsonSchema, unknown]>([
    ["numbers", { items: { type: "number", multipleOf: 0.01 } }, list(SIZE, (i) => i / 100)],
    ["short texts with a pattern", { items: { pattern: "^[a-z]+$" } }, list(SIZE, () => "abcdef")],
    ["dates", { items: { format: "date" } }, list(SIZE, () => date)],
    ["unique objects", { uniqueItems: true }, list(SIZE / 3, (i) => ({ a: i, b: "x" }))],
    ["nullable texts", { items: { anyOf: [{ type: "null" }, { type: "string" }] } }, list(SIZE, () => "a")],
    [
      "one of ten objects",
      { additionalProperties: { enum: list(10, (a) => ({ a })) } },
      record(SIZE / 2, () => ({ a: 9 })),
    ],
    ["a record", { additionalProperties: { type: "number" }, maxProperties: SIZE }, record(SIZE, (i) => i)],
  ])("%s", (_what, schema, value) => {
    expect(compileJsonSchema(schema).check(value)).toBe(true);
  });

  it("and has no issues, although it takes more work to find them", () => {
    const { issues } = compileJsonSchema({ items: { anyOf: ["^b", "^c", "^a"].map((pattern) => ({ pattern })) } });
    expect(issues(list(SIZE, () => "a"))).toEqual([]);
  });

  it("and its wrong items are counted", () => {
    const found = compileJsonSchema({ items: { type: "string" } }).issues(list(SIZE, (i) => i));
    expect(found.at(-1)?.message).toBe("249900 more issues are not listed");
  });
});
