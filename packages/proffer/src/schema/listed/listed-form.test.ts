import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { isObject } from "../../protocol/messages.ts";
import { compileJsonSchema } from "../json-schema/compile.ts";
import type { JsonSchema, JsonSchemaObject } from "../json-schema/types.ts";
import { toSchema } from "../schema.ts";
import { listedForm } from "./listed-form.ts";

const derived = (json: JsonSchemaObject, side: "input" | "output" = "input") =>
  listedForm({ json, isWritten: false }, side);
const written = (json: JsonSchemaObject) => listedForm({ json, isWritten: true }, "input");
const object = (properties: { [name: string]: JsonSchema }, rest: JsonSchemaObject = {}) => ({
  type: "object",
  properties,
  ...rest,
});

/** All schemas in a schema, with the schema itself. */
function everySchema(schema: unknown): JsonSchemaObject[] {
  if (Array.isArray(schema)) return schema.flatMap(everySchema);
  return isObject(schema) ? [schema, ...Object.values(schema).flatMap(everySchema)] : [];
}

describe("the listed form of a derived schema", () => {
  it("has properties in every object and items in every array", () => {
    const schema = object({ a: { type: "object" }, b: { type: ["array", "null"] }, c: { anyOf: [{ type: "array" }] } });
    expect(derived(schema)).toEqual(
      object({
        a: { type: "object", properties: {} },
        b: { type: ["array", "null"], items: {} },
        c: { anyOf: [{ type: "array", items: {} }] },
      }),
    );
    expect(derived({ type: "object" })).toEqual({ type: "object", properties: {} });
  });

  it("limits the length of a closed tuple instead of its further items", () => {
    const tuple = { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: false };
    const listed = derived(object({ pair: tuple }), "output").properties as { pair: object };
    expect(listed.pair).toEqual({ ...tuple, items: {}, maxItems: 2 });
  });

  it("has no $schema", () => {
    const $schema = "https://json-schema.org/draft/2020-12/schema";
    expect(derived({ $schema, ...object({ a: { $schema, type: "string" } }) })).toEqual(
      object({ a: { type: "string" } }),
    );
  });

  it("has definitions in place, except for those that contain themselves", () => {
    const point = object({ x: { type: "number" } });
    const tree = object({ at: { $ref: "#/$defs/point" }, kids: { type: "array", items: { $ref: "#/$defs/tree" } } });
    const schema = object(
      { from: { $ref: "#/$defs/point", description: "start" }, tree: { $ref: "#/$defs/tree" } },
      { $defs: { point, tree } },
    );
    expect(derived(schema)).toEqual(
      object(
        { from: { ...point, description: "start" }, tree: { $ref: "#/$defs/tree" } },
        { $defs: { tree: object({ at: point, kids: { type: "array", items: { $ref: "#/$defs/tree" } } }) } },
      ),
    );
  });

  it("does not refer to its root beside definitions", () => {
    const leaf = object({ up: { $ref: "#" } });
    const schema = object({ leaf: { $ref: "#/$defs/leaf" } }, { $defs: { leaf } });
    expect(derived(schema)).toEqual(
      object(
        { leaf: { $ref: "#/$defs/leaf" } },
        { $defs: { leaf: object({ up: object({ leaf: { $ref: "#/$defs/leaf" } }) }) } },
      ),
    );
    expect(derived(object({ up: { $ref: "#" } }))).toEqual(object({ up: { $ref: "#" } }));
  });

  it("keeps definitions if the result would have 5,000 bytes, without writing it first", () => {
    // 2 ** 60 copies of the last one.
    const $defs = Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => {
        const next = { $ref: `#/$defs/d${i + 1}` };
        return [`d${i}`, i === 59 ? { type: "string" } : object({ a: next, b: next })];
      }),
    );
    const schema = object({ root: { $ref: "#/$defs/d0" } }, { $defs });
    expect(derived(schema)).toEqual(schema);
    const text = { type: "string", description: "x".repeat(1200) };
    const texts = (count: number) => {
      const names = Array.from({ length: count }, (_, i) => `p${i}`);
      return object(Object.fromEntries(names.map((name) => [name, { $ref: "#/$defs/text" }])), { $defs: { text } });
    };
    expect(derived(texts(3))).not.toHaveProperty("$defs");
    expect(JSON.stringify(derived(texts(3))).length).toBeLessThan(5000);
    expect(derived(texts(5))).toEqual(texts(5));
  });

  it.each([
    ["a pointer to a property", object({ a: { type: "string" }, b: { $ref: "#/properties/a" } }, { $defs: {} })],
    ["an anchor", object({ b: { $ref: "#/$defs/a" } }, { $defs: { a: { $anchor: "a", type: "string" } } })],
    ["a keyword that may contain references", object({ b: { $ref: "#/$defs/a" } }, { $defs: { a: { odd: [{}] } } })],
  ])("keeps definitions beside %s", (_what, schema) => {
    expect(derived(schema)).toEqual(schema);
  });

  it("has one object in place of nested alternatives with a tag", () => {
    const closed = (properties: { [name: string]: JsonSchema }, required = Object.keys(properties)) =>
      object(properties, { required, additionalProperties: false });
    const tag = (value: string | number, type = "string") => ({ type, const: value });
    const text = { type: "string" };
    const pay = { oneOf: [closed({ by: tag("card"), card: text }), closed({ by: tag("cash"), coins: text }, ["by"])] };
    const read = { oneOf: [closed({ v: tag(1, "number"), a: text }), closed({ v: tag(2, "number"), a: text })] };
    expect(derived(object({ pay: { ...pay, description: "how" }, list: { type: "array", items: read } }))).toEqual(
      object({
        pay: {
          ...closed(
            {
              by: { type: "string", enum: ["card", "cash"] },
              card: { ...text, description: 'required, and only with by "card"' },
              coins: { ...text, description: 'only with by "cash"' },
            },
            ["by"],
          ),
          description: "how",
        },
        list: { type: "array", items: closed({ v: { type: "number", enum: [1, 2] }, a: text }) },
      }),
    );
    const nullable = { anyOf: [closed({ a: text }), { type: "null" }] };
    expect(derived(object({ nullable }))).toEqual(
      object({ nullable: { ...closed({ a: text }), type: ["object", "null"] } }),
    );
  });

  it("has anyOf and enum in place of oneOf and const, except where it would accept less", () => {
    const union = { oneOf: [{ type: "string", const: "auto" }, { type: "number" }] };
    const simple = { anyOf: [{ type: "string", enum: ["auto"] }, { type: "number" }] };
    expect(derived(object({ a: union, b: { not: union }, c: { allOf: [union] } }))).toEqual(
      object({ a: simple, b: { not: union }, c: { allOf: [simple] } }),
    );
    expect(derived(object({ a: union }), "output")).toEqual(object({ a: union }));
    expect(written(object({ a: union }))).toEqual(object({ a: union }));
    const leaf = { ...object({ kind: { const: "leaf" } }), required: ["kind"], additionalProperties: false };
    const open = { oneOf: [leaf, { ...leaf, properties: { kind: { const: "open" } }, additionalProperties: true }] };
    expect(derived(object({ open }))).toMatchObject({ properties: { open: { anyOf: [{}, {}] } } });
    const node = { ...leaf, properties: { kind: { const: "node" }, next: { $ref: "#/$defs/tree" } } };
    const $defs = { tree: { oneOf: [leaf, node] } };
    expect(derived(object({ tree: { $ref: "#/$defs/tree" } }, { $defs }))).toMatchObject({
      $defs: { tree: { anyOf: [{}, { properties: { next: { $ref: "#/$defs/tree" } } }] } },
    });
  });

  it("has no union at the root of an input", () => {
    const shapes = z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("circle"), radius: z.number().describe("in cm") }).describe("A circle."),
      z.object({ kind: z.literal("square"), side: z.number(), name: z.string().optional() }).describe("A square."),
    ]);
    const listed = listedForm(toSchema(shapes, "input", "t"), "input");
    expect(listed).toEqual({
      description: "A circle.\nA square.",
      properties: {
        kind: { type: "string", enum: ["circle", "square"] },
        radius: {
          anyOf: [{ type: "number", description: "in cm" }, {}],
          description: 'required, and only with kind "circle"',
        },
        side: { anyOf: [{}, { type: "number" }], description: 'required, and only with kind "square"' },
        name: { anyOf: [{}, { type: "string" }], description: 'only with kind "square"' },
      },
      required: ["kind"],
    });
  });

  it("keeps the types of properties that closed alternatives do not have", () => {
    const closed = (properties: { [name: string]: JsonSchema }) =>
      object(properties, { required: Object.keys(properties), additionalProperties: false });
    const schema = { type: "object", oneOf: [closed({ a: { type: "string" } }), closed({ b: { type: "number" } })] };
    expect(derived(schema)).toEqual(
      object({ a: { type: "string" }, b: { type: "number" } }, { additionalProperties: false }),
    );
  });

  it("merges the parts of an intersection at the root of an input", () => {
    const schema = {
      type: "object",
      allOf: [object({ a: { type: "string" } }, { required: ["a"] }), object({ b: {} })],
    };
    expect(derived(schema)).toEqual(object({ a: { type: "string" }, b: {} }, { required: ["a"] }));
  });

  it("keeps a union at the root of an output", () => {
    expect(derived({ anyOf: [{ type: "object" }, { type: "null" }] }, "output")).toEqual({
      anyOf: [{ type: "object", properties: {} }, { type: "null" }],
    });
  });
});

