import { decode, encode, type SourceMapSegment } from "@jridgewell/sourcemap-codec";
import fc from "fast-check";
import { expect, it } from "vitest";
import { type Edit, splice, spliceMappings } from "./module-function.ts";

/** Maps each character of a text to itself. */
function identity(text: string): string {
  return encode(
    text.split("\n").map((line, row) => Array.from(line, (_, column): SourceMapSegment => [column, 0, row, column])),
  );
}

const piece = fc.string({ minLength: 1, maxLength: 6 }).map((text) => text.replaceAll("\n", " "));
/** The lines of a text, each split into pieces. */
const lines = fc.array(fc.array(piece, { maxLength: 6 }), { minLength: 1, maxLength: 6 });
const replacements = fc.array(piece, { minLength: 18, maxLength: 18 });

it("moves every mapping along with its character", () => {
  fc.assert(
    fc.property(lines, replacements, (lines, inserted) => {
      const text = lines.map((pieces) => pieces.join("")).join("\n");
      const edits: Edit[] = [];
      let at = 0;
      for (const pieces of lines) {
        for (const [index, { length }] of pieces.entries()) {
          const replacement = inserted[edits.length];
          // Every second piece stays unchanged.
          if (index % 2 === 0 && replacement !== undefined)
            edits.push({ start: at, end: at + length, text: replacement });
          at += length;
        }
        at += 1;
      }
      const before = text.split("\n");
      const after = splice(text, edits.toReversed()).split("\n");
      expect(after).toHaveLength(before.length);
      for (const [row, segments] of decode(spliceMappings(identity(text), text, edits)).entries()) {
        for (const [column, , , origin = 0] of segments) {
          const start = before.slice(0, row).join("\n").length + (row > 0 ? 1 : 0);
          const isReplaced = edits.some((edit) => edit.start <= start + origin && start + origin < edit.end);
          if (!isReplaced) expect(after[row]?.[column]).toBe(before[row]?.[origin]);
        }
      }
    }),
  );
});

it("drops the mapping directly after an edit with `covers`", () => {
  const edits = [{ start: 0, end: 1, text: "(0, m.f)", covers: true }];
  expect(splice("f(x)", edits)).toBe("(0, m.f)(x)");
  expect(decode(spliceMappings(identity("f(x)"), "f(x)", edits))).toEqual([
    [
      [0, 0, 0, 0],
      [9, 0, 0, 2],
      [10, 0, 0, 3],
    ],
  ]);
});
