import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { windowOf } from "../src/page/result/rows.ts";
import { prettyPieces } from "../src/page/text/json-text.ts";
import {
  axisOf,
  type Exchange,
  foldExchanges,
  linesOf,
  placeOn,
  rowsOf,
  segmentsOf,
  timeOf,
} from "../src/page/wire/exchange.ts";
import { matchesFilter, parseFilter } from "../src/page/wire/filter.ts";
import type { WireLine } from "../src/protocol/data.ts";
import { DEMO_LINES, notice, request, response } from "./demo-events.ts";

const NOW = 6000;
const exchanges = foldExchanges(DEMO_LINES);

function shown(opened: readonly string[] = []): string[] {
  return rowsOf(exchanges, new Set(opened), NOW).map(({ label, status }) => `${label} | ${status}`);
}

function passing(text: string): string[] {
  const filter = parseFilter(text);
  return exchanges.filter((exchange) => matchesFilter(filter, exchange, NOW)).map(({ line }) => String(line.n));
}

describe("rows of the timeline", () => {
  test("fold rounds and progress into one", () => {
    expect(shown()).toEqual([
      "server/discover | complete",
      "tools/list | complete",
      "tools/call order | complete · 2 rounds · progress ×2",
      "tools/call count | -32602",
      "notifications/resources/updated | ",
    ]);
  });

  test("open to rounds, then to each progress", () => {
    expect(shown(["5"]).slice(2, 6)).toEqual([
      "tools/call order | complete · 2 rounds · progress ×2",
      "round 1 | input_required",
      "round 2 | complete",
      "progress ×2 | ",
    ]);
    expect(shown(["5", "5 progress"]).slice(5, 8)).toEqual([
      "progress ×2 | ",
      "notifications/progress | ",
      "notifications/progress | ",
    ]);
  });

  test("have unique ids and lose no message", () => {
    const line = fc.record({
      re: fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined }),
      kind: fc.constantFrom<WireLine["kind"]>("request", "notification", "result", "error", "malformed"),
      dir: fc.constantFrom<WireLine["dir"]>("in", "out"),
      method: fc.constantFrom(undefined, "notifications/progress", "tools/call"),
    });
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), (drawn) => {
        const lines = drawn.map(
          ({ re, method, ...rest }, index): WireLine => ({
            n: index + 1,
            at: index,
            conn: "c1",
            bytes: 1,
            ...rest,
            ...(re === undefined ? {} : { re }),
            ...(method === undefined ? {} : { method }),
          }),
        );
        const folded = foldExchanges(lines);
        const numbers = folded.flatMap((exchange) => linesOf(exchange).map(({ n }) => n));
        expect(numbers.sort((a, b) => a - b)).toEqual(lines.map(({ n }) => n));
        const opened = new Set(lines.flatMap(({ n }) => [String(n), `${n} progress`]));
        const ids = rowsOf(folded, opened, 40).map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
      }),
    );
  });

  test("separate the time of the server from that of a person", () => {
    const segments = segmentsOf(exchanges[2] as Exchange, NOW);
    expect([timeOf("server", segments), timeOf("person", segments)]).toEqual([8, 4082]);
  });

  test("a question inside a call of an older revision is a person's time too", () => {
    const [call] = foldExchanges([
      request(1, 0, "tools/call"),
      { ...request(2, 10, "elicitation/create"), dir: "in", re: 1 },
      { ...response(3, 1010, 2, "elicitation/create"), dir: "out" },
      response(4, 1015, 1, "tools/call"),
    ]) as [Exchange];
    const segments = segmentsOf(call, NOW);
    expect([timeOf("server", segments), timeOf("person", segments)]).toEqual([15, 1000]);
  });

  test("a call that waits for an answer grows with the time", () => {
    const [call] = foldExchanges([
      request(1, 0, "tools/call"),
      response(2, 5, 1, "tools/call", { status: "input_required" }),
    ]) as [Exchange];
    expect(timeOf("person", segmentsOf(call, 100))).toBe(95);
  });

  test("an open stream is a bar", () => {
    const [stream] = foldExchanges([request(1, 10, "subscriptions/listen"), notice(2, 90, "x")]) as [Exchange];
    expect(segmentsOf(stream, 90)).toEqual([{ kind: "open", from: 10, to: 90 }]);
  });
});

