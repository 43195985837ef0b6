import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { patternDegree } from "./pattern-safety.ts";

const LINEAR = [
  String.raw`^\d+$`,
  "^[a-z0-9-]+$",
  String.raw`^(\d{3}-)?\d{4}$`,
  String.raw`^[A-Za-z0-9-]+_\d+$`,
  "^([a-z]+,)*[a-z]+$",
  String.raw`^(\w+\s)*\w+$`,
  "^#[0-9a-f]{6}$",
  "^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$",
  String.raw`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$`,
  String.raw`^((25[0-5]|2[0-4]\d|[01]?\d\d?)\.){3}(25[0-5]|2[0-4]\d|[01]?\d\d?)$`,
  String.raw`^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?)*$`,
  "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
  "^([0-9a-f]{2})+$",
  "^(?:[0-9a-f]{64},)*$",
  '^(?:"[^"]*"|[^",]*)(?:,(?:"[^"]*"|[^",]*))*$',
  "^(?:(?!--)[a-z-])+$",
  String.raw`^\p{L}+(?: \p{L}+)*$`,
  "^(?:中|国)*$",
  String.raw`^(?:\u{1F600}|\x41|\cA|\n|[\b])+$`,
  String.raw`^[[\]\\^-]+$`,
  `^(?:${Array.from({ length: 100 }, (_, i) => `word${i};`).join("|")})*$`,
  "^(?<year>[0-9]+)-(?<month>[0-9]+)$",
  "a+",
  String.raw`\S`,
  "",
];

const QUADRATIC = [
  String.raw`^[^\s@]+@[^\s@]+\.[^\s@]+$`,
  String.raw`^\s*\s*$`,
  String.raw`\s+$`,
  "^.*foo.*$",
  String.raw`^(?=.*[a-z])(?=.*\d).{8,}$`,
];

const WORSE = [String.raw`\s*\s*$`, "^.*foo.*bar.*$", String.raw`^(\w+\s?){1,5}$`, "^.{0,500}.{0,500}.{0,500}x$"];

const EXPONENTIAL = [
  "(a+)+",
  "^(a*)*$",
  "^(a|a)*$",
  "^(a|aa)+$",
  "^(a|b|ab)*$",
  String.raw`^(\w+\s?)*$`,
  "(.*)*",
  "(x+x+)+y",
  String.raw`^(\d{1,3})*$`,
  "^(a?){30}a{30}$",
  "^(a|a){30}$",
  "^(a{1,8}){1,8}$",
  "^(?:(?:a{1,9}){1,9}){1,9}$",
  "^(a?b?)*$",
  "^(?:(?:b?|c?)a)*$",
  "^((a?)+b)*$",
  "^(.*,)*x$",
  "^(([a-z])+.)+[A-Z]([a-z])+$",
  String.raw`^(?:\s*\w+\s*)*$`,
  "^([a-z0-9]+-?)*$",
  "^(?=(a+)+b)a*$",
  "(?<=(a+)+)b",
  "^(?:[^x]|\\u00e9)*$",
  `^${"a?".repeat(40)}$`,
];

const UNKNOWN = [String.raw`^(a+)\1$`, String.raw`^(?<x>a+)\k<x>$`, `^(?:${"[ab]c|".repeat(1_000)}d)*$`];

