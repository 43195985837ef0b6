import { describe, expect, it } from "vitest";
import { matchesName } from "./toolsets.ts";

describe("a pattern", () => {
  it.each([
    ["cancel", "cancel", true],
    ["cancel", "cancel_all", false],
    ["order_*", "order_", true],
    ["order_*", "order_get", true],
    ["order_*", "reorder_get", false],
    ["*_get", "order_get", true],
    ["*_get", "order_get_all", false],
    ["*", "", true],
    ["**", "anything", true],
    ["a*a", "a", false],
    ["a*a", "aa", true],
    ["a*b*c", "a-b-c", true],
    ["a*b*c", "acb", false],
    ["a*bc*c", "abc", false],
    ["a*b*b", "ab", false],
    ["a.c", "abc", false],
    ["Order", "order", false],
  ])("%j matches %j: %j", (pattern, name, expected) => {
    expect(matchesName(pattern, name)).toBe(expected);
  });

  it("with thousands of stars is matched in one pass", () => {
    const pattern = `${"*a".repeat(50_000)}*b`;
    expect(matchesName(pattern, "a".repeat(100_000))).toBe(false);
    expect(matchesName(pattern, `${"a".repeat(100_000)}b`)).toBe(true);
  });
});