describe("the listed form of a written schema", () => {
  it("has all that the author wrote, and properties and items at every level", () => {
    const schema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: { names: { type: "array" }, pair: { type: "array", prefixItems: [{}], items: false } },
      oneOf: [{ type: "object", required: ["a"] }, object({ b: { $ref: "#/$defs/names" } })],
    };
    expect(written(schema)).toEqual({
      ...schema,
      properties: {},
      $defs: { ...schema.$defs, names: { type: "array", items: {} } },
      oneOf: [{ type: "object", required: ["a"], properties: {} }, schema.oneOf[1]],
    });
  });

  it("is the same object if nothing is missing", () => {
    const schema = object({ a: { type: "string" } });
    expect(JSON.stringify(written(schema))).toBe(JSON.stringify(schema));
  });
});

const NAMES = ["a", "b", "kind"];
const name = fc.constantFrom(...NAMES);
const scalar = fc.constantFrom<JsonSchemaObject>(
  {},
  { type: "string" },
  { type: "number", minimum: 2 },
  { const: "x" },
  { enum: ["x", "y"], description: "which" },
  { type: ["string", "null"], maxLength: 1 },
  { type: "array" },
  { type: "array", prefixItems: [{ type: "string" }], items: false },
  { type: "object" },
  { not: { type: "number" } },
);
const reference = fc.constantFrom("#/$defs/one", "#/$defs/two", "#").map(($ref): JsonSchemaObject => ({ $ref }));

