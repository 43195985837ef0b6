import { describe, expect, it } from "vitest";
import { formats } from "./formats.ts";

function check(format: string, text: string): boolean | undefined {
  return formats.get(format)?.check(text);
}

describe("Formats", () => {
  it("have examples that are valid", () => {
    for (const { check, example } of formats.values()) expect(check(example), example).toBe(true);
  });

  it("accept only calendar dates", () => {
    expect(check("date", "2024-02-29")).toBe(true);
    expect(check("date", "2000-02-29")).toBe(true);
    expect(check("date", "1900-02-29")).toBe(false);
    expect(check("date-time", "2026-04-31T00:00:00Z")).toBe(false);
    expect(check("date-time", "2026-04-30 00:00:00Z")).toBe(false);
  });

  it("accept leap seconds", () => {
    expect(check("date-time", "2016-12-31T23:59:60Z")).toBe(true);
    expect(check("date-time", "2017-01-01T00:59:60.5+01:00")).toBe(true);
    expect(check("date-time", "2016-12-31T23:59:60+01:00")).toBe(false);
  });

  it("accept any absolute URI of RFC 3986", () => {
    const valid = [
      "urn:isbn:0451450523",
      "orders://1",
      "orders://",
      "a:",
      "x://u:p@[::1]:80/a?b#c",
      "mailto:a@b.c",
      "file:///a",
      "http://[v1.a]/",
    ];
    const invalid = [
      "",
      "a",
      "//a",
      "1a:",
      "a b:",
      "a:b c",
      "a:%4",
      "a:b#c#d",
      "http://a:b",
      "http://[::1",
      "http://[1]/",
      "http://a]/",
      "a:\n",
      "a:é",
    ];
    expect(valid.filter((uri) => !check("uri", uri))).toEqual([]);
    expect(invalid.filter((uri) => check("uri", uri))).toEqual([]);
  });

  it("are checked in linear time on hostile texts", () => {
    // Quadratic backtracking would exceed the time limit of the test.
    const texts = [
      "a@".repeat(500_000),
      `http://${"a".repeat(1_000_000)}\n`,
      `"${"\\a".repeat(500_000)}`,
      `P${"1".repeat(1_000_000)}`,
      ":".repeat(1_000_000),
      "a.".repeat(500_000),
    ];
    for (const text of texts) for (const { check } of formats.values()) expect(check(text)).toBe(false);
  });
});
