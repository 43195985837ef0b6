import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { integer } from "./integer.ts";

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