/** A schema with some of these keywords. */
function some(always: JsonSchemaObject, maybe: { [keyword: string]: fc.Arbitrary<unknown> }) {
  const optional = Object.entries(maybe).map(([key, value]) => [key, fc.option(value, { nil: undefined, freq: 1 })]);
  return fc.record(Object.fromEntries(optional)).map((given): JsonSchemaObject => {
    const present = Object.entries(given).filter(([, value]) => value !== undefined);
    return { ...always, ...Object.fromEntries(present) };
  });
}

const { object: anyObject } = fc.letrec<{ object: JsonSchemaObject; value: JsonSchemaObject }>((tie) => ({
  value: fc.oneof({ maxDepth: 2 }, scalar, reference, tie("object"), fc.record({ anyOf: fc.tuple(scalar, reference) })),
  object: some(
    { type: "object" },
    {
      properties: fc.dictionary(name, tie("value"), { maxKeys: 3 }),
      required: fc.array(name, { maxLength: 1 }),
      additionalProperties: fc.constantFrom<JsonSchema>(false, true, { type: "string" }),
      patternProperties: fc.constant({ "^k": { type: "string" } }),
      description: fc.constant("d"),
    },
  ),
}));
const alternative = fc.oneof(anyObject, fc.constantFrom<JsonSchema>({ $ref: "#/$defs/one" }, true, { type: "string" }));
const alternatives = fc.array(alternative, { minLength: 1, maxLength: 3 });
const whole = fc
  .tuple(
    anyObject,
    some({}, { anyOf: alternatives, oneOf: alternatives, allOf: alternatives, $ref: fc.constant("#/$defs/two") }),
    anyObject,
    fc.oneof(
      anyObject,
      fc.constantFrom({ $ref: "#/$defs/one", minProperties: 1 }, { $ref: "#/$defs/one", title: "t" }),
    ),
  )
  .map(([own, combined, one, two]): JsonSchemaObject => ({ ...own, ...combined, $defs: { one, two } }));

const leaf = fc.constantFrom<unknown>("x", "y", "zz", 1, 2, null, [], ["x"], ["x", 1], {});
const value = fc.oneof(leaf, fc.dictionary(name, leaf, { maxKeys: 2 }));
const values = fc.array(fc.dictionary(fc.oneof(name, fc.constant("other")), value, { maxKeys: 3 }), {
  minLength: 10,
  maxLength: 20,
});

const ajv = new Ajv2020({ strict: false, validateSchema: false, logger: false });
const validators = [
  ["Proffer's validator", 500, (schema: JsonSchemaObject) => compileJsonSchema(schema).check],
  ["Ajv", 100, (schema: JsonSchemaObject) => (given: unknown) => ajv.compile(schema)(given)],
] as const;

describe.each(validators)("by %s, the listed form of any schema", (_name, numRuns, accepts) => {
  it("accepts every value that an input accepts", () => {
    let accepted = 0;
    fc.assert(
      fc.property(whole, values, (schema, all) => {
        const listed = derived(schema);
        for (const keyword of ["anyOf", "oneOf", "allOf", "$ref"]) expect(listed).not.toHaveProperty(keyword);
        const [before, after] = [accepts(schema), accepts(listed)];
        for (const given of all) {
          if (!before(given)) continue;
          accepted++;
          expect(after(given), JSON.stringify({ schema, listed, given })).toBe(true);
        }
      }),
      { numRuns },
    );
    expect(accepted).toBeGreaterThan(numRuns);
  });

  it("accepts exactly the values of an output, and of a written schema", () => {
    fc.assert(
      fc.property(whole, values, (schema, all) => {
        const before = accepts(schema);
        for (const listed of [derived(schema, "output"), written(schema)]) {
          const after = accepts(listed);
          for (const given of all) {
            expect(after(given), JSON.stringify({ schema, listed, given })).toBe(before(given));
          }
        }
      }),
      { numRuns },
    );
  });
});

it("has properties and items everywhere", () => {
  fc.assert(
    fc.property(whole, (schema) => {
      for (const part of everySchema(derived(schema))) {
        if (part.type === "object") expect(part).toHaveProperty("properties");
        if (part.type === "array") expect(part.items).toBeTypeOf("object");
      }
    }),
    { numRuns: 100 },
  );
});
