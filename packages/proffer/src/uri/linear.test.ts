import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_URI_LENGTH } from "./match.ts";
import type { MatchOptions } from "./reading.ts";
import { createRouter } from "./router.ts";
import { parseTemplate, TemplateError } from "./template.ts";

const RUNS = Number(process.env.PROFFER_FUZZ ?? 2_000);

type Cost = (self: unknown, args: readonly unknown[], result: unknown) => number;

const lengthOf = (text: unknown): number => (typeof text === "string" ? text.length : 0) + 1;
const ofSelf: Cost = (self) => lengthOf(self);
const ofResult: Cost = (_self, _args, result) => lengthOf(result);
const ofArgument: Cost = (_self, [text]) => lengthOf(text);
const ofSearch: Cost = (self, [, from = 0], result) =>
  (result === -1 ? lengthOf(self) : Number(result) + 2) - Number(from);

/** The built-in functions that matching uses, and how many characters each reads. */
const COUNTED: readonly (readonly [owner: object, name: string, cost: Cost])[] = [
  [String.prototype, "charCodeAt", () => 1],
  [String.prototype, "indexOf", ofSearch],
  [String.prototype, "startsWith", ofArgument],
  [String.prototype, "endsWith", ofArgument],
  [String.prototype, "slice", ofResult],
  [String.prototype, "split", ofSelf],
  [Array.prototype, "join", ofResult],
  [Map.prototype, "get", ofArgument],
  [Map.prototype, "has", ofArgument],
  [Map.prototype, "set", ofArgument],
  [globalThis, "decodeURIComponent", ofArgument],
];

/** Counts the characters read and the keys hashed in a run. Time would depend on the load of the machine. */
function countSteps(run: () => unknown): number {
  let steps = 0;
  const originals = COUNTED.map(([owner, name]) => Reflect.get(owner, name) as (...args: unknown[]) => unknown);
  for (const [index, [owner, name, cost]] of COUNTED.entries()) {
    const original = originals[index];
    Reflect.set(owner, name, function counted(this: unknown, ...args: unknown[]): unknown {
      const result = original?.apply(this, args);
      steps += cost(this, args, result);
      return result;
    });
  }
  try {
    run();
  } finally {
    for (const [index, [owner, name]] of COUNTED.entries()) Reflect.set(owner, name, originals[index]);
  }
  return steps;
}

describe("T056: the work of match", () => {
  it.each<[template: string, hostile: (n: number) => string, options?: MatchOptions]>([
    ["/users{/id*}", (n) => `/users/${"u,".repeat(n)}x/`],
    ["/users{/id*}", (n) => `/users${"/".repeat(n)}`],
    ["/users{/id*}/end", (n) => `/users${"/end".repeat(n)}x`],
    ["f://{+a}/x", (n) => `f://${"/x".repeat(n)}`],
    ["f://{+a}/x/z", (n) => `f://${"/x".repeat(n)}`],
    ["repo://{a}", (n) => `repo://${"-".repeat(n)}/`],
    ["{a}.json/{b}", (n) => `${".json".repeat(n)}x`],
    ["{a}:{b}:{c}", (n) => ":".repeat(n)],
    ["{a*}/{b*}", (n) => `${",".repeat(n)}/`],
    ["{a}", (n) => "%".repeat(n)],
    ["{a}", (n) => "%c0".repeat(n)],
    ["{a:9999}", (n) => "%C3%A9".repeat(n)],
    ["x{.a*}", (n) => `x${".".repeat(n)}`],
    ["x{;a,b*}/y", (n) => `x${";b".repeat(n)}`],
    ["x{?a}", (n) => `x?${"&".repeat(n)}`],
    ["x{?a}", (n) => `x?${"=&".repeat(n)}`],
    ["x{?a}", (n) => `x?${"a&".repeat(n)}`],
    ["x{?a*}", (n) => `x?${"a&".repeat(n)}`],
    ["x{?a*}", (n) => `x?${"b&".repeat(n)}`, { maps: ["a"] }],
    ["x", (n) => `x?${Array.from({ length: n }, (_, i) => `${10_000 + i}`).join("&")}`],
    ["x{#a*}", (n) => `x#${"#?,".repeat(n)}`],
    ["x/{a}", (n) => `x${"/".repeat(n)}`, { emptySegments: "drop" }],
    ["x/{+a}", (n) => `x${"//a".repeat(n)}`, { emptySegments: "drop" }],
  ])("at most doubles for %s when a hostile URI doubles in length", (text, hostile, options) => {
    const template = parseTemplate(text);
    const unit = hostile(1_000).length / 1_000;
    const half = hostile(Math.floor(MAX_URI_LENGTH / unit / 2.2));
    const whole = hostile(Math.floor(MAX_URI_LENGTH / unit / 1.1));
    expect(whole.length).toBeLessThanOrEqual(MAX_URI_LENGTH);
    const ratio = countSteps(() => template.match(whole, options)) / countSteps(() => template.match(half, options));
    expect(ratio).toBeLessThanOrEqual((whole.length / half.length) * 1.02);
    expect(countSteps(() => template.match(whole, options))).toBeLessThan(10 * MAX_URI_LENGTH);
  });

  it.each(["repo://{a}-{b}-{c}", "f://{+a}/x{+b}/x{+c}/z"])("is zero for %s, which is ambiguous", (text) => {
    const template = parseTemplate(text);
    expect(countSteps(() => expect(() => template.match("-".repeat(9_000))).toThrow(TemplateError))).toBe(0);
  });

  it("is zero for a URI above the length limit", () => {
    const template = parseTemplate("x://{+a}");
    const uri = `x://${"/x".repeat(MAX_URI_LENGTH)}`;
    expect(countSteps(() => template.match(uri))).toBe(0);
  });
});

