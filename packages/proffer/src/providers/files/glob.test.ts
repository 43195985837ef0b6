import { describe, expect, it } from "vitest";
import { toPathTest } from "./files.ts";

describe("a glob", () => {
  it.each([
    ["*.md", "a.md"],
    ["*.md", "x/y/a.md"],
    ["docs/*.md", "docs/a.md"],
    ["docs/**", "docs/a/b.md"],
    ["**/*.test.ts", "a.test.ts"],
    ["a/**/z", "a/z"],
    ["a/**/z", "a/b/c/z"],
    ["a/**/b/**/c", "a/x/b/b/y/c"],
    ["?.t*t", "a.txt"],
    ["**", "a/b"],
  ])("%s matches %s", (glob, path) => {
    expect(toPathTest([glob])(path)).toBe(true);
  });

  it.each([
    ["*.md", "a.mdx"],
    ["docs/*.md", "docs/sub/a.md"],
    ["docs/*.md", "x/docs/a.md"],
    ["?.txt", "ab.txt"],
    ["a/**/z", "a/b"],
    ["a*b", "a/b"],
  ])("%s does not match %s", (glob, path) => {
    expect(toPathTest([glob])(path)).toBe(false);
  });

  it("is not slow for a hostile name", () => {
    const test = toPathTest([`${"*a".repeat(20)}b`, `${"**/a/".repeat(20)}b`]);
    expect(test(`${"a".repeat(200)}/${"a/".repeat(200)}`)).toBe(false);
  });

  it.each(["", "/etc/*", "a\\b", "{a,b}", "[ab]", "!x"])("cannot be %j", (glob) => {
    expect(() => toPathTest([glob])).toThrow(expect.objectContaining({ code: "bad_option" }));
  });
});
