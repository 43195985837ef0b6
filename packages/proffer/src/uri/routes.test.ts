import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_URI_LENGTH, TemplateError } from "./parse.ts";
import { createRouter } from "./routes.ts";
import { parseTemplate, type Template } from "./template.ts";

const RUNS = Number(process.env.PROFFER_FUZZ ?? 2_000);

/** A router whose values are the texts that were added. */
function routerOf(...texts: string[]) {
  const router = createRouter<string>();
  for (const text of texts) router.add(text, text);
  return router;
}

describe("a router", () => {
  it("finds an exact URI", () => {
    const route = routerOf("orders://terms", "orders://{id}").match("orders://terms");
    expect(route).toEqual({
      value: "orders://terms",
      template: undefined,
      match: { values: {}, unknown: new Map(), faults: [] },
    });
  });

  it("finds a template and the values of its variables", () => {
    const route = routerOf("orders://terms", "orders://{id}{?limit}").match("orders://7?limit=3&x=%zz");
    expect(route?.value).toBe("orders://{id}{?limit}");
    expect(route?.template?.text).toBe("orders://{id}{?limit}");
    expect(route?.match.values).toEqual({ id: "7", limit: "3" });
    expect(route?.match.unknown).toEqual(new Map([["x", "%zz"]]));
    expect(route?.match.faults).toEqual([{ kind: "malformed_escape", name: "x", value: "%zz" }]);
  });

  it("finds an exact URI with an additional query, and reports the unknown keys", () => {
    const router = routerOf("a://b", "a://{c}", "a://d?e=1");
    expect(router.match("a://b?x=1")).toMatchObject({ value: "a://b", match: { unknown: new Map([["x", "1"]]) } });
    expect(router.match("a://d?e=1")?.value).toBe("a://d?e=1");
    expect(router.match("a://b#x")).toBeUndefined();
  });

  it.each([
    ["a://b/c", ["a://b/c", "a://b/{x}", "a://{x}/c", "a://{+x}"]],
    ["a://b/d", ["a://b/{x}", "a://{x}/c", "a://{x}/{y}", "a://{+x}"]],
    ["a://x/c", ["a://{x}/c", "a://b/{x}", "a://{x}/{y}", "a://{+x}"]],
    ["a://b/c/d", ["a://b/{+x}", "a://{x}/{y}/{z}", "a://{+x}"]],
    ["a://bc/d", ["a://b{+x}", "a://{x}/d"]],
    ["a://bcd", ["a://bc{x}", "a://b{x}d", "a://b{x}", "a://{x}d", "a://{x}"]],
    ["a://b.json", ["a://{x}.json", "a://{x}n", "a://{x}"]],
    ["a://b,c", ["a://{x},{y}", "a://{x}"]],
    ["a://bc", ["a://{x:3}", "a://{x}"]],
    ["a://b/c/end", ["a://{+x}/end", "a://{+x}"]],
    ["a/b", ["a{/x}", "a{/x*}"]],
    ["a://b?k=1", ["a://{x}?k=1", "a://{x}"]],
    ["a://b?k=1", ["a://{x}?k={y}", "a://{x}"]],
  ])("tries the most literal template from the left first, for %s", (uri, texts) => {
    expect(routerOf(...texts).match(uri)?.value).toBe(texts[0]);
    expect(routerOf(...texts.toReversed()).match(uri)?.value).toBe(texts[0]);
  });

  it("tries the next template if the most literal one does not match", () => {
    const router = routerOf("a://b/{x:1}", "a://{x}/{y}", "a://{x}/c?k=1");
    expect(router.match("a://b/c")?.value).toBe("a://b/{x:1}");
    expect(router.match("a://b/cc")?.value).toBe("a://{x}/{y}");
    expect(router.match("a://d/c")?.value).toBe("a://{x}/{y}");
    expect(router.match("a://d/c?k=1")?.value).toBe("a://{x}/c?k=1");
  });

  it.each([
    ["a://{b}", "a://{c}"],
    ["a://{b}", "a://{c}{?d}"],
    ["a://{b}{?c,d}", "a://{e}{?f}"],
    ["a{/b,c}", "a{/d}{/e}"],
    ["a://{b}{;c}", "a://{d}{;e,f}"],
    ["a{?b}{#c}", "a{#c}"],
    ["a?b=1&c={d}", "a?c={e}&b=1"],
    ["a://b", "a://b"],
  ])("rejects %s next to %s, because both match the same URIs", (first, second) => {
    const router = routerOf(first);
    const problem = `Template ${JSON.stringify(second)}, position 0: ${JSON.stringify(first)} matches the same URIs`;
    expect(() => router.add(second, "")).toThrow(TemplateError);
    expect(() => router.add(second, "")).toThrow(problem);
    expect(router.remove(first)).toBe(true);
    router.add(second, "");
  });

  it("rejects malformed and ambiguous templates", () => {
    const router = createRouter<string>();
    expect(() => router.add("a://{b", "")).toThrow(/not closed/);
    expect(() => router.add("a://{b}-{c}", "")).toThrow(/its end before \{c\} is ambiguous/);
    expect(() => router.add("a://b}", "")).toThrow(/without a matching "\{"/);
    expect(router.match("a://b-c")).toBeUndefined();
  });

  it("does not find removed routes", () => {
    const router = routerOf("a://b", "a://{x}", "a://{x}/c");
    expect(router.remove("a://{x}")).toBe(true);
    expect(router.remove("a://{x}")).toBe(false);
    expect(router.match("a://d")).toBeUndefined();
    expect(router.match("a://d/c")?.value).toBe("a://{x}/c");
    expect(router.remove(parseTemplate("a://{x}/c"))).toBe(true);
    expect(router.match("a://d/c")).toBeUndefined();
    expect(router.remove("a://b")).toBe(true);
    expect(router.match("a://b")).toBeUndefined();
  });

  it("finds routes that are added after a match or a removal", () => {
    const router = routerOf("a://{x}");
    expect(router.match("a://b/c")).toBeUndefined();
    router.add("a://{x}/c", "later");
    expect(router.match("a://b/c")?.value).toBe("later");
    router.remove("a://{x}");
    router.add("a://{y}", "again");
    expect(router.match("a://b")?.value).toBe("again");
  });

  it("matches no URI above the length limit", () => {
    const uri = `a://${"b".repeat(MAX_URI_LENGTH)}`;
    const router = routerOf("a://{+x}", uri);
    expect(router.match(uri)).toBeUndefined();
    const long = createRouter<string>({ maxUriLength: uri.length });
    long.add("a://{+x}", "found");
    expect([long.match(uri)?.value, long.match(`${uri}b`)]).toEqual(["found", undefined]);
  });

  it.each(["__proto__", "constructor", "toString", "", "?", "#", "/", "a://", "%", "\ud800", "{x}"])(
    "does not find %j unless it was added",
    (uri) => {
      expect(routerOf("a://b", "a://{x}").match(uri)).toBeUndefined();
    },
  );
});

