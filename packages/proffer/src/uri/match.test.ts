import { describe, expect, it } from "vitest";
import type { MatchOptions } from "./match.ts";
import { MAX_URI_LENGTH, TemplateError } from "./parse.ts";
import { parseTemplate } from "./template.ts";

function valuesOf(template: string, uri: string, options?: MatchOptions): unknown {
  const match = parseTemplate(template).match(uri, options);
  if (match === undefined) return undefined;
  expect(match.faults).toEqual([]);
  expect([...match.unknown]).toEqual([]);
  return match.values;
}

describe("match", () => {
  it.each<[template: string, uri: string, values: object | undefined]>([
    // Simple variables.
    ["orders://{id}", "orders://7", { id: "7" }],
    ["orders/{order_id}", "orders/7", { order_id: "7" }],
    ["users/{name}/profile", "users/jo/profile", { name: "jo" }],
    ["orders://{id}", "orders://", undefined],
    ["orders://{id}", "orders://7/8", undefined],
    ["orders://{id}", "orders://7#8", undefined],
    ["orders://{id}", "Orders://7", undefined],
    ["orders://terms", "orders://terms", {}],
    ["a://{x}:{y}@{z}", "a://1:2@3", { x: "1", y: "2", z: "3" }],
    ["{a,b}", "1,2", { a: "1", b: "2" }],
    ["{a,b}", "1,", undefined],
    ["{a*}", "1,2,3", { a: ["1", "2", "3"] }],
    // Clients often leave reserved characters unencoded.
    ["mail://{address}/x", "mail://jo@a.example,b/x", { address: "jo@a.example,b" }],
    // Literal text after a variable, up to the end or up to a delimiter.
    ["{key}.json", "a.json.json", { key: "a.json" }],
    ["{key}.json", ".json", undefined],
    ["{key}.json/{part}", "a.json.json/1", { key: "a.json", part: "1" }],
    ["{key}.json/{part}", ".json/1", undefined],
    ["{key}.json/{part}", "a.xml/1", undefined],
    ["a{b}a", "aa", undefined],
    ["a{b}a", "aaa", { b: "a" }],
    ["a{/b}a", "a", undefined],
    ["a{/b}:a{/c}aa", "a:aa", undefined],
    // Reserved expansion.
    ["f://{+path}", "f://a/b.md", { path: "a/b.md" }],
    ["f://{+path}/end", "f://a/end/end", { path: "a/end" }],
    ["f://{+path}/end", "f:///end", undefined],
    ["f://{+list*}", "f://a/b,c", { list: ["a/b", "c"] }],
    // Labels.
    ["f{.ext}", "f.tar.gz", { ext: "tar.gz" }],
    ["f{.ext}", "f.", { ext: "" }],
    ["f{.ext}", "f", {}],
    ["f{.ext*}", "f.tar.gz", { ext: ["tar", "gz"] }],
    ["f{.ext}.bak", "f.bak", {}],
    // Segments.
    ["a{/b,c}", "a", {}],
    ["a{/b,c}", "a/1", { b: "1" }],
    ["a{/b,c}", "a/1/2", { b: "1", c: "2" }],
    ["a{/b,c}", "a/1/2/3", undefined],
    ["a{/b,c}", "a//2", { b: "", c: "2" }],
    ["a{/b}{/c}", "a/1/2", { b: "1", c: "2" }],
    ["a{/b*}", "a/1//2", { b: ["1", "", "2"] }],
    ["a{/b*}", "a", {}],
    ["a{/b*}/z", "a/1/z/z", { b: ["1", "z"] }],
    ["a{/b}/b", "a/b", {}],
    ["a{/b}/b", "a/b/b", { b: "b" }],
    ["a{/b,c*}", "a/1/2/3", { b: "1", c: ["2", "3"] }],
    // Path parameters, in any order.
    ["a{;b,c}/d", "a;c=2;b/d", { b: "", c: "2" }],
    ["a{;b,c}/d", "a/d", {}],
    ["a{;b*}", "a;b=1;b=2", { b: ["1", "2"] }],
    ["{a}{;b}{/c}", "1/2", { a: "1", c: "2" }],
    ["{a}{;b}{/c}", "1;b=2/3", { a: "1", b: "2", c: "3" }],
    ["{a}{;b}.json", "1.json", { a: "1" }],
    ["a{&b}", "a&b=1", { b: "1" }],
    // The query, in any order, with any of its keys omitted.
    ["a{?b,c}{&d}", "a?d=3&c=2&b=1", { b: "1", c: "2", d: "3" }],
    ["a{?b,c}{&d}", "a?d=3", { d: "3" }],
    ["a{?b,c}{&d}", "a", {}],
    ["a{?b,c}{&d}", "a?", {}],
    ["a{?b}", "a?&&b=1&", { b: "1" }],
    ["a{?b}", "a?b", { b: "" }],
    ["a{?b}", "a?b=c=d", { b: "c=d" }],
    ["a{?b}", "a?b=1+1", { b: "1+1" }],
    ["a{?b*}", "a?b=1&b=2", { b: ["1", "2"] }],
    ["a{?Stra%C3%9Fe}", "a?Stra%C3%9Fe=1", { "Stra%C3%9Fe": "1" }],
    ["a{?b}", "a?%62=1", { b: "1" }],
    // Literal keys are required.
    ["a?kind=book&q={words}{&page}", "a?page=2&q=x&kind=book", { words: "x", page: "2" }],
    ["a?kind=book&q={words}{&page}", "a?kind=book", undefined],
    ["a?kind=book&q={words}{&page}", "a?kind=film&q=x", undefined],
    ["a?kind=book&q={words}{&page}", "a", undefined],
    ["a?flag{&b}", "a?b=1&flag", { b: "1" }],
    ["a?q={words}", "a?q=", { words: "" }],
    // Fragments.
    ["a{#b}", "a#c/d?e#f", { b: "c/d?e#f" }],
    ["a{#b}", "a#", { b: "" }],
    ["a{#b}", "a", {}],
    ["a{#b*}", "a#1,2", { b: ["1", "2"] }],
    ["a{?b}{#c}", "a?b=1#2", { b: "1", c: "2" }],
    ["a#b={c}", "a#b=1", { c: "1" }],
    ["a#b={c}", "a", undefined],
    ["a#b?{c}", "a#b?1", { c: "1" }],
    ["a?b#c={d}", "a?b#c=1", { d: "1" }],
    // Prefixes.
    ["{a:3}", "abc", { a: "abc" }],
    ["{a:3}", "abcd", undefined],
    ["{a:2}", "%C3%A9%F0%9F%98%80", { a: "é😀" }],
    ["{a:2}", "é😀", { a: "é😀" }],
    ["x{?a:2}", "x?a=abc", undefined],
    // Literal text is percent-encoded as in an expansion.
    ["x://é/{a}", "x://%C3%A9/1", { a: "1" }],
  ])("%s reads %s", (template, uri, values) => {
    expect(valuesOf(template, uri)).toEqual(values);
  });

  it("decodes exactly once", () => {
    expect(valuesOf("x://{a}", "x://%252e%2e%2F%5c%00")).toEqual({ a: "%2e./\\\0" });
    expect(valuesOf("x://{+a}", "x://b%2Fc/d")).toEqual({ a: "b/c/d" });
    expect(valuesOf("x{?a*}", "x?a=%2525")).toEqual({ a: ["%25"] });
  });

  it.each(["%", "%zz", "%c0%ae", "%E0%A4%A", "a%", "%80", "%ed%a0%80", "%f5%80%80%80"])(
    "reports %j as malformed, and does not decode it",
    (raw) => {
      const fault = { kind: "malformed_escape", name: "a", value: raw };
      expect(parseTemplate("x://{a}").match(`x://${raw}`)).toMatchObject({ values: { a: raw }, faults: [fault] });
      expect(parseTemplate("x{?a}").match(`x?a=${raw}`)).toMatchObject({ values: { a: raw }, faults: [fault] });
      expect(parseTemplate("x{/a*}").match(`x/b/${raw}`)).toMatchObject({ values: { a: ["b", raw] }, faults: [fault] });
      expect(parseTemplate("x").match(`x?a=${raw}`)).toMatchObject({ values: {}, faults: [fault] });
      expect(parseTemplate("x").match(`x?${raw}=a`)?.faults).toEqual([{ ...fault, name: raw }]);
    },
  );

  it("returns the raw text with decode: false, and reports nothing as malformed", () => {
    const match = parseTemplate("x://{a}{?b%20c,d}").match("x://%zz?b%20c=%41&%64=1", { decode: false });
    expect(match?.values).toEqual({ a: "%zz", "b%20c": "%41" });
    expect([...(match?.unknown ?? [])]).toEqual([["%64", "1"]]);
    expect(match?.faults).toEqual([]);
  });

  it("matches with any query, and reports unknown keys", () => {
    const match = parseTemplate("x://{a}{?b}").match("x://1?b=2&c=3&__proto__=4&d");
    expect(match?.values).toEqual({ a: "1", b: "2" });
    expect([...(match?.unknown ?? [])]).toEqual([
      ["c", "3"],
      ["__proto__", "4"],
      ["d", ""],
    ]);
    expect(parseTemplate("x://{a}").match("x://1?b=2")?.unknown.get("b")).toBe("2");
    expect(parseTemplate("x{;a}").match("x;b=2")?.unknown.get("b")).toBe("2");
  });

  it.each([
    ["error", "1", "3", 2],
    ["first", "1", "3", 0],
    ["last", "2", "4", 0],
  ] as const)("takes a key that comes twice as duplicates: %j says", (duplicates, known, unknown, faults) => {
    const match = parseTemplate("x{?b}").match("x?b=1&b=2&c=3&c=4", { duplicates });
    expect(match?.values.b).toBe(known);
    expect(match?.unknown.get("c")).toBe(unknown);
    expect(match?.faults).toHaveLength(faults);
  });

  it("reports duplicate keys by default", () => {
    expect(parseTemplate("x{?b}").match("x?b=1&%62=2")?.faults).toEqual([
      { kind: "duplicate_key", name: "b", value: "2" },
    ]);
  });

  it("reports values without a key", () => {
    expect(parseTemplate("x{?b}").match("x?=bad&b=1&=")).toMatchObject({
      values: { b: "1" },
      faults: [
        { kind: "empty_key", name: "", value: "bad" },
        { kind: "empty_key", name: "", value: "" },
      ],
    });
  });

  it.each([
    ["alc://cards//x", { id: "x" }],
    ["alc:///cards/x/", { id: "x" }],
    ["alc://cards/x//?a=//", { id: "x" }],
    ["alc://cards/", undefined],
    ["alc:/cards/x", undefined],
  ])('drops empty segments from %s with emptySegments: "drop"', (uri, values) => {
    expect(parseTemplate("alc://cards/{id}").match(uri, { emptySegments: "drop" })?.values).toEqual(values);
  });

  it("keeps empty segments by default", () => {
    expect(valuesOf("alc://cards/{id}", "alc://cards//x")).toBeUndefined();
    expect(valuesOf("alc://cards/{id}", "alc://cards/x/")).toBeUndefined();
  });

  it.each<[template: string, uri: string, map: object]>([
    ["x{?m*}", "x?a=1&m=2&__proto__=3", { a: "1", m: "2", ["__proto__"]: "3" }],
    ["x{?b,m*}", "x?a=1", { a: "1" }],
    ["x{;m*}", "x;a=1;b", { a: "1", b: "" }],
    ["{m*}", "a=1,b=%2C", { a: "1", b: "," }],
    ["{+m*}", "a=1/2,b=c=d", { a: "1/2", b: "c=d" }],
    ["x{/m*}", "x/a=1/b=2", { a: "1", b: "2" }],
    ["x{.m*}", "x.a=1.b=2", { a: "1", b: "2" }],
    ["x{#m*}", "x#a=1,b=2", { a: "1", b: "2" }],
  ])("%s reads a map from %s if maps contains the variable", (template, uri, map) => {
    const match = parseTemplate(template).match(uri, { maps: ["m"] });
    expect(Object.entries(match?.values.m ?? {})).toEqual(Object.entries(map));
    expect(match?.unknown.size).toBe(0);
    expect(({} as { a?: unknown }).a).toBeUndefined();
  });

  it("reports duplicate and empty keys of a map", () => {
    const match = parseTemplate("x{/m*}").match("x/a=1/a=2/=3", { maps: ["m"] });
    expect(match?.values).toEqual({ m: { a: "1" } });
    expect(match?.faults).toEqual([
      { kind: "duplicate_key", name: "a", value: "2" },
      { kind: "empty_key", name: "", value: "3" },
    ]);
  });

  it("rejects options that do not fit the template", () => {
    const template = parseTemplate("x{?a*,b*,c}");
    expect(() => template.match("x", { maps: ["c"] })).toThrow(
      /"c" cannot be a map, because the template has no \{c\*\}/,
    );
    for (const text of ["x{?a*,b*}", "x{?a*}{&b*}", "x{;a*,b*}", "x#y{;a*,b*}"]) {
      expect(() => parseTemplate(text).match("x", { maps: ["a", "b"] })).toThrow(/a and b cannot both be the map/);
    }
    const drop = { emptySegments: "drop" } as const;
    expect(() => parseTemplate("a://b//{c}").match("a", drop)).toThrow(/the template has an empty segment/);
    expect(() => parseTemplate("a://{c}/").match("a", drop)).toThrow(/the template has an empty segment/);
  });

  it("matches no URI above the length limit", () => {
    const longest = `x://${"a".repeat(MAX_URI_LENGTH - 4)}`;
    expect(valuesOf("x://{a}", longest)).toBeDefined();
    expect(valuesOf("x://{a}", `${longest}a`)).toBeUndefined();
    const short = parseTemplate("x://{a}", { maxUriLength: 6 });
    expect([short.match("x://12")?.values, short.match("x://123")]).toEqual([{ a: "12" }, undefined]);
  });

  it("does not carry faults over to the next match", () => {
    const template = parseTemplate("x://{a}");
    expect(template.match("x://%")?.faults).toHaveLength(1);
    expect(template.match("x://1?b")?.unknown.size).toBe(1);
    expect(template.match("x://1")).toEqual({ values: { a: "1" }, unknown: new Map(), faults: [] });
  });
});

