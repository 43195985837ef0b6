import { describe, expect, it } from "vitest";
import { pattern } from "./pattern.ts";

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
    expect(() => pattern(/(a+)+/)).toThrow(expect.objectContaining({ code: "unsafe_pattern" }));
    expect(() => pattern(/^a$/m)).toThrow(expect.objectContaining({ code: "bad_option" }));
    expect(() => pattern(/(a|A)*/i)).toThrow(expect.objectContaining({ code: "bad_option" }));
  });
});
