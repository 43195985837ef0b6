import { expect, test } from "vitest";
import type { DerivedSchema, Json } from "../model/json-schema.ts";
import { DEFAULT, EXAMPLE } from "./literal-grammars.ts";

const NUMBER: DerivedSchema = { type: "number" };
const STRING: DerivedSchema = { type: "string" };
const BOOLEAN: DerivedSchema = { type: "boolean" };
const SIZE: DerivedSchema = { type: "string", enum: ["small", "large"] };
const LIST: DerivedSchema = { type: "array", items: STRING };

test.each<[text: string, schema: DerivedSchema, value: Json]>([
  ["10", NUMBER, 10],
  ["10.", NUMBER, 10],
  ["-1.5", NUMBER, -1.5],
  ["10_000", NUMBER, 10_000],
  ["`10`", NUMBER, 10],
  ["{10}", NUMBER, 10],
  ["{false}", BOOLEAN, false],
  ["`true`.", BOOLEAN, true],
  ["'a b'", STRING, "a b"],
  ['"a"', STRING, "a"],
  ["`'a'`", STRING, "a"],
  ["`utf8`", STRING, "utf8"],
  ["small", SIZE, "small"],
  ["`small`.", SIZE, "small"],
  ['"small"', SIZE, "small"],
  ["[]", LIST, []],
  ["['a']", LIST, ["a"]],
  ["{ a: 1 }", { type: "object" }, { a: 1 }],
  ["{}", { type: "object" }, {}],
  ["null", { type: ["string", "null"] }, null],
  ["5", { anyOf: [SIZE, NUMBER] }, 5],
])("the default %j is a literal", (text, schema, value) => {
  expect(DEFAULT.parse(text, schema)).toEqual({ value: { value } });
});

test.each<[text: string, schema: DerivedSchema, value: Json]>([
  ["10 (ten lines)", NUMBER, 10],
  ["10 - enough for most", NUMBER, 10],
  ["false, which is faster", BOOLEAN, false],
  ["5\n\nMore than that is slow.", NUMBER, 5],
])("the default %j is a literal and a text", (text, schema, value) => {
  expect(DEFAULT.parse(text, schema)).toEqual({ value: { value, text } });
});

test.each<[text: string, schema: DerivedSchema]>([
  ["process.cwd()", STRING],
  ["`process.cwd()`", STRING],
  ["new Date()", { type: "string", format: "date-time" }],
  ["Infinity", NUMBER],
  ["`Infinity`", STRING],
  ["none", STRING],
  ["the current folder", STRING],
  ["10 seconds", NUMBER],
  ["true if a file exists", BOOLEAN],
  ["false, unless a file exists", BOOLEAN],
  ["Size.Small", SIZE],
  ["options.limit", NUMBER],
])("the default %j is a text", (text, schema) => {
  expect(DEFAULT.parse(text, schema)).toEqual({ value: { text } });
});

test.each<[text: string, schema: DerivedSchema]>([
  ["10", STRING],
  ['"10"', NUMBER],
  ["null", STRING],
  ['"medium"', SIZE],
  ["[1]", LIST],
])("the default %j contradicts the type, which is a warning", (text, schema) => {
  expect(DEFAULT.parse(text, schema)).toMatchObject({ value: { text }, warning: expect.stringContaining(text) });
});

test("an empty default and the default undefined say nothing", () => {
  expect(DEFAULT.parse("", NUMBER)).toBe("foreign");
  expect(DEFAULT.parse("undefined", NUMBER)).toEqual({ value: {} });
  expect(DEFAULT.parse("`undefined`", STRING)).toEqual({ value: {} });
});

test.each<[text: string, schema: DerivedSchema, expected: object]>([
  ["5", NUMBER, { value: 5 }],
  ["hello", STRING, { value: "hello" }],
  ["'hello'", STRING, { value: "hello" }],
  ["f(5)", NUMBER, { text: "f(5)" }],
  ["```\nf('a')\n```", STRING, { text: "```\nf('a')\n```" }],
])("reads the example %j", (text, schema, expected) => {
  expect(EXAMPLE.parse(text, schema)).toEqual({ value: expected });
});