describe("an ambiguous template", () => {
  it.each([
    "{a}{b}",
    "{+a}{b}",
    "{+a}/x{+b}",
    "{a}-{b}",
    "{name}.{ext}",
    "{a}{.b}",
    "{+a,b}",
    "{#a,b}",
    "{a*,b}",
    "{a*},{b}",
    "{.a,b}",
    "{/a*,b}",
    "{/a*}/{b}",
    "{;a}{;b}",
    "{+a}{/b}",
    "{/a}/b/{c}",
    "{/a}{;b}{/c}",
    "{/a}{;b}/x/{c}",
    "{a}{/b}.x/{c}",
    "/{a}/{a}",
    "{a}{?a}",
    "x{?a}{&a}",
    "x?a=1{&a}",
    "x{?a}{?b}",
    "x?a={b}{c}",
    "x?a={b}-c",
    "x?a={b,c}",
    "x?a={b*}",
    "x?{a}",
    "x?={a}",
    "x?a{/b}",
    "x{?a}b",
    "x{?a}{b}",
    "x{#a}y",
    "x#y{#a}",
    "x{#a}{?b}",
  ])("%s can be expanded, but not matched", (text) => {
    const template = parseTemplate(text);
    expect(template.expand({})).toBeTypeOf("string");
    expect(template.ambiguity).toContain(`Template ${JSON.stringify(text)}, position `);
    expect(() => template.match("x")).toThrow(TemplateError);
    expect(() => template.match("x")).toThrow(template.ambiguity);
  });

  it("has a message that says how to fix it", () => {
    expect(parseTemplate("repo://{a}-{b}").ambiguity).toBe(
      `Template "repo://{a}-{b}", position 7: {a} may contain "-", so its end before {b} is ambiguous. Put "/" between the two.`,
    );
    expect(parseTemplate("{+a}/x{+b}").ambiguity).toBe(
      `Template "{+a}/x{+b}", position 0: {a} may contain "/x", so its end before {b} is ambiguous. Put only literal text after {+a}.`,
    );
    expect(parseTemplate("{a}{b}").ambiguity).toBe(
      `Template "{a}{b}", position 0: {a} and {b} have nothing between them, so the end of {a} is ambiguous. Put "/" between the two.`,
    );
    expect(parseTemplate("{/a}/b/{c}").ambiguity).toBe(
      `Template "{/a}/b/{c}", position 0: "/b/" after {/a} is ambiguous, because a URI may omit an expression before it. Write /{name}, which is always present.`,
    );
    expect(parseTemplate("x?{a}").ambiguity).toBe(
      `Template "x?{a}", position 2: {a} is not the whole value of a key. Write {?name} or {&name}, or ?key={name} for a required key.`,
    );
  });

  it.each([
    "{key}.json",
    "{+path}/end",
    "{a}/{b}",
    "{a}:{b}",
    "{a,b}",
    "{a}{/b}",
    "{a}{;b}",
    "{/a,b}",
    "{/a}{/b*}",
    "{#a}",
  ])("does not include %s", (text) => {
    expect(parseTemplate(text).ambiguity).toBeUndefined();
  });
});
