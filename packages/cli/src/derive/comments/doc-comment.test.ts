import type ts from "typescript";
import { describe, expect, test } from "vitest";
import { groupTags, parseDocComment, parseNamedTag } from "./doc-comment.ts";

describe("parseDocComment", () => {
  test("strips the comment markers", () => {
    expect(parseDocComment("/** One line. */")).toEqual({ text: "One line.", tags: [] });
    expect(parseDocComment("/**\n * First.\n *\n *   Indented.\r\n */").text).toBe("First.\n\n  Indented.");
  });

  test("reads multi-line tags at the start of a line", () => {
    const { text, tags } = parseDocComment("/**\n * Text.\n * @unknown a\n *   b\n * @title\n */");
    expect(text).toBe("Text.");
    expect(tags).toEqual([
      { name: "unknown", written: "unknown", text: "a\n  b", inline: false },
      { name: "title", written: "title", text: "", inline: false },
    ]);
  });

  test("reads supported tags within a line and leaves other mentions alone", () => {
    const { text, tags } = parseDocComment("/** Ask me@example.org or @somebody. @minimum 1 @maximum 2 */");
    expect(text).toBe("Ask me@example.org or @somebody.");
    expect(tags.map(({ name, text: value }) => `${name}=${value}`)).toEqual(["minimum=1", "maximum=2"]);
    expect(tags.every(({ inline }) => inline)).toBe(true);
  });

  test("ignores tags in code", () => {
    const comment = "/**\n * Use `@minimum 1` so:\n * ```ts\n * @title()\n * ```\n * @title T\n */";
    const { text, tags } = parseDocComment(comment);
    expect(text).toContain("`@minimum 1`");
    expect(text).toContain("@title()");
    expect(tags).toEqual([{ name: "title", written: "title", text: "T", inline: false }]);
  });

  test("normalizes the case of supported tags, and resolves their other names", () => {
    const { tags } = parseDocComment("/** @readonly @MINLENGTH 3 @Custom x @openWorldHint false */");
    expect(tags.map(({ name }) => name)).toEqual(["readOnly", "minLength", "openWorld"]);
    expect(tags.map(({ written }) => written)).toEqual(["readonly", "MINLENGTH", "openWorldHint"]);
  });

  test("finds the words that begin with @ and are not tags, outside code", () => {
    const { mentions } = parseDocComment(
      "/** Ask @somebody, not `@nobody` or me@example.org.\n * @param a - by @others */",
    );
    expect(mentions?.map(({ written }) => written)).toEqual(["somebody", "others"]);
  });

  test.each([
    ["/** Text. @minimum 1 */", 10],
    ["/**\n * Text.\n *   @minimum 1\n */", 18],
    ["/**\r\n * Text.\r\n * @minimum 1\r\n */", 18],
    ["/**@minimum 1 */", 3],
  ])("finds the position of a tag in %j", (comment, pos) => {
    const file = {} as ts.SourceFile;
    expect(comment.slice(pos)).toMatch(/^@minimum/);
    expect(parseDocComment(comment, { file, pos: 100 }).tags[0]?.place).toEqual({ file, pos: 100 + pos });
  });

  test("unescapes the end of a comment", () => {
    const { text, tags } = parseDocComment("/** Reads src/**\\/*.ts. @example lib/**\\/*.js */");
    expect(text).toBe("Reads src/**/*.ts.");
    expect(tags[0]?.text).toBe("lib/**/*.js");
  });

  test("replaces links with their text", () => {
    expect(parseDocComment("/** See {@link Page}, {@link Page | the page} and {@linkcode a.b the b}. */").text).toBe(
      "See Page, the page and the b.",
    );
  });
});

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
    ["options.limit - text", "options.limit", "text", undefined],
    ["größe - text", "größe", "text", undefined],
  ])("reads %j", (given, name, text, initial) => {
    expect(parseNamedTag(given)).toEqual({ name, text, tags: [], ...(initial !== undefined && { default: initial }) });
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
});
