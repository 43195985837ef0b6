import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dotSegment } from "../uri/uri-text.ts";
import { ParamIssue } from "./param.ts";
import { ANY_TEXT, charset, date, integer, oneOf, path, pattern, uuid } from "./param-kinds.ts";

describe("charset", () => {
  it("reports the first character that is not in the set", () => {
    const id = charset("A-Za-z0-9_.-");
    expect(id.check("a-Z_0.")).toBe("a-Z_0.");
    expect(id.check("ab/c&")).toMatchObject({ kind: "character", char: "/" });
    expect(id.check("a😀b")).toMatchObject({ kind: "character", char: "😀" });
    expect(id.check("")).toMatchObject({ kind: "length" });
    expect(id.check("a".repeat(513))).toMatchObject({ kind: "length", limit: 512 });
  });

  it("supports ranges beyond ASCII", () => {
    const greek = charset("α-ω😀-😂");
    expect(greek.check("αβω😁")).toBe("αβω😁");
    expect(greek.check("αa")).toMatchObject({ char: "a" });
    expect(greek.check("\ud83d")).toMatchObject({ char: "\ud83d" });
  });

  it.each(["", "z-a"])("cannot be %j", (set) => {
    expect(() => charset(set)).toThrow(expect.objectContaining({ code: "bad_option" }));
  });
});

describe("pattern", () => {
  it("must match the whole value, anchored or not", () => {
    expect(pattern(/\d+/).check("12")).toBe("12");
    expect(pattern(/\d+/).check("12a")).toMatchObject({ kind: "pattern" });
    expect(pattern(/^\d+$/).check("12\n")).toMatchObject({ kind: "pattern" });
    expect(pattern(/a|b/).check("ac")).toMatchObject({ kind: "pattern" });
  });

  it("rejects a value over the length limit", () => {
    expect(pattern(/a+/).check("a".repeat(1025))).toMatchObject({ kind: "length", limit: 1024 });
    expect(pattern(/a+/, { maxLength: 2000 }).check("a".repeat(1025))).toHaveLength(1025);
  });

  it("rejects an expression that a hostile value could make slow, and unsupported flags", () => {
    expect(() => pattern(/(a+)\1/)).toThrow(expect.objectContaining({ code: "unsafe_pattern" }));
    expect(() => pattern(/^a$/m)).toThrow(expect.objectContaining({ code: "bad_option" }));
    expect(() => pattern(/(a|A)*/i)).toThrow(expect.objectContaining({ code: "bad_option" }));
  });
});

describe("formats", () => {
  it("accept UUIDs, dates and choices", () => {
    expect(uuid().check("3F4B1a2c-0001-0000-0000-000000000000")).toBe("3F4B1a2c-0001-0000-0000-000000000000");
    expect(uuid().check("3f4b1a2c")).toMatchObject({ kind: "uuid" });
    expect(date().check("2024-02-29")).toBe("2024-02-29");
    expect(date().check("2023-02-29")).toMatchObject({ kind: "date" });
    expect(oneOf("a", "b").check("b")).toBe("b");
    expect(oneOf("a", "b").check("__proto__")).toMatchObject({ kind: "enum" });
  });
});

describe("integer", () => {
  it("reads decimal digits, including leading zeros", () => {
    expect(integer().check("42")).toBe(42);
    expect(integer().check("007")).toBe(7);
    expect(integer({ min: -5 }).check("-3")).toBe(-3);
    expect(Object.is(integer({ min: -5 }).check("-0"), 0)).toBe(true);
  });

  it.each(["", "-", "+", "1.5", "1e3", "0x10", " 1", "1 ", "٣", "NaN", "Infinity", "1_000", "--1", "+-1"])(
    "rejects %j as malformed",
    (text) => {
      expect(integer({ min: -10, plus: true }).check(text)).toMatchObject({ kind: "integer" });
    },
  );

  it("accepts a sign only if the options allow it", () => {
    expect(integer().check("-1")).toMatchObject({ kind: "integer" });
    expect(integer().check("+1")).toMatchObject({ kind: "integer" });
    expect(integer({ plus: true }).check("+1")).toBe(1);
  });

  it("enforces its limits for any number of digits", () => {
    const limit = integer({ min: 1, max: 100 });
    expect(limit.check("100")).toBe(100);
    expect(limit.check("101")).toMatchObject({ kind: "max", limit: 100 });
    expect(limit.check("0")).toMatchObject({ kind: "min", limit: 1 });
    expect(limit.check("9".repeat(10_000))).toMatchObject({ kind: "max" });
    expect(integer().check("9007199254740993")).toMatchObject({ kind: "max" });
  });

  it("reads every integer in its range", () => {
    const any = integer({ min: Number.MIN_SAFE_INTEGER });
    fc.assert(fc.property(fc.maxSafeInteger(), (number) => any.check(String(number)) === number));
  });

  it.each([{ min: 2, max: 1 }, { default: 11, max: 10 }, { max: 1.5 }, { min: Number.NaN }])(
    "cannot be %j",
    (options) => {
      expect(() => integer(options)).toThrow(expect.objectContaining({ code: "bad_option" }));
    },
  );
});

describe("path", () => {
  it.each(["a", "a/b.txt", "..a/b..c", ".hidden", "a b", "100%.txt", "a%20b", "ünï", "console"])(
    "accepts %j",
    (text) => {
      expect(path().check(text)).toBe(text);
    },
  );

  it.each([
    "",
    "/etc/passwd",
    "../../etc/passwd",
    "a/../../b",
    "a/..",
    "./a",
    "..\\..\\x",
    "a\\b",
    "C:\\x",
    "C:x",
    "\\\\srv\\share",
    "file:///etc/passwd",
    "a//b",
    "a/",
    "a\0b",
    "a\nb",
    "%2e%2e/x",
    "a/%2e%2e%2fb",
    "%5c%5csrv",
    "x%00y",
    "a.txt:stream",
    "a.",
    "a /b",
    "CON",
    "x/nul.txt",
    "com1",
  ])("rejects %j", (text) => {
    expect(path().check(text)).toMatchObject({ kind: "path" });
  });
});

describe("a variable without a declaration", () => {
  it.each(["x", "a.b", "a..b", "100%", "a/b", "...", "%zz"])("accepts %j", (text) => {
    expect(ANY_TEXT.check(text)).toBe(text);
  });

  it.each(["..", ".", "../x", "a/../b", "a\\..\\b", "%2e%2e", "a%2f..%2fb", "x\0"])("rejects %j", (text) => {
    expect(ANY_TEXT.check(text)).toBeInstanceOf(ParamIssue);
  });
});

describe("the path of a URI", () => {
  it.each([
    ["a://..", ".."],
    ["a://b/./c", "."],
    ["../a", ".."],
    ["a://b/%2E%2e/c", "%2E%2e"],
    ["a://b/.%2e", ".%2e"],
    ["a://b\\..\\c", ".."],
  ])("%s has the dot segment %s", (uri, segment) => {
    expect(dotSegment(uri, true)).toBe(segment);
  });

  it.each(["a://b/.c", "a://b/..c", "a://b/c..", "a://b/...", "a://b.c", "a://%2ea"])(
    "%s has no dot segment",
    (uri) => {
      expect(dotSegment(uri, true)).toBeUndefined();
    },
  );
});