describe("The degree of a pattern", () => {
  it.each(LINEAR)("is 1 for %s", (source) => expectDegree(source, 1));
  it.each(QUADRATIC)("is 2 for %s", (source) => expectDegree(source, 2));
  it.each(EXPONENTIAL)("is infinite for %s", (source) => expectDegree(source, Number.POSITIVE_INFINITY));
  it.each(UNKNOWN)("is infinite if it cannot be determined: %s", (source) =>
    expectDegree(source, Number.POSITIVE_INFINITY),
  );

  it.each(WORSE)("is finite, but more than 2, for %s", (source) => {
    expect(patternDegree(source)).toBeGreaterThan(2);
    expect(patternDegree(source)).toBeLessThan(Number.POSITIVE_INFINITY);
  });

  it("is never lower than the cost of a backtracking matcher", { timeout: 600_000 }, () => {
    const word = fc.array(fc.constantFrom("a", "b"), { minLength: 1, maxLength: 3 });
    const property = fc.property(node, word, (tree, pump) => {
      const degree = patternDegree(`^${print(tree)}$`);
      fc.pre(degree <= 2);
      const [short = 0, medium = 0, long = 0] = [30, 60, 120].map((n) =>
        countSteps(tree, `${pump.join("").repeat(n)}!`),
      );
      expect(long).toBeLessThan(STEP_LIMIT);
      // A text of twice the length takes 2 ** degree times the steps, once it is too long for bounded repetitions.
      const factor = 2 ** degree * 1.5;
      expect(medium > factor * Math.max(short, 500) && long > factor * Math.max(medium, 500)).toBe(false);
    });
    const { PROFFER_FUZZ } = process.env;
    fc.assert(property, { numRuns: Number(PROFFER_FUZZ ?? 3_000), seed: PROFFER_FUZZ === undefined ? 1 : Date.now() });
  });
});

function expectDegree(source: string, degree: number): void {
  // A pattern that the engine rejects would prove nothing.
  expect(new RegExp(source, "u")).toBeInstanceOf(RegExp);
  expect(patternDegree(source)).toBe(degree);
}

type Node =
  | { type: "set"; characters: string }
  | { type: "sequence"; parts: Node[] }
  | { type: "choice"; parts: Node[] }
  | { type: "repeat"; body: Node; min: number; max: number };

const { node } = fc.letrec<{ node: Node }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom("a", "b", "ab").map((characters): Node => ({ type: "set", characters })),
    fc
      .tuple(fc.constantFrom("sequence" as const, "choice" as const), fc.array(tie("node"), { maxLength: 3 }))
      .map(([type, parts]): Node => ({ type, parts })),
    fc
      .tuple(tie("node"), fc.constantFrom([0, 1], [0, Infinity], [1, Infinity], [2, Infinity], [1, 2], [2, 2], [0, 3]))
      .map(([body, [min = 0, max = 0]]): Node => ({ type: "repeat", body, min, max })),
  ),
}));

function print(tree: Node): string {
  if (tree.type === "set") return `[${tree.characters}]`;
  if (tree.type === "sequence") return `(?:${tree.parts.map(print).join("")})`;
  if (tree.type === "choice") return `(?:${tree.parts.map(print).join("|")})`;
  return `(?:${print(tree.body)}){${tree.min},${tree.max === Infinity ? "" : tree.max}}`;
}

const STEP_LIMIT = 3_000_000;

/** Matches with continuations, as defined in ECMA-262, and counts the characters that are tried. */
function countSteps(tree: Node, text: string): number {
  let steps = 0;
  function match(current: Node, at: number, next: (at: number) => boolean): boolean {
    if (steps > STEP_LIMIT) return true;
    if (current.type === "set") {
      steps++;
      return at < text.length && current.characters.includes(text.charAt(at)) && next(at + 1);
    }
    if (current.type === "choice")
      return current.parts.length === 0 ? next(at) : current.parts.some((part) => match(part, at, next));
    if (current.type === "sequence") {
      const [first, ...rest] = current.parts;
      return first === undefined
        ? next(at)
        : match(first, at, (end) => match({ type: "sequence", parts: rest }, end, next));
    }
    const { body, min, max } = current;
    if (max === 0) return next(at);
    const again = (end: number) => {
      if (min === 0 && end === at) return false;
      return match({ type: "repeat", body, min: Math.max(min - 1, 0), max: max - 1 }, end, next);
    };
    if (match(body, at, again)) return true;
    return min === 0 && next(at);
  }
  match(tree, 0, (end) => end === text.length);
  return steps;
}
