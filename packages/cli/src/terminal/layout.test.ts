import { Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { afterEach, describe, expect, it, vi } from "vitest";
import { prettyJson } from "./json.ts";
import { truncate, widthOf, wrap } from "./layout.ts";
import { formatListing, type Listing } from "./listing.ts";
import { stylesFor } from "./terminal.ts";

afterEach(() => vi.unstubAllEnvs());

const terminal = (colors = false, columns = 50) =>
  Object.assign(new Writable(), { isTTY: true, columns, hasColors: () => colors });
const pipe = () => new Writable();

describe("the listing", () => {
  const inputSchema = { type: "object" } as const;
  const listing = {
    tools: [
      { name: "add", description: "Adds two numbers and returns\ntheir sum as a number.\n\nMore.", inputSchema },
      { name: "日本", description: "Wide.", inputSchema },
      { name: "aVeryLongNameOfATool", description: "Has its own line.", inputSchema },
      { name: "bare\u001b[2J", inputSchema },
    ],
    prompts: [],
    resources: [],
    resourceTemplates: [],
  } as unknown as Listing;

  it("is aligned and wrapped on a terminal", () => {
    expect(String(formatListing(listing, stylesFor(terminal()))).split("\n")).toEqual([
      "Tools",
      "  add()            Adds two numbers and returns",
      "                   their sum as a number.",
      "  日本()           Wide.",
      "  aVeryLongNameOfATool()",
      "                   Has its own line.",
      "  bare\\u001b[2J()",
    ]);
  });

  it("has the descriptions below the names on a narrow terminal", () => {
    const lines = String(formatListing(listing, stylesFor(terminal(false, 40)))).split("\n");
    expect(lines.slice(1, 4)).toEqual(["  add()", "    Adds two numbers and returns their", "    sum as a number."]);
  });

  it("is one line for each item in a pipe", () => {
    expect(String(formatListing(listing, stylesFor(pipe()))).split("\n")).toEqual([
      "Tools",
      "  add()  Adds two numbers and returns",
      "  日本()  Wide.",
      "  aVeryLongNameOfATool()  Has its own line.",
      "  bare\\u001b[2J()",
    ]);
  });
});

describe("JSON on a terminal", () => {
  const plain = stylesFor(terminal());

  it("is indented, and keeps its tokens", () => {
    const json = '{"a":[1.0,12345678901234567890,{}],"b\\"":"x, \\u202ey: {","c":[],"d":null}';
    const shown = String(prettyJson(json, plain, "> "));
    expect(shown.split("\n")).toEqual([
      "{",
      '>   "a": [',
      ">     1.0,",
      ">     12345678901234567890,",
      ">     {}",
      ">   ],",
      '>   "b\\"": "x, \\u202ey: {",',
      '>   "c": [],',
      '>   "d": null',
      "> }",
    ]);
  });

  it("is colored", () => {
    const json = '{"key":["text",1,true,null]}';
    const colored = String(prettyJson(json, stylesFor(terminal(true))));
    expect(colored).toContain('\u001b[36m"key"\u001b[39m: [');
    expect(colored).toContain('\u001b[32m"text"\u001b[39m');
    expect(stripVTControlCharacters(colored)).toBe(String(prettyJson(json, plain)));
  });

  it.each([
    ["a scalar", "42"],
    ["a text", "{not json}"],
    ["too deep", `${"[".repeat(60)}${"]".repeat(60)}`],
    ["too long", `["${"x".repeat(1_000_000)}"]`],
  ])("is left alone if it is %s", (_, value) => expect(prettyJson(value, plain)).toBeUndefined());
});

describe("colors", () => {
  it.each([
    ["a terminal", terminal(true), {}, true],
    ["a terminal without colors", terminal(false), {}, false],
    ["a pipe", pipe(), {}, false],
    ["a pipe with FORCE_COLOR=1", pipe(), { FORCE_COLOR: "1" }, true],
    ["a pipe with FORCE_COLOR=0", pipe(), { FORCE_COLOR: "0" }, false],
  ])("on %s", (_, stream, env: Record<string, string>, expected) => {
    vi.stubEnv("FORCE_COLOR", undefined);
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    expect(String(stylesFor(stream).red("x")) !== "x").toBe(expected);
  });
});

it("the width of a text counts the columns of a terminal", () => {
  expect([widthOf("abc"), widthOf("日本"), widthOf("e\u0301"), widthOf("👍")]).toEqual([3, 4, 1, 2]);
  expect(truncate("日本語", 5)).toBe("日本…");
  expect(wrap("a bb 日本語 dddddddd", 5)).toEqual(["a bb", "日本", "語", "ddddd", "ddd"]);
});
