import fc from "fast-check";
import type { JsonSchemaObject } from "proffer";
import { compileJsonSchema } from "proffer/derived";
import { describe, expect, it } from "vitest";
import { drawValue, rootSchema } from "../../cli/test/schema-values.ts";
import { checkValue } from "../src/calls/problems.ts";
import { exampleOf, samplePattern } from "../src/page/form/example.ts";
import type { Field } from "../src/page/form/field.ts";
import { branchOf, childrenOf, countHidden, fits, hiddenMembers, textOf, typedValue } from "../src/page/form/fits.ts";
import { plan } from "../src/page/form/plan.ts";
import { memberOf, moveItem, movePointers, type Path, pointerOf, setAt, valueAt } from "../src/page/text/json.ts";
import type { Json } from "../src/protocol/data.ts";
import { derivedInputs } from "./derived-inputs.ts";

/** The value that the controls of a form show, read back: each control returns only the part that a browser keeps. */
function readBack(field: Field, value: Json | undefined): Json | undefined {
  if (value === undefined) return undefined;
  if (!fits(field, value) || field.kind === "json") return JSON.parse(JSON.stringify(value, null, 2)) as Json;
  if (value === null) return null;
  if (field.kind === "union") {
    const branch = field.branches[branchOf(field, value) ?? -1];
    return branch === undefined ? (JSON.parse(JSON.stringify(value)) as Json) : readBack(branch.field(), value);
  }
  if (field.kind !== "object" && field.kind !== "array")
    return typedValue(field, inBrowser(field, textOf(field, value)));
  let result: Json | undefined = field.kind === "array" ? [] : {};
  const members: [string | number, Json | undefined][] = [
    ...childrenOf(field, value).map(([step, child]): [string | number, Json | undefined] => [
      step,
      readBack(child, memberOf(value, step)),
    ]),
    ...hiddenMembers(field, value).map((step): [string | number, Json | undefined] => [step, memberOf(value, step)]),
  ];
  for (const [step, member] of members) result = setAt(result, [step], member);
  return result;
}

/** Areas turn carriage returns into line feeds, and lines lose both. */
function inBrowser(field: Field, text: string): string {
  return field.kind === "text" ? text.replaceAll(/\r\n?/g, "\n") : text.replaceAll(/[\r\n]/g, "");
}

/** As it is sent: JSON has no negative zero. */
function asJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value ?? null)) as Json;
}

