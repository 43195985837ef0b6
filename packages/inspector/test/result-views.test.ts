import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonLines, placeOfPointer, pointersOfLine } from "../src/page/panes/source-lines.ts";
import { openAtStart, sizeOf, summaryOf, treeRows } from "../src/page/result/rows.ts";
import { promptSchema, templateSchema } from "../src/page/state/calls.ts";
import { lineDiff } from "../src/page/text/differences.ts";
import { cutText, decodeBase64, hexLines, textChunks } from "../src/page/text/format.ts";
import type { Json } from "../src/protocol/data.ts";

describe("a difference of two texts", () => {
  it("returns both texts", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 12 }).map((parts) => parts.join("\n"));
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const diff = lineDiff(before, after);
        expect(diff.length === 0).toBe(before === after);
        if (before === after) return;
        // Without the unchanged lines around it, a difference is within both texts.
        const side = (mark: string) =>
          diff
            .filter((line) => line.mark !== mark)
            .map(({ text }) => text)
            .join("\n");
        expect(`\n${before}\n`).toContain(`\n${side("+")}\n`);
        expect(`\n${after}\n`).toContain(`\n${side("-")}\n`);
      }),
    );
  });

  it("is bounded", () => {
    const text = (word: string) => Array.from({ length: 20_000 }, (_, index) => `${word}${index}`).join("\n");
    expect(lineDiff(text("a"), text("b")).length).toBe(40_000);
  });
});

describe("a long text", () => {
  it("is divided without a loss, not within a character", () => {
    for (const text of ["line\n".repeat(50_000), "😀".repeat(60_000), `${"x".repeat(49_999)}😀`, ""]) {
      const chunks = textChunks(text);
      expect(chunks.join("").replaceAll("\n", "")).toBe(text.replaceAll("\n", ""));
      for (const chunk of [...chunks, cutText(text)]) expect(chunk).not.toMatch(/\p{Surrogate}/u);
      expect(Math.max(0, ...chunks.map(({ length }) => length))).toBeLessThanOrEqual(50_000);
    }
  });
});

describe("binary data", () => {
  it("is decoded from both alphabets, and shown by its bytes", () => {
    expect(decodeBase64("-_8=")).toEqual(new Uint8Array([0xfb, 0xff]));
    expect(decodeBase64("no base64!")).toBeUndefined();
    expect(hexLines(new TextEncoder().encode("raw bytes\n"), 100)).toBe(
      "00000000  72 61 77 20 62 79 74 65  raw byte\n00000008  73 0a                    s.",
    );
    expect(hexLines(new Uint8Array(100), 8).split("\n").length).toBe(1);
  });
});

describe("the tree of a value", () => {
  it("has a row for each value that is open", () => {
    const value: Json = { a: [1, { b: "x" }], c: {} };
    const rows = treeRows(value, () => true);
    expect(rows.map(({ pointer, depth, open }) => [pointer, depth, open])).toEqual([
      ["", 0, true],
      ["/a", 1, true],
      ["/a/0", 2, undefined],
      ["/a/1", 2, true],
      ["/a/1/b", 3, undefined],
      ["/c", 1, undefined],
    ]);
    expect(treeRows(value, (pointer) => pointer === "").length).toBe(3);
  });

  it("opens as many levels as fit", () => {
    const text = "a text that does not fit on a line together with another one";
    expect([...openAtStart({ a: [1, text], b: { c: text } })]).toEqual(["", "/a", "/b"]);
    expect([...openAtStart({ a: Array.from({ length: 1000 }, () => 1) })]).toEqual([""]);
    expect([...openAtStart(Array.from({ length: 1000 }, () => 1))]).toEqual([""]);
    expect(
      treeRows(
        Array.from({ length: 300_000 }, () => 1),
        () => true,
      ).length,
    ).toBe(200_000);
  });

  it("cuts long texts", () => {
    expect(summaryOf("x".repeat(1000))).toMatch(/^"x{299}… \(1002 characters\)$/);
  });

  it("writes a short value on one line, and opens it only if asked", () => {
    const roll = { dice: [3], "in words": "three", none: [{}, null] };
    expect(summaryOf(roll)).toBe('{ dice: [3], "in words": "three", none: [{}, null] }');
    expect(openAtStart({ dice: [3], total: 3 })).toEqual(new Set());
    expect(
      treeRows({ dice: [3], total: 3 }, (pointer) => openAtStart({ dice: [3], total: 3 }).has(pointer)),
    ).toHaveLength(1);
    expect([[], [1], {}, null].map(summaryOf)).toEqual(["[]", "[1]", "{}", "null"]);
  });

  it("shows the size of a value whose members are on other lines", () => {
    const long = Array.from({ length: 100 }, (_, n) => n);
    expect([summaryOf(long), sizeOf(long), sizeOf({ a: 1, b: 2 })]).toEqual(["[ 100 ]", "[ 100 ]", "{ 2 }"]);
    const nested = { one: long, two: long, three: 3, four: 4, five: 5 };
    expect(summaryOf(nested)).toBe("{ one, two, three, four, … }");
  });
});

describe("lines and places", () => {
  it("formats as JSON.stringify does, with a pointer for each line", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.parse(JSON.stringify(value)) as Json;
        expect(
          jsonLines(json)
            .map(({ text }) => text)
            .join("\n"),
        ).toBe(JSON.stringify(json, null, 2));
      }),
    );
    expect(jsonLines({ "a/b": [1] }).map(({ pointer }) => pointer)).toEqual(["", "/a~1b", "/a~1b/0", "/a~1b", ""]);
  });

  it("finds the place of a node, and the nodes of a line", () => {
    const places = [
      { pointer: "/inputSchema", place: { file: 0, line: 1 }, endLine: 9 },
      { pointer: "/inputSchema/properties/zip", place: { file: 0, line: 4 }, endLine: 5 },
      { pointer: "/outputSchema", place: { file: 1, line: 4 }, endLine: 4 },
    ];
    expect(placeOfPointer(places, "/inputSchema/properties/zip/pattern")).toBe(places[1]);
    expect(placeOfPointer(places, "/inputSchema/properties/zipper")).toBe(places[0]);
    expect(placeOfPointer(places, "/description")).toBeUndefined();
    expect(pointersOfLine(places, { file: 0, line: 4 })).toEqual(["/inputSchema/properties/zip"]);
    expect(pointersOfLine(places, { file: 0, line: 8 })).toEqual(["/inputSchema"]);
    expect(pointersOfLine(places, { file: 2, line: 8 })).toEqual([]);
  });
});

describe("the schema of arguments", () => {
  it("has the variables of a template", () => {
    expect(templateSchema("a://{id}{/path*}{?limit,sort:3}").properties).toEqual({
      id: { type: "string" },
      path: { type: "array", items: { type: "string" } },
      limit: { type: "string", description: "left out of the URI if it has no value" },
      sort: { type: "string", description: "left out of the URI if it has no value" },
    });
    expect(Object.keys(templateSchema("{a}".repeat(1000)).properties as object)).toEqual(["a"]);
  });

  it("has the arguments of a prompt, also malformed ones", () => {
    const list = [{ name: "a", description: "x", required: true }, { name: "b" }, { name: 5 }, null];
    expect(promptSchema({ arguments: list })).toEqual({
      type: "object",
      properties: { a: { type: "string", description: "x" }, b: { type: "string" } },
      required: ["a"],
      additionalProperties: false,
    });
    expect(promptSchema({}).properties).toEqual({});
  });
});
