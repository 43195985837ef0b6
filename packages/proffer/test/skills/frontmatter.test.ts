import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { readFrontmatter } from "../../src/providers/skills/frontmatter.ts";

const read = (head: string) => readFrontmatter(`---\n${head}\n---\nbody`, "a/SKILL.md");

describe("the reader of frontmatter", () => {
  it.each([
    "name: refunds\ndescription: Use it to refund an order.",
    "name: 'it''s'\ndescription: \"a \\\"b\\\" \\u00e9\\n\"",
    "a: |\n  one\n   two\n\n  three\nb: 1",
    "a: |-\n  one\n\nb: |+\n  two\n\n\nc: >\n  folded\n  text\n\n  next\nd: >-\n  one\n  two",
    "metadata:\n  version: \"1.0\"\n  tags:\n    - a\n    - 'b c'\n  nested:\n    deep: true\nlast: x",
    "tags:\n- a\n- b\nother: [one, \"two, three\", 'four', 5, true, null]\nempty: []",
    "a: plain text # comment\nb: x#y\nc: http://example.com/a?b=c#d\nd: -1\ne: 1.5\nf: 1e3\ng: 0x1f\nh: ~\ni:\nj: Null",
    "description: Refunds an order\n  that was paid,\n\n  and mails the customer.\nname: a",
    "# comment\n\nname: a # comment\n\n# more\nx: 'a' # comment",
    "\"quoted key\": 1\n'other': 2\nwith space: 3\n__proto__: 4\nconstructor: 5",
    'a:\n  plain on the next line\nb:\n  - plain\n  - "x"',
    "a: yes it is\nb: trueish\nc: 1st\nd: 2 apples\ne: v1.0",
  ])("reads as the package yaml does: %j", (head) => {
    const { fields, warnings, body } = read(head);
    expect(JSON.stringify(fields)).toBe(JSON.stringify(parse(head)));
    expect(warnings).toEqual([]);
    expect(body).toBe("body");
  });

  it("keeps the text behind it, and accepts a byte order mark and CRLF", () => {
    const { fields, body } = readFrontmatter("\uFEFF---\r\nname: a\r\n---\r\n# A\r\n\r\nText\r\n", "a");
    expect(fields).toEqual({ name: "a" });
    expect(body).toBe("# A\n\nText\n");
  });

  it.each(["yes", "No", "on", "off", "y", "1.0", "010", "0o17", "12:30", "2026-11-18", "1_000", "3."])(
    "S9 warns of %s, which YAML 1.1, YAML 1.2 and JSON do not all read alike, and not of the same in quotes",
    (value) => {
      expect(read(`a: ${value}`).warnings).toMatchObject([expect.stringContaining(`a/SKILL.md:2: ${value} is not`)]);
      const quoted = read(`a: "${value}"`);
      expect(quoted).toMatchObject({ fields: { a: value }, warnings: [] });
      expect(quoted.fields).toEqual(parse(`a: "${value}"`));
    },
  );

  it.each([
    ["a: &x 1", "a/SKILL.md:2"],
    ["a: 1\nb: *x", "a/SKILL.md:3"],
    ["a: !!str 1", "a/SKILL.md:2"],
    ["a: {b: 1}", "a/SKILL.md:2"],
    ["a: [1,\n  2]", "a/SKILL.md:2"],
    ["a: [[1]]", "a/SKILL.md:2"],
    ["a: b: c", "has a colon"],
    ["description: Use it when: asked", "has a colon"],
    ["a: 'open", "a/SKILL.md:2"],
    ['a: "\\x41"', "single quotes"],
    ["a: 1\na: 2", '"a" a second time'],
    ["\ta: 1", "tab"],
    ["a: 1\n   b: 2", "has a colon"],
    ["a: 'x'\n   b: 2", "a/SKILL.md:3"],
    ["- a", "field such as"],
    ["just text", "key: value"],
    ["a: .nan", "JSON cannot express"],
    ["a: 1e999", "too large"],
    ["a:\n  - b: 1", "dash"],
    ["a: >\n  b\n    c", "use |"],
    ["@a: 1", "key: value"],
    [Array.from({ length: 40 }, (_, n) => `${"  ".repeat(n)}a:`).join("\n"), "levels deep"],
    [`a: ${"x".repeat(70_000)}`, "exceeds"],
  ])("S8 refuses %j with its place", (head, message) => {
    expect(() => read(head)).toThrow(message);
  });

  it.each(["", "name: a", "---\nname: a", "text\n---\nname: a\n---"])("refuses a file without it: %j", (text) => {
    expect(() => readFrontmatter(text, "a/SKILL.md")).toThrow("must begin with YAML frontmatter");
  });
});
