import { describe, expect, it } from "vitest";
import { ParamIssue } from "./param.ts";
import { ANY_TEXT, dotSegment, path } from "./path.ts";

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
