import { describe, expect, it } from "vitest";
import { countSteps } from "../../test/count-steps.ts";
import type { MatchOptions } from "./match.ts";
import { MAX_URI_LENGTH, TemplateError } from "./parse.ts";
import { createRouter } from "./routes.ts";
import { parseTemplate } from "./template.ts";

describe("the work of match", () => {
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
