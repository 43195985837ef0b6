import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { defineTool, type JsonSchemaObject } from "proffer";
import { type BuiltChecks, run } from "proffer/checks";
import { compileJsonSchema, type ManifestTool, NAME_COST } from "proffer/derived";
import { afterAll, describe, expect, it } from "vitest";
import { writeChecksModule } from "../src/build/checks-module.ts";
import { drawValue, rootSchema } from "./schema-values.ts";

// The seed is fixed unless PROFFER_FUZZ sets the number of values; then each run has a new seed.
const VALUES = Number(process.env.PROFFER_FUZZ ?? 20_000);
const SEED = process.env.PROFFER_FUZZ === undefined ? 1 : Date.now();

const folder = mkdtempSync(join(tmpdir(), "proffer-checks-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A schema with the results of the validator and of its generated check. */
interface BuiltCheck {
  readonly schema: JsonSchemaObject;
  readonly isValid: (value: unknown) => boolean;
  readonly passes: (value: unknown) => boolean;
}

let written = 0;

/** Generates a module with the checks of the schemas, as a build does, and imports it. */
async function buildChecks(schemas: readonly JsonSchemaObject[]): Promise<BuiltCheck[]> {
  const tools = schemas.map((inputSchema, i) => ({ name: `tool ${i}`, inputSchema }) as unknown as ManifestTool);
  const file = join(folder, `checks-${written++}.js`);
  writeFileSync(file, writeChecksModule(tools));
  const { checks } = (await import(pathToFileURL(file).href)) as { checks: BuiltChecks };
  return tools.map(({ name, inputSchema }) => {
    const schema = compileJsonSchema(inputSchema);
    const check = checks.get(name);
    return {
      schema: inputSchema,
      passes: (value) => {
        run.left = 100_000;
        return check?.(value) === true && run.left >= 0;
      },
      isValid: schema.check,
    };
  });
}

function isServable(input: JsonSchemaObject): boolean {
  try {
    defineTool({ name: "tool", input: input as { type: "object" }, handle: () => "" });
    return true;
  } catch {
    return false;
  }
}

function fixtureSchemas(): JsonSchemaObject[] {
  const fixtures = new URL("./derive/fixtures/", import.meta.url);
  return readdirSync(fixtures).flatMap((name) => {
    const { tools } = JSON.parse(readFileSync(new URL(`${name}/expected.json`, fixtures), "utf8"));
    return (tools ?? []).map(({ inputSchema }: ManifestTool) => inputSchema);
  });
}

/** Compares the validator with the generated checks on many values. Returns the share of valid values that pass. */
function compare(built: readonly BuiltCheck[], numRuns: number): number {
  let valid = 0;
  let passed = 0;
  const property = fc.property(fc.constantFrom(...built), fc.gen(), ({ schema, isValid, passes }, draw) => {
    // The value as it arrives in a JSON message.
    const value = JSON.parse(JSON.stringify(drawValue(schema, schema, draw)));
    const doesPass = passes(value);
    const fits = isValid(value);
    if (doesPass && !fits)
      throw new Error(`${JSON.stringify(value)} passes, but does not fit ${JSON.stringify(schema)}`);
    if (fits) valid++;
    if (doesPass) passed++;
  });
  // The error names the value and the schema; shrinking them would take minutes.
  fc.assert(property, { numRuns, seed: SEED, endOnFailure: true });
  // Checks the test itself: it proves nothing if almost no value or almost every value is valid.
  expect(valid / numRuns).toBeGreaterThan(0.2);
  expect(valid / numRuns).toBeLessThan(0.95);
  return passed / valid;
}

it("a built check accepts exactly the values that match a derived schema", {
  timeout: 600_000 + VALUES,
}, async () => {
  const built = await buildChecks(fixtureSchemas());
  expect(built.length).toBeGreaterThan(100);
  expect(compare(built, VALUES / 2)).toBe(1);
});

it("a built check accepts only values that match an arbitrary schema", { timeout: 600_000 + VALUES }, async () => {
  const schemas = fc.sample(rootSchema, { numRuns: 1_000, seed: SEED }).filter(isServable);
  expect(compare(await buildChecks(schemas), VALUES / 2)).toBeGreaterThan(0.8);
});

const closed = { type: "object", additionalProperties: false };
const circle = { ...closed, properties: { kind: { const: "circle" }, radius: { type: "number" } }, required: ["kind"] };
const square = { ...closed, properties: { kind: { const: "square" }, side: { type: "number" } }, required: ["kind"] };
const tag = (...kinds: string[]) => ({ type: "object", properties: { kind: { enum: kinds } }, required: ["kind"] });
const types = ["object", "string"];
const tree = { type: "array", items: { $ref: "#/$defs/tree" } };
/** Returns an input schema whose only property has the given schema. */
function rootOf(value: unknown, $defs: object = { tree, circle }): JsonSchemaObject {
  return { ...closed, properties: { value }, required: ["value"], $defs } as JsonSchemaObject;
}

const proto = JSON.parse('{ "__proto__": { "type": "string" } }');

describe("a built check", () => {
  it.each([
    ["any value", {}, [null, 1, { a: [] }], []],
    ["no value", false, [], [1, {}]],
    ["a string", { type: "string", title: "A", default: "a" }, ["", "\u2028"], [1, null]],
    ["a number", { type: "number" }, [0, -1.5], ["1", true]],
    ["an integer", { type: "integer" }, [0, 1e300], [1.5]],
    ["a list of types", { type: ["boolean", "null", "array", "object"] }, [true, null, [], {}], ["", 1]],
    ["limits", { type: "number", minimum: 1, exclusiveMaximum: 3 }, [1, 2.9], [0.9, 3]],
    ["limits", { type: "integer", exclusiveMinimum: -1, maximum: 1 }, [0, 1], [-1, 2, 0.5]],
    ["multiples", { type: "number", multipleOf: 0.1 }, [0.3], [0.35]],
    ["lengths in code points", { type: "string", minLength: 2, maxLength: 2 }, ["ab", "😀😀"], ["😀", "abc"]],
    ["a pattern", { type: "string", pattern: "^\\p{L}+$" }, ["né"], ["n1"]],
    ["a format", { type: "string", format: "date-time" }, ["2026-01-31T13:00:00Z"], ["2026-02-31T13:00:00Z"]],
    ["a format or null", { type: ["string", "null"], format: "date" }, [null, "2026-01-31"], ["x"]],
    ["a constant", { type: "string", const: '"\\\n' }, ['"\\\n'], ["", '"']],
    ["constants", { enum: ["a", 1, null, false, -0] }, ["a", 1, null, false, 0], ["1", 2, true]],
    ["many constants", { enum: [..."abcdefghij"] }, ["a", "j"], ["k"]],
    ["constant objects", { enum: [{ a: [1] }] }, [{ a: [1] }], [{ a: [2] }, {}]],
    ["an array", { type: "array", items: { type: "string" }, maxItems: 2 }, [[], ["a"]], [[1], ["a", "b", "c"], "a"]],
    ["a set", { type: "array", items: { type: "number" }, uniqueItems: true }, [[1, 2]], [[1, 1]]],
    ["a tuple", { type: "array", prefixItems: [{ const: 1 }], items: false, minItems: 1 }, [[1]], [[], [2], [1, 1]]],
    ["a tuple with a rest", { type: "array", prefixItems: [true], items: { const: 1 } }, [[], [2, 1, 1]], [[2, 2]]],
    ["properties", circle, [{ kind: "circle" }, { radius: 1, kind: "circle" }], [{}, { kind: "circle", side: 1 }, []]],
    ["other properties", { type: "object", additionalProperties: { type: "number" } }, [{}, { a: 1 }], [{ a: "1" }]],
    ["open objects", { type: "object", required: ["a"] }, [{ a: 1, b: 2 }], [{ b: 2 }, []]],
    [
      "hostile names",
      { ...closed, properties: proto },
      [JSON.parse('{ "__proto__": "a" }')],
      [JSON.parse('{ "__proto__": 1 }')],
    ],
    ["inherited names", { type: "object", required: ["constructor"] }, [{ constructor: 1 }], [{}]],
    ["alternatives", { anyOf: [{ type: "string" }, circle] }, ["a", { kind: "circle" }], [1, { kind: "square" }]],
    ["tagged alternatives", { oneOf: [circle, square] }, [{ kind: "circle" }, { kind: "square" }], [{}, { kind: "" }]],
    ["tagged references", { oneOf: [{ $ref: "#/$defs/circle" }, square] }, [{ kind: "circle" }], [{ kind: "oval" }]],
    ["overlapping tags", { oneOf: [tag("a", "b"), tag("b", "c")] }, [{ kind: "a" }, { kind: "c" }], [{ kind: "b" }]],
    [
      "tags of any value",
      {
        oneOf: [
          { ...tag("a"), type: types },
          { ...tag("b"), type: types },
        ],
      },
      [{ kind: "a" }],
      ["a"],
    ],
    [
      "optional tags",
      { oneOf: [tag("a"), { ...tag("b"), required: [] }, { ...tag("c"), required: [] }] },
      [{ kind: "a" }],
      [{}, { kind: "d" }],
    ],
    ["other alternatives", { oneOf: [{ type: "number" }, { type: "integer" }] }, [1.5], [1]],
    ["negation", { not: { type: "string" } }, [1], ["a"]],
    [
      "pattern properties",
      { type: "object", patternProperties: { "^a": { type: "number" } } },
      [{ ab: 1 }],
      [{ ab: "" }],
    ],
    ["recursion", { $ref: "#/$defs/tree" }, [[], [[], [[]]]], [[[1]]]],
  ])("supports %s", async (_case, schema, fitting, others) => {
    const [built] = await buildChecks([rootOf(schema)]);
    const outcome = (value: unknown) => [built?.passes({ value }), built?.isValid({ value })];
    for (const value of fitting) expect(outcome(value), JSON.stringify(value)).toEqual([true, true]);
    for (const value of others) expect(outcome(value), JSON.stringify(value)).toEqual([false, false]);
  });

  it("treats undefined as an absent property", async () => {
    for (const a of [{}, { not: { type: "string" } }, { anyOf: [{ type: "string" }, {}] }]) {
      const [built] = await buildChecks([{ type: "object", properties: { a }, required: ["a"] }]);
      expect(built?.passes({ a: undefined })).toBe(false);
    }
  });

  it("stops and rejects a value that needs too many steps", async () => {
    const twice = { type: "array", items: { anyOf: [{ $ref: "#/$defs/twice" }, { $ref: "#/$defs/twice" }] } };
    const [built] = await buildChecks([rootOf(twice, { twice })]);
    const deep = (depth: number): unknown => (depth === 0 ? 1 : [deep(depth - 1)]);
    expect(built?.passes({ value: deep(60) })).toBe(false);
    expect(built?.passes({ value: Array.from({ length: 200_000 }, () => []) })).toBe(false);
  });

  it("T184: charges for all names of an object that it rejects, once for each alternative", async () => {
    const anyOf = Array.from({ length: 10 }, (_, i) => ({ ...closed, properties: { [`a${i}`]: {} } }));
    const [built] = await buildChecks([rootOf({ anyOf })]);
    const names = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`k${i}`, 1]));
    expect(built?.passes({ value: names })).toBe(false);
    expect(run.left).toBeLessThan(100_000 - 10 * 999 * NAME_COST);
  });
});