describe("the filter", () => {
  test.each([
    ["", "1 3 5 11 13"],
    ["method:tools/call", "5 11"],
    ["status:error method:tools/call", "11"],
    ["status:input_required", "5"],
    ["status:-32602", "11"],
    ["duration:>500ms", "11"],
    ["duration:<0.005s", "1 3 13"],
    ["bytes:>1k", "3"],
    ["bytes:>=90b bytes:<100", "13"],
    ["name:order", "5"],
    ["-method:tools", "1 13"],
    ['"resources/updated"', "13"],
    ["ORDER", "5"],
    ["revision:2026 dir:in method:list", "3"],
    ["orders://7", ""],
  ])("%s leaves %s", (text, numbers) => {
    expect(passing(text).join(" ")).toBe(numbers);
  });

  test("names terms that it cannot read, and leaves them out", () => {
    expect(parseFilter("duration:soon bytes:>x").problems).toEqual([
      '"duration:soon" is not a limit such as duration:>500ms.',
      '"bytes:>x" is not a limit such as bytes:>10k.',
    ]);
    expect(passing("duration:soon method:list")).toEqual(["3"]);
  });

  test("reads any text", () => {
    fc.assert(
      fc.property(fc.string(), (text) =>
        exchanges.every((each) => typeof matchesFilter(parseFilter(text), each, NOW) === "boolean"),
      ),
    );
  });
});

test("bars have a common axis, and a moment can be seen", () => {
  const axis = axisOf([[{ kind: "server", from: 100, to: 150 }], [{ kind: "person", from: 120, to: 200 }]]);
  expect(axis).toEqual({ from: 100, to: 200 });
  expect(placeOn(axis, { kind: "person", from: 120, to: 200 })).toEqual({ x: 20, width: 80 });
  expect(placeOn(axis, { kind: "server", from: 200, to: 200 }).width).toBeCloseTo(0.8);
  expect(axisOf([])).toEqual({ from: 0, to: 1 });
});

test("few rows of a long list are drawn, wherever it is scrolled to", () => {
  expect(windowOf(10_000, 24, 0, 240)).toEqual({ first: 0, end: 20 });
  expect(windowOf(10_000, 24, 120_000, 240)).toEqual({ first: 4990, end: 5020 });
  expect(windowOf(10_000, 24, 1e9, 240)).toEqual({ first: 9980, end: 10_000 });
  expect(windowOf(3, 24, 0, 240)).toEqual({ first: 0, end: 3 });
});

describe("a pretty message", () => {
  test("keeps duplicate keys, the order and the digits of numbers", () => {
    const text = '{"b":1.0,"a":[],"b":12345678901234567890,"c":{"d":"\\u00e9, {}"}}';
    const pretty = (prettyPieces(text) ?? []).map((piece) => piece.text).join("");
    expect(pretty).toBe(
      '{\n  "b": 1.0,\n  "a": [],\n  "b": 12345678901234567890,\n  "c": {\n    "d": "\\u00e9, {}"\n  }\n}',
    );
  });

  test("folds _meta and cuts long strings", () => {
    const pieces = prettyPieces(JSON.stringify({ _meta: { a: [1] }, long: "x".repeat(3000) })) ?? [];
    expect(pieces.map(({ kind }) => kind)).toEqual(["text", "meta", "text", "long", "text"]);
    expect(pieces[1]?.text).toBe('{\n    "a": [\n      1\n    ]\n  }');
  });

  test("has the value of the message", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const pretty = (prettyPieces(text) ?? []).map((piece) => piece.text).join("");
        expect(JSON.stringify(JSON.parse(pretty))).toBe(text);
      }),
    );
  });

  test("is not made of malformed JSON", () => {
    expect(prettyPieces('{"a":')).toBeUndefined();
  });
});
