import assert from "node:assert/strict";
import fc from "fast-check";
import { compilePattern, patternProblem } from "../packages/proffer/src/schema/json-schema/pattern.ts";
import type { Target } from "./target.ts";

const atom = fc.constantFrom(
  ...[
    "a",
    "b",
    "-",
    ".",
    "é",
    "😀",
    "[ab]",
    "[^a]",
    "[a-z-]",
    "\\w",
    "\\W",
    "\\d",
    "\\s",
    "\\p{L}",
    "\\u{1f600}",
    "\\x61",
  ],
);
const assertion = fc.constantFrom("^", "$", "\\b", "\\B");
const quantifier = fc.constantFrom("", "?", "*", "+", "{2}", "{0,3}", "{2,}", "*?", "{1,2}?");
const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 4 },
    { arbitrary: fc.tuple(atom, quantifier).map((parts) => parts.join("")), weight: 4 },
    { arbitrary: assertion, weight: 1 },
    { arbitrary: fc.array(tie("pattern"), { maxLength: 4 }).map((parts) => parts.join("")), weight: 3 },
    {
      arbitrary: fc
        .tuple(fc.array(tie("pattern"), { minLength: 1, maxLength: 3 }), quantifier)
        .map(([parts, repeat]) => `(?:${parts.join("|")})${repeat}`),
      weight: 3,
    },
    {
      arbitrary: fc
        .tuple(fc.constantFrom("?=", "?!", "?<=", "?<!"), tie("pattern"))
        .map(([kind, body]) => `(${kind}${body})`),
      weight: 1,
    },
  ),
}));
const text = fc
  .array(fc.constantFrom("a", "b", "-", "z", "1", " ", "\n", "é", "😀", "\ud83d"), { maxLength: 12 })
  .map((parts) => parts.join(""));

/** A text that a pattern nearly matches for most of its length, so that an engine would look for another way. */
const pump = fc
  .array(fc.constantFrom("a", "b", "-", "1"), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join(""));

const SHORT = 4_000;
const LONG = 4 * SHORT;

/**
 * Random patterns give the verdict of `RegExp` for short texts; and a text of four times the length takes about four times
 * the CPU time.
 */
export const patterns: Target = {
  name: "patterns",
  runs: 2_000,
  open() {
    const property = fc.property(pattern, text, pump, (source, given, repeated) => {
      if (patternProblem(source) !== undefined) return;
      const compiled = compilePattern(source);
      assert.equal(compiled.test(given), new RegExp(source, "u").test(given));
      const measure = (length: number) => {
        const hostile = `${repeated.repeat(length / repeated.length)}!`;
        const before = process.cpuUsage();
        compiled.test(hostile);
        const { user, system } = process.cpuUsage(before);
        return user + system;
      };
      const [short, long] = [measure(SHORT), measure(LONG)];
      // Compilation and garbage collection take some milliseconds now and then.
      assert.ok(long < 50_000 + 12 * short, `${source}: ${short} µs for ${SHORT} characters, ${long} µs for ${LONG}`);
    });
    return { property };
  },
};
