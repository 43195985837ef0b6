import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import type { JsonSchema, JsonSchemaObject } from "proffer";
import { compileJsonSchema } from "proffer/derived";
import { describe, expect, it } from "vitest";
import { drawValue, rootSchema } from "../../test/schema-values.ts";
import { findGaps } from "./schema-rules.ts";
import { textOf } from "./schema-version.ts";

const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });

/** Changes a schema a little, as an edit would: mostly something compatible, often something that is not. */
function edited(schema: JsonSchema, pick: (max: number) => number): JsonSchema {
  if (typeof schema === "boolean") return pick(5) === 0 ? !schema : schema;
  const copy: { [keyword: string]: unknown } = { ...schema };
  const into = (part: JsonSchema) => (pick(2) === 0 ? edited(part, pick) : part);
  for (const [keyword, value] of Object.entries(schema)) {
    const choice = pick(9);
    if (keyword === "$ref" || keyword === "$defs") continue;
    if (choice === 0 && keyword !== "type") delete copy[keyword];
    else if (typeof value === "number")
      copy[keyword] = choice < 3 ? value + 1 : choice < 5 ? Math.max(value - 1, 0) : value;
    else if (keyword === "multipleOf") continue;
    else if (keyword === "enum" && Array.isArray(value))
      copy[keyword] = choice < 3 ? value.slice(1) : choice < 5 ? [...value, "new"] : value;
    else if (keyword === "required" && Array.isArray(value))
      copy[keyword] = choice < 3 ? value.slice(1) : choice < 5 ? [...new Set([...value, "b"])] : value;
    else if (keyword === "type" && choice < 2) copy[keyword] = [...new Set([value, "null"].flat())];
    else if (["anyOf", "oneOf", "allOf", "prefixItems"].includes(keyword))
      copy[keyword] = (value as JsonSchema[]).map(into);
    else if (keyword === "properties")
      copy[keyword] = Object.fromEntries(
        Object.entries(value as object)
          .filter(() => pick(9) > 0)
          .map(([name, part]) => [name, into(part)]),
      );
    else if (["items", "additionalProperties", "contains", "not"].includes(keyword))
      copy[keyword] = into(value as JsonSchema);
  }
  if (copy.multipleOf === 0) delete copy.multipleOf;
  return copy as JsonSchemaObject;
}

function accepts(schema: JsonSchemaObject): ((value: unknown) => boolean) | undefined {
  try {
    // It also refuses schemas that refer to themselves for the same value, on which Ajv does not terminate.
    compileJsonSchema(schema);
    return ajv.compile(schema) as (value: unknown) => boolean;
  } catch {
    return undefined;
  }
}

const RUNS = 100;

