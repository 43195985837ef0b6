import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeHeader } from "./header-check.ts";

const encode = (text: string) => `=?base64?${Buffer.from(text).toString("base64")}?=`;

describe("decodeHeader", () => {
  it("decodes every value that a client encoded", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(decodeHeader(encode(text))).toBe(text);
      }),
    );
  });

  it("returns visible text unchanged, and rejects invisible characters", () => {
    expect(decodeHeader("a b\tc")).toBe("a b\tc");
    for (const value of ["é", "a\u0000", "\u007f", "a\nb"]) expect(decodeHeader(value)).toBeUndefined();
  });

  it.each([
    "=?base64?YQ?=",
    "=?base64?YQ=?=",
    "=?base64?Y*==?=",
    "=?base64?_-8=?=",
    "=?base64?YR==?=",
    "=?base64?/w==?=",
  ])("rejects %s", (value) => {
    expect(decodeHeader(value)).toBeUndefined();
  });

  it("never throws", () => {
    fc.assert(fc.property(fc.string(), (text) => void decodeHeader(`=?base64?${text}?=`)));
  });
});
