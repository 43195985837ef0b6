import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { MAX_TEMPLATE_LENGTH, TemplateError } from "./parse.ts";
import { parseTemplate } from "./template.ts";

type Vector = readonly [template: string, expected: string | readonly string[] | false];

interface VectorGroup {
  readonly variables: Record<string, never>;
  readonly testcases: readonly Vector[];
}

const FILES = ["spec-examples", "spec-examples-by-section", "extended-tests", "negative-tests"];

function readVectors(): { group: string; variables: Record<string, never>; vector: Vector }[] {
  const { resolve } = createRequire(import.meta.url);
  return FILES.flatMap((file) => {
    const path = resolve(`uri-template-router/test/uritemplate-test/${file}.json`);
    const groups = JSON.parse(readFileSync(path, "utf8")) as Record<string, VectorGroup>;
    return Object.entries(groups).flatMap(([group, { variables, testcases }]) =>
      testcases.map((vector) => ({ group, variables, vector })),
    );
  });
}

function errorOf(run: () => unknown): TemplateError {
  try {
    run();
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
  throw new Error("Nothing was thrown.");
}

describe("the test vectors of RFC 6570", () => {
  const vectors = readVectors();

  it("are complete: 250, of which 29 must fail", () => {
    expect(vectors).toHaveLength(250);
    expect(vectors.filter(({ vector }) => vector[1] === false)).toHaveLength(29);
  });

  it.each(vectors)("$group: $vector.0", ({ variables, vector: [text, expected] }) => {
    if (expected === false) expect(() => parseTemplate(text).expand(variables)).toThrow(TemplateError);
    else expect([expected].flat()).toContain(parseTemplate(text).expand(variables));
  });
});

describe("parseTemplate", () => {
  it("returns the text and the variables, in order", () => {
    const template = parseTemplate("a{/b,c*}{?d:3}");
    expect(template.text).toBe("a{/b,c*}{?d:3}");
    expect(template.variables).toEqual([
      { name: "b", operator: "/", explode: false, prefix: undefined },
      { name: "c", operator: "/", explode: true, prefix: undefined },
      { name: "d", operator: "?", explode: false, prefix: 3 },
    ]);
  });

  it.each([
    ["a{b", 1, `the expression is not closed. Add "}".`],
    ["a}b", 1, `"}" without a matching "{". Write %7D, or add "{".`],
    ["a%b", 1, `"%" must be followed by two hexadecimal digits. Write %25 for a percent sign.`],
    ["a b{c}", 1, `" " is not allowed in a URI. Percent-encode it.`],
    ["a\n{c}", 1, `"\\n" is not allowed in a URI. Percent-encode it.`],
    ["a\ud800{c}", 1, `"\\ud800" is not allowed in a URI. Percent-encode it.`],
    ["a{=b}", 2, `the operator "=" is reserved by RFC 6570. Use one of +#./;?&, or none.`],
    ["a{b:0}", 3, `invalid prefix ":0". A prefix is ":" and a number from 1 to 9999, without "*".`],
    ["a{b:12345}", 3, `invalid prefix ":12345". A prefix is ":" and a number from 1 to 9999, without "*".`],
  ])("reports the position of the error in %j and how to fix it", (text, position, problem) => {
    const error = errorOf(() => parseTemplate(text));
    expect(error.position).toBe(position);
    expect(error.message).toBe(`Template ${JSON.stringify(text)}, position ${position}: ${problem}`);
  });

  it.each(["{}", "{a,}", "{,a}", "{+}", "{a..b}", "{a.}", "{.a.}", "{a-b}", "{a b}", "{{a}}", "{a:}", "{a**}", "{é}"])(
    "rejects %j",
    (text) => {
      expect(() => parseTemplate(text)).toThrow(TemplateError);
    },
  );

  it.each(["__proto__", "constructor", "toString", "hasOwnProperty", "a\n", "a%0A", "%00", "a%C2%85", "%C0%AE"])(
    "rejects the variable %j",
    (name) => {
      expect(() => parseTemplate(`x://{${name}}`)).toThrow(TemplateError);
      expect(() => parseTemplate(`x://y{?${name}*}`)).toThrow(TemplateError);
    },
  );

  it("accepts templates up to the length limit", () => {
    const longest = `a://{b}/${"c".repeat(MAX_TEMPLATE_LENGTH - 8)}`;
    expect(parseTemplate(longest).text).toHaveLength(MAX_TEMPLATE_LENGTH);
    const error = errorOf(() => parseTemplate(`${longest}c`));
    expect(error.message).toContain("the template has more than 2048 characters");
    expect(error.message.length).toBeLessThan(400);
    expect(parseTemplate(`${longest}c`, { maxLength: MAX_TEMPLATE_LENGTH + 1 }).variables).toHaveLength(1);
    expect(() => parseTemplate("a://{b}", { maxLength: 6 })).toThrow(/more than 6 characters/);
  });

  it("rejects long runs of dots and names", () => {
    expect(() => parseTemplate(`{${"a.".repeat(1000)}}`)).toThrow(TemplateError);
    expect(() => parseTemplate(`{${"%41".repeat(600)}%}`)).toThrow(TemplateError);
  });
});

describe("expand", () => {
  it.each(["../admin", "a?x=", "#", "//evil", "@evil", "\r\nHost: evil", "a;b", "a:b", "a\\b"])(
    "keeps %j inside its segment",
    (id) => {
      const uri = parseTemplate("https://api.example/v1/items/{id}/parts").expand({ id });
      const url = new URL(uri);
      expect(url.origin).toBe("https://api.example");
      expect(url.pathname.split("/").slice(0, 3)).toEqual(["", "v1", "items"]);
      expect(url.pathname.split("/")).toHaveLength(5);
      expect(url.search + url.hash + url.username).toBe("");
    },
  );

  it("converts numbers, bigints and booleans to text", () => {
    expect(parseTemplate("{a,b,c}{?d*}").expand({ a: 1.5, b: 10n, c: false, d: [0, true] })).toBe(
      "1.5,10,false?d=0&d=true",
    );
  });

  it("omits null, undefined, empty lists and maps, and members without a value", () => {
    const template = parseTemplate("x{?a,b,c,d,e,f*}");
    const values = { a: null, b: undefined, c: [], d: {}, e: [null, "1", undefined], f: { g: null, h: "2" } };
    expect(template.expand(values)).toBe("x?e=1&h=2");
  });

  it("truncates a prefix between code points", () => {
    expect(parseTemplate("{a:2}").expand({ a: "😀é!" })).toBe("%F0%9F%98%80%C3%A9");
  });

  it("percent-encodes literal characters that a URI cannot contain", () => {
    expect(parseTemplate("x://é/{a}").expand({ a: "1" })).toBe("x://%C3%A9/1");
  });

  it("ignores inherited properties", () => {
    const values: Record<string, string> = Object.create({ a: "inherited" });
    expect(parseTemplate("x{?a}").expand(values)).toBe("x");
  });

  it("names the variable whose value has no expansion", () => {
    const template: { expand(values: object): string } = parseTemplate("x://{a}");
    expect(() => template.expand({ a: "\ud800" })).toThrow(/position 4: the value of "a" contains a lone surrogate/);
    expect(() => template.expand({ a: [["b"]] })).toThrow(
      /the value of "a" contains a value of type object. Pass strings/,
    );
    expect(() => template.expand({ a: new Date(0) })).toThrow(/the value of "a" is neither a list nor a plain object/);
    expect(() => template.expand({ a: () => "b" })).toThrow(
      /the value of "a" contains a value of type function. Pass strings/,
    );
    expect(() => parseTemplate("x://{a:1}").expand({ a: ["b"] })).toThrow(
      /"a" is a list or a map, but a prefix needs a string/,
    );
  });
});