/** Whether the rules call a change from one schema to another compatible. A schema that refers only to itself is too deep. */
function isCompatible(before: JsonSchema, after: JsonSchema): boolean {
  try {
    return findGaps(before, after).length === 0;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

const NUMBERS = [-1, 0, 0.5, 1, 1.5, 2, 3, 4];
const TEXTS = ["", "a", "ab", "abc", "b", "1"];
const LISTS = [[], [1], [1, 1], [1, 2, 3], ["a"], ["a", 1], ["a", "a"], [null]];
const OBJECTS = [
  {},
  { a: 1 },
  { a: "a" },
  { b: 1 },
  { a: 1, b: 2 },
  { a: "a", b: "b" },
  { a: 1, b: 2, c: 3 },
  { k: "x" },
];
const EDGES = [...NUMBERS, ...TEXTS, ...LISTS, ...OBJECTS, { k: "x", a: 1 }, { k: "y" }, null, true, false];

/** Schemas with one or two keywords, of which many pairs include each other. */
const { small } = fc.letrec<{ small: JsonSchemaObject }>((tie) => {
  const inner = tie("small");
  const some = (type: string, keywords: { [keyword: string]: fc.Arbitrary<unknown> }) =>
    fc.record(keywords, { requiredKeys: [] }).map((chosen) => ({ type, ...chosen }) as JsonSchemaObject);
  const limit = fc.constantFrom(0, 1, 2);
  const few = fc.array(inner, { minLength: 1, maxLength: 3 });
  const properties = fc.dictionary(fc.constantFrom("a", "b", "k"), inner, { maxKeys: 2 });
  const rest = fc.oneof(fc.boolean(), inner);
  const required = fc.uniqueArray(fc.constantFrom("a", "b"), { maxLength: 1 });
  const counts = { minProperties: limit, maxProperties: limit };
  return {
    small: fc.oneof(
      { maxDepth: 2, withCrossShrink: true },
      fc
        .constantFrom("string", "number", "integer", "null", "array", "object")
        .map((type) => ({ type }) as JsonSchemaObject),
      some("number", { minimum: limit, exclusiveMinimum: limit }),
      some("number", { maximum: limit, exclusiveMaximum: limit }),
      some("number", { multipleOf: fc.constantFrom(0.5, 1, 2, 4), minimum: limit }),
      some("integer", { minimum: limit, exclusiveMaximum: limit }),
      some("string", { minLength: limit, maxLength: limit, pattern: fc.constantFrom("^a", "b") }),
      fc.subarray<unknown>(["a", "b", 1, 2, null], { minLength: 1 }).map((values) => ({ enum: values })),
      some("array", { items: rest, minItems: limit, maxItems: limit, uniqueItems: fc.boolean() }),
      some("array", { prefixItems: few, items: rest, maxItems: limit }),
      some("object", { properties, required, additionalProperties: rest }),
      some("object", {
        properties,
        patternProperties: fc.dictionary(fc.constantFrom("^a", "b"), inner, { maxKeys: 1 }),
        ...counts,
      }),
      few.map((anyOf) => ({ anyOf })),
      few.map((oneOf) => ({ oneOf })),
      few.map((allOf) => ({ allOf })),
      fc
        .constantFrom("x", "y")
        .map((k) => ({ type: "object", properties: { k: { const: k } }, required: ["k"] }) as JsonSchemaObject),
    ),
  };
});

describe("findGaps", () => {
  it("finds none only if every value of the first schema is a value of the second", () => {
    let proven = 0;
    fc.assert(
      fc.property(rootSchema, fc.gen(), (before, draw) => {
        const after = edited(before, (max) => draw(fc.nat, max)) as JsonSchemaObject;
        if (textOf(before) === textOf(after) || !isCompatible(before, after)) return;
        const [acceptsBefore, acceptsAfter] = [accepts(before), accepts(after)];
        if (!acceptsBefore || !acceptsAfter) return;
        proven++;
        for (let count = 0; count < 10; count++) {
          const value = drawValue(before, before, draw);
          if (acceptsBefore(value)) expect(acceptsAfter(value), JSON.stringify([before, after, value])).toBe(true);
        }
      }),
      { numRuns: RUNS },
    );
    // Otherwise the test would say nothing.
    expect(proven).toBeGreaterThan(RUNS / 20);
  });

  it("finds none between small schemas of every keyword only if no edge value tells them apart", () => {
    fc.assert(
      fc.property(small, small, (before, after) => {
        if (textOf(before) === textOf(after) || !isCompatible(before, after)) return;
        const [acceptsBefore, acceptsAfter] = [accepts(before), accepts(after)];
        if (!acceptsBefore || !acceptsAfter) return;
        const refused = EDGES.filter((value) => acceptsBefore(value) && !acceptsAfter(value));
        expect(refused, JSON.stringify([before, after])).toEqual([]);
      }),
      { numRuns: 60 * RUNS },
    );
  });

  it("finds none but undeclared properties only if values without such properties stay valid", () => {
    const part = fc.constantFrom<JsonSchemaObject>(
      { type: "string" },
      { type: "number" },
      { type: ["string", "null"] },
      { enum: ["a", 1] },
    );
    const object = fc.record({
      type: fc.constant("object" as const),
      properties: fc.dictionary(fc.constantFrom("a", "b", "c"), part),
      required: fc.uniqueArray(fc.constantFrom("a", "b"), { maxLength: 1 }),
      additionalProperties: fc.constantFrom<JsonSchema>(true, false),
    });
    const value = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.constantFrom("a", 1, 2, null, "x"));
    fc.assert(
      fc.property(object, object, fc.array(value, { maxLength: 8 }), (before, after, values) => {
        if (findGaps(before, after).some(({ isUndeclared }) => !isUndeclared)) return;
        for (const each of values) {
          const isDeclared = Object.keys(each).every((name) => Object.hasOwn(before.properties, name));
          if (isDeclared && compileJsonSchema(before).check(each))
            expect(compileJsonSchema(after).check(each)).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });
});
