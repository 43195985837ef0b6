import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { truncateJson, truncateText } from "./truncate.ts";

describe("boundText", () => {
  it("leaves alone what fits", () => {
    expect(truncateText("abc", 3)).toBe("abc");
  });

  it("says that it cut, and never cuts a character in two", () => {
    expect(truncateText("😀😀😀😀", 6, { mark: "…" })).toBe("😀😀…");
    expect(truncateText("x".repeat(100), 50)).toMatch(/^x+\n\[truncated: 100 characters in all\]$/);
  });

  it("stays within every bound that holds its mark", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), fc.integer({ min: 40, max: 300 }), (text, max) => {
        const bound = truncateText(text, max);
        expect(bound.length).toBeLessThanOrEqual(max);
        // A half of a surrogate pair could not be encoded.
        expect(() => encodeURIComponent(bound)).not.toThrow();
      }),
    );
  });

  it("refuses a bound that is too small to say anything", () => {
    expect(() => truncateText("x".repeat(100), 5)).toThrow(/5 characters are too few/);
  });
});

describe("boundJson", () => {
  const log = { session_id: "s", transcript: Array.from({ length: 20 }, (_, at) => ({ prompt: `round ${at}` })) };

  it("keeps as many of the newest items as fit, and says how many there were", () => {
    const options = { list: "transcript", unit: "rounds" } as const;
    const text = truncateJson(log, { ...options, maxChars: 300 });
    const bound = JSON.parse(text);
    expect(text.length).toBeLessThanOrEqual(300);
    expect(bound).toMatchObject({ session_id: "s", truncated: true, original_rounds: 20 });
    expect(bound.transcript).toHaveLength(bound.returned_rounds);
    expect(bound.transcript.at(-1)).toEqual({ prompt: "round 19" });
    // One more would not have fitted.
    expect(text.length + ',{"prompt":"round 10"}'.length).toBeGreaterThan(300);
  });

  it("leaves alone what fits, and can keep the oldest", () => {
    expect(truncateJson(log, { maxChars: 10_000, list: "transcript" })).toBe(JSON.stringify(log));
    const oldest = JSON.parse(truncateJson(log, { maxChars: 300, list: "transcript", keep: "oldest" }));
    expect(oldest.transcript[0]).toEqual({ prompt: "round 0" });
  });

  it("keeps no more items than asked for, even if all would fit", () => {
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
    // Both bounds hold: two rounds are allowed, but only one of them has room.
    const both = JSON.parse(truncateJson(log, { ...options, maxItems: 2, maxChars: 125 }));
    expect(both).toMatchObject({ original_rounds: 20, returned_rounds: 1 });
  });

  it("stays within its bound for any document, indented or not", () => {
    const document = fc.dictionary(fc.string(), fc.jsonValue());
    const bounds = fc.record({
      maxChars: fc.integer({ min: 30, max: 400 }),
      indent: fc.constantFrom(0, 2),
      list: fc.constantFrom("items", "a", ""),
    });
    fc.assert(
      fc.property(document, fc.array(fc.jsonValue()), bounds, (rest, items, options) => {
        const text = truncateJson({ ...rest, items }, options);
        expect(text.length).toBeLessThanOrEqual(options.maxChars);
        const whole = JSON.stringify({ ...rest, items }, undefined, options.indent);
        expect(whole === text || JSON.parse(text).truncated === true).toBe(true);
      }),
    );
  });

  it("leaves out what is not in the list only when the list is empty", () => {
    const bound = JSON.parse(
      truncateJson({ big: "x".repeat(500), small: 1, items: [1, 2] }, { maxChars: 120, list: "items" }),
    );
    expect(bound).toEqual({ small: 1, items: [], truncated: true, original_items: 2, returned_items: 0 });
  });

  it("refuses a bound that is too small to say anything", () => {
    expect(() => truncateJson({ a: "x".repeat(100) }, { maxChars: 10 })).toThrow(/the least is 18/);
  });
});
