import { expect, it } from "vitest";
import { publishable } from "./keywords.ts";

it("returns the same object if there is nothing to strip", () => {
  const schema = {
    properties: { unsafePattern: { type: "string" } },
    allOf: [{ minimum: 1 }],
    default: { unsafePattern: true },
  };
  expect(publishable(schema)).toBe(schema);
  expect(publishable(true)).toBe(true);
});

it("strips the keywords that only Proffer defines from all subschemas, but not from data", () => {
  const inner = { pattern: "(a+)+", unsafePattern: true };
  const kept = { type: "string" };
  const schema = {
    properties: { unsafePattern: inner, kept },
    prefixItems: [inner, kept],
    items: inner,
    $defs: { a: { anyOf: [inner] } },
    enum: [inner],
    "x-own": inner,
  };
  const stripped = { pattern: "(a+)+" };
  const result = publishable(schema);
  expect(result).toEqual({
    properties: { unsafePattern: stripped, kept },
    prefixItems: [stripped, kept],
    items: stripped,
    $defs: { a: { anyOf: [stripped] } },
    enum: [inner],
    "x-own": inner,
  });
  expect(schema.items).toHaveProperty("unsafePattern");
});

it("keeps a property called __proto__", () => {
  const schema = JSON.parse('{"properties":{"__proto__":{"pattern":"a","unsafePattern":true}}}');
  expect(JSON.stringify(publishable(schema))).toBe('{"properties":{"__proto__":{"pattern":"a"}}}');
});
