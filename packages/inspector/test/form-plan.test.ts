import { toJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Field } from "../src/page/form/field.ts";
import { plan } from "../src/page/form/plan.ts";
import { derivedInputs } from "./derived-inputs.ts";
import { outline } from "./outline.ts";

const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });

describe("the plan of a form", () => {
  it.each<[string, unknown, unknown]>([
    ["a text without limits", { type: "string" }, "area"],
    ["a short text", { type: "string", maxLength: 40 }, "line"],
    ["a long text", { type: "string", maxLength: 4000 }, "area"],
    ["a format", { type: "string", format: "date" }, "line date"],
    ["a pattern", { type: "string", pattern: "^a" }, "line"],
    ["a number", { type: "number" }, "number"],
    ["an integer", { type: "integer" }, "integer"],
    ["a boolean", { type: "boolean" }, "boolean"],
    ["null", { type: "null" }, "null"],
    ["a constant", { const: "a" }, "choice a"],
    ["a constant null", { const: null }, "null"],
    ["an enum", { enum: ["a", 1, true, "a"] }, "choice a,1,true"],
    ["an enum with null", { enum: ["a", null] }, "choice a | null"],
    ["names of choices", { type: "string", enum: ["a", "b"], enumNames: ["Ant"] }, "choice Ant,b"],
    ["titled constants", { oneOf: [{ const: 1, title: "one" }, { const: 2 }] }, "choice one,2"],
    ["constants and null", { anyOf: [{ const: 1 }, { type: "null" }] }, "choice 1 | null"],
    ["a nullable type", { type: ["string", "null"] }, "area | null"],
    ["a nullable alternative", { anyOf: [{ type: "integer" }, { type: "null" }] }, "integer | null"],
    ["several types", { type: ["string", "number"] }, { union: { text: "area", number: "number" } }],
    ["an array", { type: "array", items: { type: "number" } }, ["*", "number"]],
    ["an array of anything", { type: "array" }, ["*", "json"]],
    ["a tuple", { type: "array", prefixItems: [{ type: "number" }, { type: "boolean" }] }, ["number", "boolean"]],
    ["a tuple with a rest", { prefixItems: [{ type: "number" }], items: { type: "string" } }, ["number", "*", "area"]],
    ["a tuple of draft 7", { type: "array", items: [{ type: "number" }], additionalItems: false }, ["number"]],
    ["an object", object({ a: { type: "number" } }, { required: ["a"] }), { "a!": "number" }],
    ["a required name without a schema", object({}, { required: ["a"] }), { "a!": "json" }],
    ["a record", { type: "object", additionalProperties: { type: "number" } }, { "*": "number" }],
    ["a record by pattern", { type: "object", patternProperties: { "^x": { type: "number" } } }, { "*": "number" }],
    ["an open object", { type: "object" }, "json: any object"],
    ["an object without members", { type: "object", additionalProperties: false }, {}],
    ["anything", {}, "json"],
    ["true", true, "json"],
    ["false", false, "json: the schema allows no value"],
    ["no schema", undefined, "json"],
    ["a malformed schema", 5, "json: the schema is malformed"],
    ["malformed keywords", { type: "object", properties: 5, required: "a", enum: 3 }, "json: any object"],
    ["an unknown type", { type: "date" }, 'json: the type "date" is unknown'],
    ["an implied type", { minLength: 2, maxLength: 5 }, "line"],
    [
      "a merged allOf",
      { allOf: [object({ a: { type: "number" } }), object({ b: true }, { required: ["b"] })] },
      { a: "number", "b!": "json" },
    ],
    [
      "an allOf of one property",
      { allOf: [object({ a: { type: "number" } }), object({ a: { type: "integer" } })] },
      { a: "integer" },
    ],
    [
      "a contradiction",
      { allOf: [{ type: "number" }, { type: "string" }] },
      "json: its parts allow different types, so no value matches",
    ],
    [
      "two unions",
      { allOf: [{ anyOf: [{ type: "string" }] }, { anyOf: [{ type: "number" }] }] },
      'json: it has "anyOf" twice',
    ],
    ["a union beside another", { anyOf: [{}], oneOf: [{}] }, 'json: it has both "anyOf" and "oneOf"'],
    ["a missing definition", { $ref: "#/$defs/a" }, "json: it refers to #/$defs/a, which the schema does not have"],
    ["a reference to itself", { $ref: "#" }, "json: it refers to too many other schemas"],
    ["an anchor", { $ref: "#x", $defs: { a: { $anchor: "x", type: "number" } } }, "number"],
    [
      "a reference with a sibling",
      { $ref: "#/$defs/a", nullable: 1, $defs: { a: { type: ["number", "null"] } } },
      "number | null",
    ],
    [
      "alternatives that only restrict",
      object({ a: { type: "number" }, b: { type: "number" } }, { anyOf: [{ required: ["a"] }, { required: ["b"] }] }),
      { a: "number", b: "number" },
    ],
    [
      "a root union",
      {
        type: "object",
        anyOf: [
          object({ id: { type: "integer" } }, { required: ["id"] }),
          object({ name: { type: "string", maxLength: 9 } }),
        ],
      },
      { union: { "object with id": { "id!": "integer" }, "object with name": { name: "line" } } },
    ],
    [
      "a tagged union with shared properties",
      object(
        { note: { type: "boolean" } },
        {
          oneOf: [
            object({ kind: { const: "card" }, number: { type: "integer" } }),
            object({ kind: { enum: ["cash"] } }),
          ],
        },
      ),
      {
        "union by kind": {
          card: { kind: "choice card", number: "integer", note: "boolean" },
          cash: { kind: "choice cash", note: "boolean" },
        },
      },
    ],
  ])("shows %s", (_name, schema, expected) => {
    expect(outline(plan(schema))).toEqual(expected);
  });

  it("shows each use of a definition as the same field, and recursion on demand", () => {
    const tree = object({ name: { type: "number" }, left: { $ref: "#/$defs/tree" }, right: { $ref: "#/$defs/tree" } });
    const root = plan({ $ref: "#/$defs/tree", $defs: { tree } });
    const children = (field: Field) => (field.kind === "object" ? field.properties.map(({ field }) => field()) : []);
    let node: Field | undefined = root;
    for (let depth = 0; depth < 1000; depth++) {
      const [, left, right]: Field[] = node === undefined ? [] : children(node);
      expect(left?.kind).toBe("object");
      expect(right?.kind).toBe("object");
      node = right;
    }
  });

  it("keeps descriptions, titles, defaults and examples", () => {
    const field = plan({
      type: "integer",
      title: "T",
      description: "D",
      default: 5,
      examples: [7],
      minimum: 1,
      maximum: 20,
      deprecated: true,
    });
    expect(field).toMatchObject({
      title: "T",
      description: "D",
      default: 5,
      examples: [7],
      deprecated: true,
      hint: "integer · 1 to 20",
    });
  });

  it("shows the schemas of zod and valibot", () => {
    const fromZod = z.object({
      to: z.object({ zip: z.string().regex(/^\d{5}$/), country: z.enum(["DE", "FR"]).optional() }),
      when: z.iso.date().nullable(),
      pay: z.discriminatedUnion("by", [
        z.object({ by: z.literal("card"), cvc: z.number().int() }),
        z.object({ by: z.literal("cash") }),
      ]),
      tags: z.record(z.string(), z.array(z.string().max(5))),
      pair: z.tuple([z.number(), z.boolean()]),
    });
    expect(outline(plan(z.toJSONSchema(fromZod, { io: "input" })))).toEqual({
      "to!": { "zip!": "line", country: "choice DE,FR" },
      "when!": "line date | null",
      "pay!": { "union by by": { card: { "by!": "choice card", "cvc!": "integer" }, cash: { "by!": "choice cash" } } },
      "tags!": { "*": ["*", "line"] },
      "pair!": ["number", "boolean"],
    });
    const fromValibot = v.object({
      n: v.nullish(v.pipe(v.number(), v.integer())),
      either: v.union([v.string(), v.boolean()]),
      kind: v.picklist(["a", "b"]),
    });
    expect(outline(plan(toJsonSchema(fromValibot)))).toEqual({
      n: "integer | null",
      "either!": { union: { text: "area", boolean: "boolean" } },
      "kind!": "choice a,b",
    });
  });

  it("is bounded for hostile schemas", () => {
    let deep: object = { type: "string" };
    for (let i = 0; i < 100_000; i++) deep = { allOf: [deep] };
    expect(outline(plan(deep))).toBe("json: it refers to too many other schemas");
    const wide = { allOf: Array.from({ length: 10_000 }, () => ({ type: "string" })) };
    expect(outline(plan(wide))).toBe("json: it refers to too many other schemas");
    const bomb: Record<string, object> = { d0: { type: "string" } };
    for (let i = 1; i < 60; i++)
      bomb[`d${i}`] = { allOf: [{ $ref: `#/$defs/d${i - 1}` }, { $ref: `#/$defs/d${i - 1}` }] };
    expect(outline(plan({ $ref: "#/$defs/d59", $defs: bomb }))).toBe("json: it refers to too many other schemas");
    const union = { anyOf: Array.from({ length: 5000 }, (_, i) => object({ [`a${i}`]: true })) };
    expect(outline(plan(union))).toBe("json: it has 5000 alternatives");
    const choices = plan({ enum: Array.from({ length: 50_000 }, (_, i) => `c${i}`) });
    expect(choices.kind === "choice" && choices.choices.length).toBe(50_000);
    const names = plan(JSON.parse('{"type":"object","properties":{"__proto__":{"type":"number"},"constructor":true}}'));
    expect(names.kind === "object" && names.properties.map(({ name }) => name)).toEqual(["__proto__", "constructor"]);
    expect(({} as { type?: string }).type).toBeUndefined();
  });

  it("needs a JSON box in no derived tool except for values without a type", () => {
    const reasons = new Map<string, number>();
    const inputs = derivedInputs();
    expect(inputs.length).toBeGreaterThan(100);
    for (const [, schema] of inputs) countReasons(plan(schema), 5, reasons);
    const others = [...reasons.keys()].filter((reason) => reason !== "any" && reason !== "any object");
    expect(others).toEqual([]);
  });
});

function countReasons(field: Field, depth: number, reasons: Map<string, number>): void {
  if (depth === 0) return;
  const visit = (later: () => Field) => countReasons(later(), depth - 1, reasons);
  if (field.kind === "json") reasons.set(field.reason ?? "any", 1);
  if (field.kind === "object") for (const { field: later } of field.properties) visit(later);
  if (field.kind === "array")
    for (const later of [...field.prefix, ...(field.items === undefined ? [] : [field.items])]) visit(later);
  if (field.kind === "union") for (const { field: later } of field.branches) visit(later);
}
