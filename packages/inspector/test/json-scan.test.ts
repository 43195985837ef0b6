import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hintsAt } from "../src/page/form/fits.ts";
import { plan } from "../src/page/form/plan.ts";
import { indent, lineBreak, matchingBrackets, scanJson, type TextEdit } from "../src/page/text/json-text.ts";

/** The place of "|" in a text, and the text without it. */
function caretIn(marked: string): [string, number] {
  return [marked.replace("|", ""), marked.indexOf("|")];
}

describe("the scan of JSON", () => {
  it("finds an error exactly where JSON.parse does", () => {
    const pieces = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ":",
      ",",
      '"a"',
      '"',
      "1",
      "-",
      "0x1",
      "true",
      "nul",
      " ",
      "\n",
      '"\\u12"',
      '"\\n"',
      '"\t"',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join("");
        const isJson = (() => {
          try {
            JSON.parse(text);
            return true;
          } catch {
            return false;
          }
        })();
        expect(scanJson(text).error === undefined).toBe(isJson);
      }),
      { numRuns: 20_000 },
    );
  });

  it("accepts all JSON, and its tokens cover all but spaces", () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 1), (json, space) => {
        const text = JSON.stringify(JSON.parse(json), null, space);
        const { error, tokens } = scanJson(text);
        expect(error).toBeUndefined();
        expect(tokens.map(({ start, end }) => text.slice(start, end)).join("")).toBe(JSON.stringify(JSON.parse(json)));
      }),
    );
  });

  it.each([
    ['{"a": 1,\n  b: 2}', 2, 3, 'expected a value, found "b"'],
    ['{"a" 1}', 1, 6, "expected :"],
    ["[1 2]", 1, 4, "expected , or ]"],
    ['{"a": 1', 1, 8, "expected , or }, found the end"],
    ['["a]', 1, 2, 'this text has no end: add "'],
    ["{} x", 1, 4, 'expected a value, found "x"'],
    ["[01]", 1, 2, "this is not a number of JSON"],
    ['["\\q"]', 1, 2, "this text has an escape that JSON does not know"],
  ])("says where and why %j is malformed", (text, line, column, message) => {
    expect(scanJson(text).error).toMatchObject({ line, column, message });
  });

  it.each<[string, (string | number)[], boolean]>([
    ['{"a": [1, |2]}', ["a", 1], false],
    ['{"a": [1|, 2]}', ["a", 0], false],
    ['{"a": {"b|": 1}}', ["a", "b"], true],
    ['{"a": {|}}', ["a", ""], true],
    ['{"a": 1}|', [], false],
    ['{"a": 1, |', [""], true],
    ['{"a": |', ["a"], false],
    ["|", [], false],
  ])("knows the place of the caret in %j", (marked, path, inName) => {
    const [text, caret] = caretIn(marked);
    expect(scanJson(text, caret)).toMatchObject({ path, inName });
  });
});

describe("edits of JSON", () => {
  function applied(text: string, edit: TextEdit): string {
    const result = text.slice(0, edit.start) + edit.text + text.slice(edit.end);
    return `${result.slice(0, edit.caret)}|${result.slice(edit.caret)}`;
  }

  it.each([
    ["{|}", "{\n  |\n}"],
    ['  "a": [|]', '  "a": [\n    |\n  ]'],
    ["  1,|", "  1,\n  |"],
    ["|", "\n|"],
  ])("breaks the line of %j", (marked, expected) => {
    const [text, caret] = caretIn(marked);
    expect(applied(text, lineBreak(text, caret, caret))).toBe(expected);
  });

  it("indents and unindents", () => {
    expect(applied("ab", indent("ab", 1, 1, false))).toBe("a  |b");
    expect(applied("a\nb", indent("a\nb", 0, 3, false))).toBe("  a\n  b|");
    expect(applied("  a\n b", indent("  a\n b", 0, 6, true))).toBe("a\nb|");
    expect(applied("a", indent("a", 1, 1, true))).toBe("a|");
  });

  it("finds the bracket that belongs to another", () => {
    const text = '{"a": ["}"]}';
    const { tokens } = scanJson(text);
    expect(matchingBrackets(tokens, text, 0)).toEqual([0, 11]);
    expect(matchingBrackets(tokens, text, 7)).toEqual([6, 10]);
    expect(matchingBrackets(tokens, text, 3)).toEqual([]);
  });
});

describe("hints of the editor", () => {
  const field = plan({
    type: "object",
    properties: {
      size: { enum: ["s", "l"] },
      items: {
        type: "array",
        items: { type: "object", properties: { sku: { type: "string" }, on: { type: "boolean" } }, required: ["sku"] },
      },
    },
  });
  const hints = (marked: string) => {
    const [text, caret] = caretIn(marked);
    const { path, inName } = scanJson(text, caret);
    const value = (() => {
      try {
        return JSON.parse(text);
      } catch {
        return undefined;
      }
    })();
    return hintsAt(field, value, path, inName).map(({ text }) => text);
  };

  it("are names that are missing, and constants", () => {
    expect(hints("{|}")).toEqual(['"size": ', '"items": ']);
    expect(hints('{"size": |}')).toEqual(['"s"', '"l"']);
    expect(hints('{"items": [{"sku": "a", "|": 1}]}')).toEqual(['"on": ']);
    expect(hints('{"items": [{"on": |')).toEqual(["true", "false"]);
    expect(hints('{"other": |1}')).toEqual([]);
  });
});