describe("T057: random templates and random URIs", () => {
  const piece = fc.constantFrom(
    ...[
      "a",
      "b",
      "x",
      "/",
      "//",
      "-",
      ".",
      ",",
      ";",
      "=",
      "&",
      "?",
      "#",
      "%",
      "%41",
      "%zz",
      ":",
      "é",
      "\ud800",
      "\n",
      "__proto__",
    ],
  );
  const expression = fc
    .tuple(
      fc.constantFrom("", "+", "#", ".", "/", ";", "?", "&"),
      fc.array(fc.constantFrom("a", "b", "c*", "d:2", "e"), { minLength: 1, maxLength: 3 }),
    )
    .map(([operator, specs]) => `{${operator}${specs.join(",")}}`);
  const templateText = fc
    .array(fc.oneof(piece, expression, fc.constantFrom("{", "}", "{!a}")), { maxLength: 8 })
    .map((parts) => parts.join(""));
  const uri = fc.array(piece, { maxLength: 40 }).map((parts) => parts.join(""));

  it("are rejected or matched in a number of steps that is linear in their length", {
    timeout: 600_000 + RUNS * 5,
  }, () => {
    const options = fc.record<MatchOptions>(
      { decode: fc.boolean(), duplicates: fc.constantFrom("error", "first", "last") },
      { requiredKeys: [] },
    );
    let matches = 0;
    fc.assert(
      fc.property(templateText, uri, options, (text, target, how) => {
        let template: ReturnType<typeof parseTemplate>;
        try {
          template = parseTemplate(text);
        } catch (error) {
          expect(error).toBeInstanceOf(TemplateError);
          return;
        }
        if (template.ambiguity !== undefined) return;
        const steps = countSteps(() => {
          if (template.match(target, how) !== undefined) matches++;
        });
        expect(steps).toBeLessThan(10 * (text.length + target.length + 5));
      }),
      { numRuns: RUNS },
    );
    expect(matches).toBeGreaterThan(0);
  });
});

describe("the work of a router", () => {
  it.each([
    ["schemes", (n: string) => `item${n}://{id}`, "item499://abc"],
    ["segments", (n: string) => `api://v1/{tenant}/item${n}/{id}{?limit}`, "api://v1/t/item499/abc?limit=3"],
    ["segment prefixes", (n: string) => `api://item${n}-{id}`, "api://item499-abc"],
    ["segment suffixes", (n: string) => `api://{id}.item${n}`, "api://abc.item499"],
    ["path prefixes", (n: string) => `api://item${n}{+path}`, "api://item499/a/b"],
    ["path suffixes", (n: string) => `api://{+path}/item${n}`, "api://a/b/item499"],
  ])("is the same for one template and for 500 that differ in their %s", (_kind, template, uri) => {
    const one = createRouter<number>();
    one.add(template("499"), 499);
    const many = createRouter<number>();
    for (let n = 0; n < 500; n++) many.add(template(String(n).padStart(3, "0")), n);
    expect(many.match(uri)?.value).toBe(one.match(uri)?.value);
    expect(countSteps(() => many.match(uri))).toBe(countSteps(() => one.match(uri)));
  });

  it("less than doubles if the differing parts of the templates have several lengths", () => {
    const router = createRouter<number>();
    for (let n = 0; n < 500; n++) router.add(`api://item${n}-{id}`, n);
    const one = createRouter<number>();
    one.add("api://item499-{id}", 499);
    expect(router.match("api://item499-abc")?.value).toBe(499);
    const steps = countSteps(() => router.match("api://item499-abc"));
    expect(steps).toBeLessThan(2 * countSteps(() => one.match("api://item499-abc")));
  });

  it("at most doubles when a hostile URI doubles in length", () => {
    const router = createRouter<number>();
    for (const [index, template] of [
      "a://{b}",
      "a://{b}/{c}",
      "a://{b}/c/{d}",
      "a://{+e}/f",
      "a{/g*}",
      "{h}",
    ].entries()) {
      router.add(template, index);
    }
    for (const hostile of ["/", "b/", "/c", "a://", "?&", "#", "%"]) {
      const uri = (n: number): string => `a://${hostile.repeat(n)}x`;
      router.match(uri(1));
      const ratio = countSteps(() => router.match(uri(4_000))) / countSteps(() => router.match(uri(2_000)));
      expect(ratio, hostile).toBeLessThanOrEqual(2);
    }
  });
});
