import { afterEach, describe, expect, it, vi } from "vitest";
import { consoleLog, setLogLayout } from "../support/log.ts";
import { toPrettyLine } from "./pretty-log.ts";

function format(details: object, isColored = false): string {
  const entry = { time: "2026-01-02T03:04:05.000Z", level: "error", message: "It failed", ...details };
  return toPrettyLine(JSON.stringify(entry), isColored).replace(/\d\d:\d\d:\d\d/, "TIME");
}

afterEach(() => {
  setLogLayout((line) => line);
  vi.restoreAllMocks();
});

describe("the log for people", () => {
  it("has the time, the level, the message and the details", () => {
    const details = { name: "add", text: "two words", empty: "", count: 3, list: ["a"] };
    expect(format(details)).toBe('TIME error It failed name=add text="two words" empty= count=3 list=["a"]');
    expect(format({ name: "add" }, true)).toBe(
      "\u001b[2mTIME\u001b[0m \u001b[31merror\u001b[0m It failed \u001b[2mname=\u001b[0madd",
    );
  });

  it("shows the stacks of an error and its causes, indented", () => {
    const error = { name: "Error", message: "a", stack: "Error: a\n    at x", cause: { name: "E", message: "b" } };
    expect(format({ error })).toBe("TIME error It failed\n    Error: a\n        at x\n    cause: E: b");
    expect(format({ error: "thrown" })).toBe("TIME error It failed\n    thrown");
  });

  it("cannot be forged or made endless by the text of a client", () => {
    const forged = format({ message: "a\nTIME info b\u001b[2J", name: "x\r\ny", "k\n": "z".repeat(10_000) });
    for (const character of ["\n", "\r", "\u001b"]) expect(forged).not.toContain(character);
    expect(forged.length).toBeLessThan(500);
    const lines = format({ error: { stack: "Error: a\nTIME info forged\r\u001b[2J" } }).split("\n");
    expect(lines.slice(1)).toEqual(["    Error: a", "    TIME info forged\\u000d\\u001b[2J"]);
  });

  it("T119: has no credentials", () => {
    const lines: string[] = [];
    vi.spyOn(console, "error").mockImplementation((line) => void lines.push(line));
    setLogLayout((line) => toPrettyLine(line, false));
    consoleLog({
      level: "error",
      message: "authorization: Bearer s3cret-t0ken\u202e",
      cookie: "s3cret",
      error: new Error("api-key=s3cret"),
    });
    expect(lines.join("\n")).not.toMatch(/s3cret|\u202e/);
    expect(lines.join("\n")).toContain("cookie=[redacted]");
  });
});
