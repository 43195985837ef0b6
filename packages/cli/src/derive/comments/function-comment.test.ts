import { describe, expect, test } from "vitest";
import { groupTags, parseNamedTag } from "./function-comment.ts";
import { parseDocComment } from "./parse-comment.ts";

describe("parseNamedTag", () => {
  test.each([
    ["name - text", "name", "text", undefined],
    ["name text", "name", "text", undefined],
    ["name", "name", "", undefined],
    ["{string} name - text", "name", "text", undefined],
    ["{{ a: string, b: { c: number } }} name - text", "name", "text", undefined],
    ["[name] - text", "name", "text", undefined],
    ["{number} [name=5] - text", "name", "text", "5"],
    ["[name = a b] text", "name", "text", "a b"],
    ["{Array} [name=[]] - text", "name", "text", "[]"],
    ['[name=["a", "b"]] text', "name", "text", '["a", "b"]'],
    ["[name=] text", "name", "text", undefined],
    ["options.limit - text", "options.limit", "text", undefined],
    ["{number} [options.limit=5] - text", "options.limit", "text", "5"],
    ["options.items[].name - text", "options.items[].name", "text", undefined],
    ["list[].name - text", "list[].name", "text", undefined],
    ["name -- text", "name", "text", undefined],
    ["name \u2013 text", "name", "text", undefined],
    ["name \u2014 text", "name", "text", undefined],
    ["name: text", "name", "text", undefined],
    ["name -1 is the last", "name", "-1 is the last", undefined],
    ["größe - text", "größe", "text", undefined],
  ])("reads %j", (given, name, text, initial) => {
    const tags = initial === undefined ? [] : [{ name: "default", written: "default", text: initial, inline: true }];
    expect(parseNamedTag(given)).toEqual({ name, text, tags });
  });

  test("returns undefined for a tag without a name", () => {
    expect(parseNamedTag("")).toBeUndefined();
    expect(parseNamedTag("- text")).toBeUndefined();
  });
});

describe("groupTags", () => {
  test("assigns tags to the parameter they follow", () => {
    const doc = groupTags(
      parseDocComment(`/**
        * Text.
        * @minimum 0
        * @param a - first. @minimum 1 @example 5
        * @maximum 2
        * @param b - second
        * @returns the sum. @minimum 3
        * @example add(1, 2)
        * @title Adder
        * @maximum 9
        */`),
    );
    expect(doc.text).toBe("Text.");
    expect(doc.params.map(({ name, tags }) => [name, tags.map((tag) => tag.name)])).toEqual([
      ["a", ["minimum", "example", "maximum"]],
      ["b", []],
    ]);
    expect(doc.returns).toMatchObject({ text: "the sum.", tags: [{ name: "minimum" }] });
    expect(doc.tags.map(({ name }) => name)).toEqual(["minimum", "example", "title", "maximum"]);
  });

  test("uses the text after @prompt as the description if there is no other", () => {
    expect(groupTags(parseDocComment("/** @prompt Reviews code. @title Review */")).text).toBe("Reviews code.");
    expect(groupTags(parseDocComment("/** Asks. @prompt or so */")).text).toBe("Asks.");
    expect(groupTags(parseDocComment("/** @prompt */")).text).toBe("");
  });

  test.each([
    ["@description Adds.", "Adds."],
    ["@summary Adds.", "Adds."],
    ["@desc Adds.", "Adds."],
    ["@summary Adds days.\n * @description Adds days.", "Adds days."],
    ["@summary Adds days\n * @description Adds days. In UTC.", "Adds days. In UTC."],
    ["In UTC.\n * @summary Adds days.", "Adds days.\n\nIn UTC."],
    ["Adds days.\n * @param a - one\n * @description In UTC.", "Adds days.\n\nIn UTC."],
  ])("combines the text, @summary and @description of %j", (body, text) => {
    expect(groupTags(parseDocComment(`/**\n * ${body}\n */`)).text).toBe(text);
  });
});
