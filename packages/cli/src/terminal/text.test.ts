import { describe, expect, it } from "vitest";
import { CommandError } from "./command-error.ts";
import { redact } from "./redact.ts";
import { quoteForShell } from "./shell.ts";
import { Text, text } from "./text.ts";

describe("text for a terminal", () => {
  it.each([
    ["a new line with a forged prefix", "a\nerror: forged", "a\\nerror: forged"],
    ["an escape sequence", "\u001b[31mred\u0007", "\\u001b[31mred\\u0007"],
    ["a C1 control", "\u009b31m\u0085", "\\u009b31m\\u0085"],
    ["bidirectional controls", "\u202eabc\u2066\u200f\u061c", "\\u202eabc\\u2066\\u200f\\u061c"],
    ["line separators", "a\u2028b\u2029c\rd\u007f", "a\\u2028b\\u2029c\\u000dd\\u007f"],
    ["other languages", "日本語 עברית 👩‍👧\tä", "日本語 עברית 👩‍👧\tä"],
  ])("has %s in one line, escaped", (_, value, expected) => {
    expect(String(text`${value}!`)).toBe(`${expected}!`);
    expect(String(new CommandError(value).text)).toBe(expected);
  });

  it("keeps the lines of a block, indented, without colors", () => {
    expect(String(Text.block("\u001b[1;31ma\u001b[0m\r\nb\u001b[2J\rc", "  "))).toBe("a\n  b\\u001b[2J\\u000dc");
  });

  it("escapes contents for a terminal, and leaves them as they are in a pipe", () => {
    const contents = "a\n\u001b]52;c;eA==\u0007b";
    expect(String(Text.contents(contents, true, "  "))).toBe("a\n  \\u001b]52;c;eA==\\u0007b");
    expect(String(Text.contents(contents, false))).toBe(contents);
  });

  it("stays the same value in JSON", () => {
    const value = { "\u202e": ["\u009b31m", "\u001b]52;\u2028", "ä"] };
    const json = String(Text.json(value));
    expect(json).toMatch(/^[\x20-\x7eä]+$/);
    expect(JSON.parse(json)).toEqual(value);
  });
});

it.each([
  ["cookie: a=b; c", "cookie: *** c"],
  ['"authorization":"xyz"', '"authorization":"***"'],
  ["Authorization: Bearer abcdef123456", "Authorization: Bearer ***"],
  ["mcp-session-id: 123", "mcp-session-id: ***"],
  ["postgres://me:hunter2@db/x", "postgres://***@db/x"],
  ["https://h/?a=b&access_token=x&c=d", "https://h/?a=b&access_token=***&c=d"],
  ["no pfr_abcdefghijklmnopqrstuvwxyz_-0 here", "no pfr_*** here"],
  ["the value is s3cr3t-value", "the value is ***"],
  ["set PROFFER_KEYS", "set PROFFER_KEYS"],
])("redact(%j)", (value, expected) => {
  expect(redact(value, { MY_TOKEN: "s3cr3t-value", SHORT_KEY: "is", HOME: "the value" })).toBe(expected);
});

it.skipIf(process.platform === "win32").each([
  ["my-server", "my-server"],
  ["a&calc", "'a&calc'"],
  ["$(x)", "'$(x)'"],
  ["it's", "'it'\\''s'"],
  ["--upload-pack=x", "'./--upload-pack=x'"],
])("quoteForShell(%j)", (path, expected) => expect(quoteForShell(path)).toBe(expected));
