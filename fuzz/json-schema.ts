import assert from "node:assert/strict";
import fc from "fast-check";
import { type JsonSchema, UsageError } from "proffer";
import { compileJsonSchema } from "../packages/proffer/src/schema/json-schema/compile.ts";
import type { CompiledSchema } from "../packages/proffer/src/schema/json-schema/types.ts";
import { createAjv } from "./ajv.ts";
import type { Target } from "./target.ts";

// Schemas and values from a small set, so that values often match and names often coincide.
// Not "toString" or "constructor": ajv calls these to compare values, and fails if they are properties of the value.
const NAMES = ["a", "b", "c", "kind", "hasOwnProperty", "a/b~c"];
const name = fc.constantFrom(...NAMES);
const text = fc.constantFrom(
  "",
  "a",
  "b",
  "ab",
  "abc",
  "😀",
  "a😀b",
  "2026-02-29",
  "2024-02-29",
  "10",
  "x@y.zz",
  "\ud83d",
);
const number = fc.constantFrom(0, -0, 1, -1, 2, 3, 10, 0.5, 1.5, -2.5, 1e12, 123456789);
const primitive = fc.oneof(text, number, fc.boolean(), fc.constant(null));
const count = fc.nat({ max: 4 });

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    primitive,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(name, tie("value")), { maxLength: 5 }).map((entries) => Object.fromEntries(entries)),
  ),
}));

const types = fc.constantFrom("string", "number", "integer", "boolean", "null", "array", "object");
const pattern = fc.constantFrom("^a", "b$", "^[ab]*$", "^.{1,2}$", "\\d", "^(a|b)", "c");
const reference = fc.constantFrom("#/$defs/one", "#/$defs/two", "#", "#three");

const { schema } = fc.letrec<{ schema: JsonSchema; keywords: object; tagged: object }>((tie) => {
  const schemas = fc.array(tie("schema"), { minLength: 1, maxLength: 3 });
  const byName = fc.dictionary(name, tie("schema"), { maxKeys: 4, noNullPrototype: true });
  const keywords = {
    type: fc.oneof(types, fc.uniqueArray(types, { minLength: 1, maxLength: 3 })),
    enum: fc.array(value, { minLength: 1, maxLength: 10 }),
    const: value,
    minimum: number,
    maximum: number,
    exclusiveMinimum: number,
    exclusiveMaximum: number,
    multipleOf: fc.constantFrom(1, 2, 3, 0.5, 1.5),
    minLength: count,
    maxLength: count,
    pattern,
    format: fc.constantFrom("date", "email", "unknown-format"),
    prefixItems: schemas,
    items: tie("schema"),
    contains: tie("schema"),
    minContains: count,
    maxContains: count,
    minItems: count,
    maxItems: count,
    uniqueItems: fc.boolean(),
    properties: byName,
    patternProperties: fc.dictionary(pattern, tie("schema"), { maxKeys: 2, noNullPrototype: true }),
    additionalProperties: tie("schema"),
    propertyNames: tie("schema"),
    required: fc.uniqueArray(name, { maxLength: 3 }),
    minProperties: count,
    maxProperties: count,
    dependentRequired: fc.dictionary(name, fc.uniqueArray(name, { maxLength: 2 }), { noNullPrototype: true }),
    dependentSchemas: byName,
    allOf: schemas,
    anyOf: schemas,
    oneOf: schemas,
    not: tie("schema"),
    if: tie("schema"),
    // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema
    then: tie("schema"),
    else: tie("schema"),
    $ref: reference,
  };
  return {
    schema: fc.oneof(
      { maxDepth: 3 },
      { weight: 1, arbitrary: fc.boolean() },
      { weight: 1, arbitrary: types.map((type) => ({ type })) },
      { weight: 6, arbitrary: tie("keywords") as fc.Arbitrary<JsonSchema> },
      { weight: 1, arbitrary: tie("tagged") as fc.Arbitrary<JsonSchema> },
    ),
    keywords: fc
      .subarray(Object.keys(keywords) as (keyof typeof keywords)[], { maxLength: 4 })
      .chain((chosen) => fc.record(Object.fromEntries(chosen.map((keyword) => [keyword, keywords[keyword]]))))
      // ajv has bugs in "contains": it accepts [[1], []] for { items: { contains: true } }, and [] next to "prefixItems".
      .map((chosen) => ("contains" in chosen ? { ...chosen, minItems: 1, prefixItems: [true] } : chosen)),
    tagged: fc
      .tuple(fc.constantFrom("anyOf", "oneOf"), fc.uniqueArray(primitive, { minLength: 2, maxLength: 4 }), byName)
      .map(([keyword, tags, properties]) => ({
        [keyword]: tags.map((tag, i) => ({
          type: "object",
          properties: { ...(i % 2 === 0 ? properties : {}), kind: { const: tag } },
          required: ["kind"],
          ...(i % 3 === 0 ? { additionalProperties: false } : {}),
        })),
      })),
  };
});

const root = fc.tuple(schema, schema, schema, schema).map(([top, one, two, three]): JsonSchema => {
  const definitions = { one, two, three: { ...(typeof three === "boolean" ? {} : three), $anchor: "three" } };
  return typeof top === "boolean" ? top : { ...top, $defs: definitions };
});

/** Compares the validator with ajv, and its list of issues, which must be empty if and only if a value is valid. */
export const jsonSchema: Target = {
  name: "json-schema",
  runs: 1_500,
  open() {
    const ajv = createAjv();
    let valid = 0;
    let total = 0;
    const property = fc.property(root, fc.array(value, { minLength: 8, maxLength: 8 }), (tree, values) => {
      const ours = compileUnlessCyclic(tree);
      fc.pre(ours !== undefined);
      const theirs = ajv.compile(tree);
      if (typeof tree === "object") ajv.removeSchema(tree);
      for (const item of values) {
        const expected = theirs(item);
        total++;
        if (expected) valid++;
        assert.equal(ours?.check(item), expected, JSON.stringify(item));
        assert.equal(ours?.issues(item).length === 0, expected, JSON.stringify(item));
      }
    });
    const close = () => {
      // Checks the target itself: if no value, or every value, matched, it would prove nothing.
      if (total > 10_000) assert.ok(valid / total > 0.1 && valid / total < 0.9);
    };
    return { property, close };
  },
};

function compileUnlessCyclic(tree: JsonSchema): CompiledSchema | undefined {
  try {
    return compileJsonSchema(tree);
  } catch (error) {
    if (error instanceof UsageError && error.message.includes("refers to itself")) return undefined;
    throw error;
  }
}