describe("the values of a form", () => {
  it("come back from the form as they were, also those that it cannot show", () => {
    fc.assert(
      fc.property(rootSchema, fc.gen(), (schema, draw) => {
        const value = asJson(drawValue(schema, schema, draw));
        expect(asJson(readBack(plan(schema), value))).toEqual(value);
      }),
      { numRuns: 3000 },
    );
  });

  it("come back also where they have nothing to do with the schema", () => {
    fc.assert(
      fc.property(rootSchema, fc.jsonValue(), (schema, value) => {
        const json = asJson(value);
        expect(asJson(readBack(plan(schema), json))).toEqual(json);
      }),
      { numRuns: 1000 },
    );
  });

  it("counts the values that only the JSON shows", () => {
    const field = plan({
      type: "object",
      properties: {
        a: { type: "object", properties: { b: { type: "number" } } },
        pair: { type: "array", prefixItems: [{ type: "number" }], items: false },
      },
    });
    expect(countHidden(field, { a: { b: 1 } })).toBe(0);
    expect(countHidden(field, { a: { b: 1, c: 2 }, x: { y: 1 }, pair: [1, 2, 3] })).toBe(4);
  });

  it.each<[string, object, Json, boolean]>([
    ["a text", { type: "string" }, "a\nb", true],
    ["a text with a carriage return", { type: "string" }, "a\r\nb", false],
    ["a number in a text", { type: "string" }, 5, false],
    ["a number", { type: "number" }, 1.5e300, true],
    ["a word as a number", { type: "number" }, "many", true],
    ["a quoted number", { type: "number" }, "12", false],
    ["null without null", { type: "number" }, null, false],
    ["null", { type: ["number", "null"] }, null, true],
    ["a choice", { enum: ["a", { b: 1 }] }, { b: 1 }, true],
    ["another choice", { enum: ["a"] }, "b", false],
    ["a word instead of one of many choices", { enum: Array.from({ length: 500 }, (_, i) => `c${i}`) }, "d", true],
  ])("fits %s or not", (_name, schema, value, expected) => {
    expect(fits(plan(schema), value)).toBe(expected);
  });

  it("changes one place and nothing else", () => {
    const names = fc.constantFrom("a", "b", "__proto__", "constructor", "a/b~c");
    const path = fc.array(names, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.dictionary(names, fc.jsonValue()), path, fc.jsonValue(), (object, path, other) => {
        const before = asJson(object);
        const value = asJson(other);
        const after = setAt(before, path, value);
        expect(valueAt(after, path)).toEqual(value);
        expect(before).toEqual(asJson(object));
        const removed = setAt(after, path, undefined);
        expect(valueAt(removed, path)).toBeUndefined();
        for (const name of Object.keys(before as object)) {
          if (name !== path[0]) expect(memberOf(removed, name)).toEqual(memberOf(before, name));
        }
      }),
    );
    expect(({} as { a?: unknown }).a).toBeUndefined();
  });

  it("keeps left out, empty and null apart", () => {
    const text: Path = ["note"];
    expect(setAt({ note: "x" }, text, undefined)).toEqual({});
    expect(setAt({}, text, "")).toEqual({ note: "" });
    expect(setAt({}, text, null)).toEqual({ note: null });
    expect(pointerOf(["a/b", 0, "~"])).toBe("/a~1b/0/~0");
  });

  it("moves items together with their texts and choices", () => {
    expect(moveItem(["a", "b", "c"], 0, 2)).toEqual(["b", "c", "a"]);
    expect(moveItem(["a", "b", "c"], 1, undefined)).toEqual(["a", "c"]);
    const texts = { "/l/0": "a", "/l/1/x": "b", "/l/2": "c", "/lx/0": "d" };
    expect(movePointers(texts, "/l", 0, 2)).toEqual({ "/l/2": "a", "/l/0/x": "b", "/l/1": "c", "/lx/0": "d" });
    expect(movePointers(texts, "/l", 1, undefined)).toEqual({ "/l/0": "a", "/l/1": "c", "/lx/0": "d" });
  });

  it("finds the alternative of a value", () => {
    const field = plan({
      anyOf: [
        { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
        { type: "object", properties: { name: { type: "string" }, age: { type: "integer" } }, required: ["name"] },
        { type: "number" },
      ],
    });
    const branch = (value: Json) => (field.kind === "union" ? branchOf(field, value) : undefined);
    expect([branch({ id: 1 }), branch({ name: "a" }), branch({ age: 3 }), branch(4), branch([])]).toEqual([
      0,
      1,
      1,
      2,
      undefined,
    ]);
  });
});

describe("a union that contains itself", () => {
  it.each<[string, JsonSchemaObject]>([
    ["only", { oneOf: [{ $ref: "#" }] }],
    ["and a text", { anyOf: [{ $ref: "#" }, { type: "string" }] }],
    ["a hundred times", { anyOf: Array.from({ length: 100 }, () => ({ $ref: "#" })) }],
    ["twenty times", { anyOf: [...Array.from({ length: 20 }, () => ({ $ref: "#" })), { type: "number" }] }],
  ])("has an end: %s", (_name, schema) => {
    for (const value of [5, "a", [], {}, null]) expect(readBack(plan(schema), value)).toEqual(value);
    expect(countHidden(plan(schema), { a: 1 })).toBe(0);
  });
});

