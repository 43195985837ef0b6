import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unknownName } from "./registry.ts";

const TOOLS = ["order", "orders", "cancel_order", "note"];

function hint(name: string, candidates: readonly string[] = TOOLS): string {
  return unknownName("tool", name, candidates).message.replace(/^Unknown tool ".*?"\. /, "");
}

describe("an unknown name", () => {
  it.each([
    ["ordr", "order"],
    ["orrder", "order"],
    ["Order", "order"],
    ["odrer", "order"],
    ["orderss", "orders"],
    ["cancelOrder", "cancel_order"],
    ["nope", "note"],
  ])("%s suggests %s", (name, near) => {
    expect(hint(name)).toBe(`Did you mean "${near}"?`);
  });

  it.each(["x", "", "cancel", "ordxxx", "o".repeat(100_000)])("%.20s suggests the list", (name) => {
    expect(hint(name)).toBe("tools/list returns the available tools.");
  });

  it("is quoted, and at most 128 characters of it are repeated", () => {
    expect(unknownName("prompt", 'a"b', []).message).toBe(
      'Unknown prompt "a\\"b". prompts/list returns the available prompts.',
    );
    expect(unknownName("tool", "x".repeat(100_000), TOOLS).message.length).toBeLessThan(200);
  });

  it("suggests the first of the nearest candidates by edit distance", () => {
    const name = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 4, maxLength: 8 });
    fc.assert(
      fc.property(name, fc.array(name, { maxLength: 6 }), (wrong, names) => {
        const candidates = names.filter((each) => each !== wrong);
        const distances = candidates.map((each) => distance(wrong, each));
        const least = Math.min(...distances);
        const near = candidates[distances.indexOf(least)];
        expect(hint(wrong, candidates)).toBe(
          least <= 2 ? `Did you mean "${near}"?` : "tools/list returns the available tools.",
        );
      }),
    );
  });

  it("is compared with 1,000 candidates at most", () => {
    let taken = 0;
    function* endless() {
      for (;;) yield `candidate_${taken++}`;
    }
    expect(unknownName("tool", "unlike any of them", endless()).message).toContain("tools/list");
    expect(taken).toBe(1001);
  });
});

/** Levenshtein's distance by the textbook. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] as number) + 1, (next[j - 1] as number) + 1, replaced));
    }
    row = next;
  }
  return row[b.length] as number;
}
