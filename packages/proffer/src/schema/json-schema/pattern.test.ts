import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { compilePattern, patternProblem } from "./pattern.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** Patterns that leave the engine no choice. */
const LINEAR = [
  String.raw`^\d+$`,
  "^[a-z0-9-]+$",
  String.raw`^[A-Za-z0-9-]+_\d+$`,
  "^#[0-9a-f]{6}$",
  "^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$",
  "^([0-9a-f]{2})+$",
  "^(?:[0-9a-f]{64},)*$",
  '^(?:"[^"]*"|[^",]*)(?:,(?:"[^"]*"|[^",]*))*$',
  String.raw`^\p{L}+(?: \p{L}+)*$`,
  "^(?:中|国)*$",
  String.raw`^(?:\u{1F600}|\x41|\cA|\n|[\b])+$`,
  String.raw`^[[\]\\^-]+$`,
  "^(?<year>[0-9]+)-(?<month>[0-9]+)$",
  String.raw`\S`,
  "",
];

/** Patterns that leave an engine a choice, so that it may go back: for some of them as often as there are characters. */
const SLOW = [
  String.raw`^(\w+\s)*\w+$`,
  "^([a-z]+,)*[a-z]+$",
  String.raw`^(\d{3}-)?\d{4}$`,
  "a+",
  `^(?:${Array.from({ length: 100 }, (_, i) => `word${i};`).join("|")})*$`,
  "^(?:(?!--)[a-z-])+$",
  "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
  String.raw`^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?)*$`,
  String.raw`^((25[0-5]|2[0-4]\d|[01]?\d\d?)\.){3}(25[0-5]|2[0-4]\d|[01]?\d\d?)$`,
  String.raw`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$`,
  "^[a-z0-9]+[a-z0-9_-]{0,62}[a-z0-9]+$",
  String.raw`^[\w-]+[\w.-]{0,50}\w+\.txt$`,
  "^a*a{0,40}a{0,40}a*c$",
  String.raw`^[^\s@]+@[^\s@]+\.[^\s@]+$`,
  String.raw`^\s*\s*$`,
  String.raw`\s+$`,
  "^.*foo.*$",
  String.raw`^(?=.*[a-z])(?=.*\d).{8,}$`,
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
  String.raw`\s*\s*$`,
  "^.*foo.*bar.*$",
  String.raw`^(\w+\s?){1,5}$`,
];

describe("a pattern", () => {
  it.each(LINEAR)("is left to the engine if it has no choice: %s", (source) => {
    expect(usesEngine(source)).toBe(true);
  });

  it.each(SLOW)("is matched by an automaton if the engine could be slow: %s", (source) => {
    expect(usesEngine(source)).toBe(false);
    expect(patternProblem(source)).toBeUndefined();
  });

  it.each([
    [String.raw`^(a+)\1$`, String.raw`has the back reference \1`],
    [String.raw`^(?<x>a+)\k<x>$`, String.raw`has the back reference \k<x>`],
    ["^.{0,500}.{0,500}.{0,500}x$", "has more than 2000 characters, with all repetitions"],
    ["^(?:a?b?){1000}$", "has more than 2000 characters, with all repetitions"],
  ])("has a problem if no automaton can match it: %s", (source, problem) => {
    expect(new RegExp(source, "u")).toBeInstanceOf(RegExp);
    expect(patternProblem(source)).toBe(problem);
  });

  it("reads each character of a hostile text once", () => {
    const text = `${"a".repeat(3000)}!`;
    for (const source of SLOW) {
      const { test } = compilePattern(source);
      let reads = 0;
      // A set asks the engine once for each new character; it would ask again after going back.
      const regexes = vi.spyOn(RegExp.prototype, "test").mockImplementation(function (this: RegExp, each) {
        reads++;
        return this.exec(each) !== null;
      });
      test(text);
      regexes.mockRestore();
      expect(reads).toBeLessThan(200);
    }
  });
});

/** Whether the engine gets the text. The sets of an automaton ask it about single characters. */
function usesEngine(source: string): boolean {
  const { test } = compilePattern(source);
  const spy = vi.spyOn(RegExp.prototype, "test");
  test("ab");
  const texts = spy.mock.calls.map(([text]) => text);
  spy.mockRestore();
  return texts.includes("ab");
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

describe("a random pattern", () => {
  const { PROFFER_FUZZ } = process.env;
  const parameters = {
    numRuns: Number(PROFFER_FUZZ ?? 3_000),
    seed: PROFFER_FUZZ === undefined ? 1 : Date.now(),
  };

  it("that is left to the engine takes a backtracking matcher linear time", {
    timeout: 120_000 + parameters.numRuns * 5,
  }, () => {
    const word = fc.array(fc.constantFrom("a", "b"), { minLength: 1, maxLength: 3 });
    const property = fc.property(node, word, (tree, pump) => {
      fc.pre(usesEngine(`^${print(tree)}$`));
      const [short = 0, medium = 0, long = 0] = [30, 60, 120].map((n) =>
        countSteps(tree, `${pump.join("").repeat(n)}!`),
      );
      // Twice the text takes twice the steps, once it is too long for bounded repetitions.
      expect(medium > 3 * Math.max(short, 500) && long > 3 * Math.max(medium, 500)).toBe(false);
      expect(long).toBeLessThan(STEP_LIMIT);
    });
    fc.assert(property, { ...parameters, maxSkipsPerRun: 1000 });
  });
});