describe("an example", () => {
  it("is valid for each derived tool", () => {
    const wrong: [string, unknown][] = [];
    for (const [name, schema] of derivedInputs()) {
      const example = exampleOf(plan(schema));
      if (example === undefined || checkValue(schema, example).problems.length > 0) wrong.push([name, example]);
    }
    expect(wrong).toEqual([]);
  });

  it.each<[string, JsonSchemaObject]>([
    ["limits", { type: "integer", exclusiveMinimum: 3, multipleOf: 5 }],
    ["negative limits", { type: "number", maximum: -2.5 }],
    ["lengths", { type: "string", minLength: 30, maxLength: 31 }],
    ["a short text", { type: "string", maxLength: 3 }],
    ["a pattern", { type: "string", pattern: "^[A-Z]{2}\\d{3,}(?:-x|y)$" }],
    ["a pattern with lengths", { type: "string", pattern: "^[^a-c]+$", minLength: 12, maxLength: 12 }],
    ["unique items", { type: "array", items: { type: "string" }, minItems: 3, uniqueItems: true }],
    ["a format", { type: "string", format: "uuid" }],
    [
      "a recursive type",
      {
        $ref: "#/$defs/t",
        $defs: {
          t: {
            type: "object",
            properties: { t: { anyOf: [{ $ref: "#/$defs/t" }, { type: "string" }] } },
            required: ["t"],
          },
        },
      },
    ],
  ])("respects %s", (_name, schema) => {
    const example = exampleOf(plan(schema));
    expect(compileJsonSchema(schema).issues(example)).toEqual([]);
    expect(exampleOf(plan(schema))).toEqual(example);
  });

  it("has an item of each list, and 1 for a number that may be 1", () => {
    const order = { type: "object", properties: { sku: { type: "string" }, count: { type: "number" } } } as const;
    const items = { type: "array", items: { ...order, required: ["sku", "count"] } } as const;
    expect(exampleOf(plan({ type: "object", properties: { items }, required: ["items"] }))).toEqual({
      items: [{ sku: "example", count: 1 }],
    });
    expect(exampleOf(plan({ ...items, maxItems: 0 }))).toEqual([]);
    expect(exampleOf(plan({ type: "integer", multipleOf: 5 }))).toBe(0);
    expect(exampleOf(plan({ type: "number", maximum: 0.5 }))).toBe(0);
  });

  it("is absent for a type without an end", () => {
    expect(exampleOf(plan({ type: "object", properties: { a: { $ref: "#" } }, required: ["a"] }))).toBeUndefined();
  });

  it("does not run a pattern, and returns undefined if it cannot read it", () => {
    expect(samplePattern("^(a+)+$", 0)).toBe("a");
    for (const pattern of ["(?=a)b", "(", "[a", "a{", "\\k<x>", "*"]) expect(samplePattern(pattern, 0)).toBeUndefined();
    expect(samplePattern("(?:a{200}){200}", 0)).toBeUndefined();
  });
});

describe("the check of a typed value", () => {
  it("reports a missing property at its place", () => {
    const schema = { type: "object", properties: { "a/b": { type: "number" } }, required: ["a/b"] };
    expect(checkValue(schema, {})).toEqual({ problems: [{ pointer: "/a~1b", message: "is missing" }] });
  });

  it("checks the rest of a schema that the validator refuses, and says so", () => {
    const schema = {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: { a: { $ref: "#/definitions/n" }, b: { type: "string", pattern: "(a+)+$", custom: 1 } },
      definitions: { n: { type: "number", maximum: 3 } },
    };
    const { problems, note } = checkValue(schema, { a: 4, b: "x" });
    expect(note).toMatch(/^Some rules are only checked by the server: /);
    expect(problems).toEqual([{ pointer: "/a", message: expect.stringContaining("3") }]);
  });

  it("checks nothing if it must, and says so", () => {
    const { problems, note } = checkValue({ $ref: "https://example.com/schema" }, { a: 1 });
    expect(problems).toEqual([]);
    expect(note).toMatch(/^Only the server checks values: /);
  });
});