describe("a router whose routes have options", () => {
  const raw = { decode: false, emptySegments: "drop", duplicates: "last" } as const;

  it("returns raw values and drops empty segments if the options say so", () => {
    const router = createRouter<string>();
    router.add("alc://types/alc.d.lua", "types", raw);
    router.add("alc://cards/{id}", "card", raw);
    router.add("alc://cards/{id}/samples", "samples", raw);
    expect(router.match("alc://types//alc.d.lua/")?.value).toBe("types");
    expect(router.match("alc://types/alc.d.lua?x=%")).toMatchObject({
      value: "types",
      match: { unknown: new Map([["x", "%"]]), faults: [] },
    });
    expect(router.match("alc:///cards//a%20b&c=d/")?.match.values).toEqual({ id: "a%20b&c=d" });
    const samples = router.match("alc://cards/x//samples/?limit=1&&limit=2&=bad&offset");
    expect(samples?.value).toBe("samples");
    expect(samples?.match).toEqual({
      values: { id: "x" },
      unknown: new Map([
        ["limit", "2"],
        ["offset", ""],
      ]),
      faults: [{ kind: "empty_key", name: "", value: "bad" }],
    });
  });

  it("applies the options of each route", () => {
    const router = createRouter<string>();
    router.add("a://b/{x}", "raw", raw);
    router.add("a://c/{x}", "decoded");
    router.add("a://d{?m*}", "map", { maps: ["m"] });
    expect(router.match("a://b//%41/")?.match.values).toEqual({ x: "%41" });
    expect(router.match("a://c/%41")?.match.values).toEqual({ x: "A" });
    expect(router.match("a://c//%41")).toBeUndefined();
    expect(router.match("a://d?e=1")?.match.values).toEqual({ m: { e: "1" } });
    expect(router.remove("a://b/{x}")).toBe(true);
    expect(router.match("a://b/1")).toBeUndefined();
  });

  it("rejects options that do not fit the template, and the same shape with other options", () => {
    const router = createRouter<string>();
    expect(() => router.add("a://{x}/", "", raw)).toThrow(/the template has an empty segment/);
    expect(() => router.add("a://{x}", "", { maps: ["x"] })).toThrow(/cannot be a map/);
    router.add("a://{x}", "");
    expect(() => router.add("a://{y}", "", raw)).toThrow(/matches the same URIs/);
    router.add("a://b/", "");
    expect(() => router.add("a://b/", "", raw)).toThrow(/matches the same URIs/);
  });
});

describe("a router of random templates", () => {
  const part = fc.constantFrom(
    "{v}",
    "{v}",
    "a",
    "b",
    "/",
    "/",
    ".j",
    "{+v}",
    "{/v}",
    "{/v*}",
    "{.v}",
    "{;v}",
    "{v:1}",
    "?k=1",
    "{?v}",
  );
  const templateText = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => {
    let count = 0;
    return parts.join("").replaceAll("v", () => `v${count++}`);
  });
  const uri = fc
    .array(fc.constantFrom("a", "b", "/", "/", ".j", ";v0=a", "%41", "?k=1"), { maxLength: 7 })
    .map((parts) => parts.join(""));

  it("finds a template if and only if one of them matches the URI", { timeout: 120_000 + RUNS * 5 }, () => {
    let found = 0;
    fc.assert(
      fc.property(
        fc.array(templateText, { maxLength: 12 }),
        fc.array(uri, { minLength: 8, maxLength: 8 }),
        (texts, uris) => {
          const router = createRouter<string>();
          const added: Template[] = [];
          for (const candidate of texts) {
            try {
              router.add(candidate, candidate);
              added.push(parseTemplate(candidate));
            } catch (error) {
              expect(error).toBeInstanceOf(TemplateError);
            }
          }
          for (const target of uris) {
            const route = router.match(target);
            const matching = added.filter((template) => template.match(target) !== undefined).map(({ text }) => text);
            if (route === undefined) expect(matching).toEqual([]);
            else expect(matching).toContain(route.value);
            if (route !== undefined) found++;
          }
        },
      ),
      { numRuns: RUNS },
    );
    expect(found).toBeGreaterThan(0);
  });
});
