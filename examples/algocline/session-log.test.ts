import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { boundLog } from "./session-log.ts";

const log = (rounds: number, text = "x".repeat(50)) =>
  JSON.stringify({ session_id: "s", transcript: Array.from({ length: rounds }, (_, at) => ({ at, text })) }, null, 2);

describe("a session log", () => {
  it("is unchanged if it fits", () => {
    expect(boundLog(log(3), { limit: 3, maxChars: 20_000 }, "s")).toBe(log(3));
  });

  it("keeps as many of the newest rounds as fit", () => {
    const whole = JSON.parse(log(20));
    const room = JSON.stringify({ ...whole, transcript: whole.transcript.slice(-15) }).length + 60;
    const bounded = JSON.parse(boundLog(log(20), { limit: 50, maxChars: room }, "s"));
    expect(bounded).toMatchObject({ truncated: true, original_rounds: 20, returned_rounds: 15 });
    expect(bounded.transcript.at(-1).at).toBe(19);
  });

  it("omits other properties if omitting rounds is not enough", () => {
    const text = JSON.stringify({ session_id: "s", notes: "x".repeat(1000) });
    expect(boundLog(text, { limit: 50, maxChars: 100 }, "s")).toBe('{"session_id":"s","truncated":true}');
  });

  it("rejects a limit that is too small for any result", () => {
    expect(() => boundLog(log(3), { limit: 50, maxChars: 0 }, "s")).toThrow(/too few/);
  });

  it("stays within every limit and reports correct counts", () => {
    const sizes = fc.record({
      rounds: fc.integer({ min: 0, max: 120 }),
      limit: fc.integer({ min: 0, max: 150 }),
      maxChars: fc.integer({ min: 100, max: 5000 }),
    });
    fc.assert(
      fc.property(sizes, fc.string(), ({ rounds, limit, maxChars }, text) => {
        const bounded = boundLog(log(rounds, text), { limit, maxChars }, "s");
        expect(bounded.length).toBeLessThanOrEqual(maxChars);
        const { transcript, truncated, original_rounds, returned_rounds } = JSON.parse(bounded);
        expect(transcript.length).toBeLessThanOrEqual(limit);
        expect(truncated ?? false).toBe(transcript.length < rounds);
        if (truncated) expect([original_rounds, returned_rounds]).toEqual([rounds, transcript.length]);
      }),
    );
  });
});
