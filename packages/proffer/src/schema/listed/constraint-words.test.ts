import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { JsonSchemaObject } from "../json-schema/types.ts";
import { toSchema } from "../schema.ts";
import { listedForm } from "./listed-form.ts";

/** The description of a property with this schema, as it is listed. */
function listed(schema: JsonSchemaObject): string | undefined {
  const json = { type: "object", properties: { a: schema } };
  const { properties } = listedForm({ json, isWritten: true }, "input") as { properties: { a: JsonSchemaObject } };
  return properties.a.description;
}

describe("constraints in words", () => {
  it.each([
    ["1 to 1000", { minimum: 1, maximum: 1000 }],
    ["at least 1", { minimum: 1 }],
    ["at most 1000", { maximum: 1000 }],
    ["above 0", { exclusiveMinimum: 0 }],
    ["above 0, at most 1", { exclusiveMinimum: 0, maximum: 1 }],
    ["at least 0.5, below 1", { minimum: 0.5, exclusiveMaximum: 1 }],
    ["exactly 5", { minimum: 5, maximum: 5 }],
    ["a multiple of 0.25", { multipleOf: 0.25 }],
    ["at most 40 characters", { maxLength: 40 }],
    ["at least 1 character", { minLength: 1 }],
    ["2 to 40 characters", { minLength: 2, maxLength: 40 }],
    ["1 to 3 items, no duplicates", { type: "array", minItems: 1, maxItems: 3, uniqueItems: true }],
    ["matches ^[a-z]+$", { pattern: "^[a-z]+$" }],
    ["format: date", { format: "date", pattern: "^\\d" }],
    ["encoded as base64", { contentEncoding: "base64" }],
    ['default: "eu"', { default: "eu" }],
    [undefined, { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }],
    [undefined, { type: "string", minLength: 0 }],
    [undefined, { pattern: "x".repeat(81) }],
    [undefined, { default: "x".repeat(41) }],
    ["format: constructor", { format: "constructor" }],
  ])("are %j", (words, schema) => {
    expect(listed(schema)).toBe(words);
  });

  it.each([
    ["how many", "how many, 1 to 1000"],
    ["How many.", "How many. 1 to 1000."],
    ["one of\n- a\n- b", "one of\n- a\n- b\n1 to 1000."],
    ["how many, from 1 to 1000", "how many, from 1 to 1000"],
    ["at most 1,000, at least 1", "at most 1,000, at least 1"],
    ["1 to 10000", "1 to 10000, 1 to 1000"],
    ["0.1 to 1000.5", "0.1 to 1000.5, 1 to 1000"],
  ])("are added to %j only if it does not mention them", (description, expected) => {
    expect(listed({ description, minimum: 1, maximum: 1000 })).toBe(expected);
  });

  it.each([
    [{ description: "The day (ISO 8601).", format: "date" }],
    [{ description: "an e-mail address", format: "email" }],
    [{ description: "matches ^a$", pattern: "^a$" }],
    [{ description: "The region. Default: Europe.", default: "eu" }],
    [{ description: "distinct names", uniqueItems: true }],
    [{ description: "-5 or more", minimum: -5 }],
  ])("are not repeated for %j", (schema) => {
    expect(listed(schema)).toBe(schema.description);
  });

  it("are added at every level, and know the description around them", () => {
    const list = { type: "array", description: "names of at most 40", items: { type: "string", maxLength: 40 } };
    expect(listed(list)).toBe(list.description);
    const json = {
      type: "object",
      properties: { list: { ...list, description: "names" }, not: { not: { maximum: 3 } } },
    };
    expect(listedForm({ json, isWritten: true }, "input").properties).toEqual({
      list: { ...list, description: "names", items: { ...list.items, description: "at most 40 characters" } },
      not: { not: { maximum: 3 } },
    });
  });

  it("are not added to outputs, and only once", () => {
    const json = { type: "object", properties: { a: { maximum: 3 } } };
    expect(listedForm({ json, isWritten: true }, "output")).toEqual(json);
    const once = listedForm({ json, isWritten: true }, "input");
    expect(listedForm({ json: once, isWritten: true }, "input")).toEqual(once);
  });

  it("are added to the schemas of libraries", () => {
    const schema = z.object({ n: z.int().min(1).max(9).default(3).describe("How many?"), to: z.email() });
    expect(listedForm(toSchema(schema, "input", "t"), "input").properties).toMatchObject({
      n: { description: "How many? 1 to 9, default: 3.", minimum: 1, maximum: 9, default: 3 },
      to: { description: "format: email" },
    });
  });
});
