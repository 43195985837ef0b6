import { stripVTControlCharacters } from "node:util";
import { afterEach, describe, expect, it, vi } from "vitest";
import { consoleLog, type LogEntry, setLogFormat } from "../support/log.ts";
import { prettyLine } from "./log-format.ts";

afterEach(() => {
  setLogFormat(undefined);
  vi.restoreAllMocks();
});

function logged(entry: LogEntry, isColored = false): string {
  const write = vi.spyOn(console, "error").mockImplementation(() => {});
  setLogFormat((line) => prettyLine(line, isColored));
  consoleLog(entry);
  return String(write.mock.lastCall?.[0]);
}

describe("the log for people", () => {
  it("has the time, the level, the message and the details on one line", () => {
    const line = logged({ level: "info", message: "It works.", method: "tools/call", name: "a b", count: 2 });
    expect(line).toMatch(/^\d\d:\d\d:\d\d info {4}It works\. {2}method=tools\/call {2}name="a b" {2}count=2$/);
  });

  it("has the stack of an error and its causes, indented", () => {
    const lines = logged({ level: "error", message: "m", error: new Error("outer", { cause: "inner" }) }).split("\n");
    expect(lines[0]).toMatch(/ error {3}m$/);
    expect(lines[1]).toBe("    Error: outer");
    expect(lines[2]).toMatch(/^ {8}at /);
    expect(lines.at(-1)).toBe("    caused by inner");
  });

  it("has colors only if they are wanted", () => {
    const entry: LogEntry = { level: "warning", message: "m", a: 1 };
    const colored = logged(entry, true);
    expect(colored).toContain("\u001b[33mwarning\u001b[0m");
    expect(stripVTControlCharacters(colored).slice(8)).toBe(logged(entry).slice(8));
  });

  it("cannot be forged by text from a client, and hides credentials", () => {
    const hostile = "\n00:00:00 error forged\u001b[2J\u202e\u2028\u009b1m authorization: Bearer abcdefgh1234";
    const error = new Error(hostile);
    const text = logged({ level: "error", message: hostile, name: hostile, error });
    expect(text).not.toContain("abcdefgh1234");
    expect(text.replaceAll("\n", "")).not.toMatch(/\p{Cc}|\p{Bidi_Control}|\u2028/u);
    for (const line of text.split("\n").slice(1)) expect(line).toMatch(/^ {4}/);
  });
});
