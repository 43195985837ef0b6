import type ts from "typescript";
import { describe, expect, test } from "vitest";
import { parseDocComment } from "./parse-comment.ts";

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

  test.each([
    ["[the page]{@link Page}", "the page"],
    ["{@link Page|the page}", "the page"],
    ["{@link module:pages.Page}", "pages.Page"],
    ["{@code a + b}", "`a + b`"],
    ["{@see Page}", "Page"],
    ["{@tutorial start}", "start"],
    ["Text. {@inheritDoc Other.member}", "Text."],
    ["{@unknown some text}", "some text"],
    ["an object { a: 1 }", "an object { a: 1 }"],
  ])("shows the inline tags in %j as %j", (written, shown) => {
    expect(parseDocComment(`/** ${written} */`).text).toBe(shown);
  });

  test.each([
    ["/** {@inheritDoc} */", ""],
    ["/** Text. {@inheritDoc Base.member} */", "Base.member"],
    ["/**\n * @inheritdoc\n */", ""],
    ["/** @inheritDoc */", ""],
    ["/** Text about `@inheritdoc`. */", undefined],
  ])("finds whether %j inherits a comment", (comment, inherits) => {
    expect(parseDocComment(comment).inherits).toBe(inherits);
  });
});
