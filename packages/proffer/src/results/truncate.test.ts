import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { truncateJson, truncateText } from "./truncate.ts";

describe("truncateText", () => {
  it("returns a text that fits unchanged", () => {
    expect(truncateText("abc", 3)).toBe("abc");
  });

  it("marks a truncated text, and never splits a surrogate pair", () => {
    expect(truncateText("😀😀😀😀", 6, { mark: "…" })).toBe("😀😀…");
    expect(truncateText("x".repeat(100), 50)).toMatch(/^x+\n\[truncated: 100 characters in all\]$/);
  });

  it("never exceeds a limit that has room for the mark", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), fc.integer({ min: 40, max: 300 }), (text, max) => {
        const short = truncateText(text, max);
        expect(short.length).toBeLessThanOrEqual(max);
        // encodeURIComponent throws for a lone surrogate.
        expect(() => encodeURIComponent(short)).not.toThrow();
      }),
    );
  });

  it("rejects a limit that is too small for the mark", () => {
    expect(() => truncateText("x".repeat(100), 5)).toThrow(/5 characters are too few/);
  });
});

describe("truncateJson", () => {
  const log = { session_id: "s", transcript: Array.from({ length: 20 }, (_, at) => ({ prompt: `round ${at}` })) };

  it("keeps as many of the newest items as fit, and reports the original number", () => {
    const options = { list: "transcript", unit: "rounds" } as const;
    const text = truncateJson(log, { ...options, maxChars: 300 });
    const short = JSON.parse(text);
    expect(text.length).toBeLessThanOrEqual(300);
    expect(short).toMatchObject({ session_id: "s", truncated: true, original_rounds: 20 });
    expect(short.transcript).toHaveLength(short.returned_rounds);
    expect(short.transcript.at(-1)).toEqual({ prompt: "round 19" });
    // One more item would not fit.
    expect(text.length + ',{"prompt":"round 10"}'.length).toBeGreaterThan(300);
  });

  it("returns a document that fits unchanged, and can keep the oldest items", () => {
    expect(truncateJson(log, { maxChars: 10_000, list: "transcript" })).toBe(JSON.stringify(log));
    const oldest = JSON.parse(truncateJson(log, { maxChars: 300, list: "transcript", keep: "oldest" }));
    expect(oldest.transcript[0]).toEqual({ prompt: "round 0" });
  });

  it("keeps at most maxItems, even if all would fit", () => {
    const options = { maxChars: 10_000, list: "transcript", unit: "rounds" } as const;
    expect(JSON.parse(truncateJson(log, { ...options, maxItems: 2 }))).toEqual({
      session_id: "s",
      transcript: [{ prompt: "round 18" }, { prompt: "round 19" }],
      truncated: true,
      original_rounds: 20,
      returned_rounds: 2,
    });
    expect(JSON.parse(truncateJson(log, { ...options, maxItems: 0 })).transcript).toEqual([]);
    expect(truncateJson(log, { ...options, maxItems: 20 })).toBe(JSON.stringify(log));
    // Both limits apply: two rounds are allowed, but only one fits.
    const both = JSON.parse(truncateJson(log, { ...options, maxItems: 2, maxChars: 125 }));
    expect(both).toMatchObject({ original_rounds: 20, returned_rounds: 1 });
  });

  it("never exceeds its limit for any document, indented or not", () => {
    const document = fc.dictionary(fc.string(), fc.jsonValue());
    const limits = fc.record({
      maxChars: fc.integer({ min: 30, max: 400 }),
      indent: fc.constantFrom(0, 2),
      list: fc.constantFrom("items", "a", ""),
    });
    fc.assert(
      fc.property(document, fc.array(fc.jsonValue()), limits, (rest, items, options) => {
        const text = truncateJson({ ...rest, items }, options);
        expect(text.length).toBeLessThanOrEqual(options.maxChars);
        const whole = JSON.stringify({ ...rest, items }, undefined, options.indent);
        expect(whole === text || JSON.parse(text).truncated === true).toBe(true);
      }),
    );
  });

  it("omits other properties only when the list is empty", () => {
    const short = JSON.parse(
      truncateJson({ big: "x".repeat(500), small: 1, items: [1, 2] }, { maxChars: 120, list: "items" }),
    );
    expect(short).toEqual({ small: 1, items: [], truncated: true, original_items: 2, returned_items: 0 });
  });

  it("rejects a limit that is too small for the mark", () => {
    expect(() => truncateJson({ a: "x".repeat(100) }, { maxChars: 10 })).toThrow(/The minimum is 18/);
  });
});
