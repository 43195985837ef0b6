import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { text } from "../results/content.ts";
import { CodecError } from "./codec-text.ts";
import { encodeAny } from "./encode-any.ts";

class Decimal {
  #digits = "1.50";
  toJSON(): string {
    return this.#digits;
  }
}

const at = new Date(0);
const time = at.toISOString();

describe("a value whose type says nothing is written by its class", () => {
  const cases: [name: string, value: unknown, json: unknown][] = [
    ["a Map with string keys", new Map([["__proto__", at]]), JSON.parse(`{ "__proto__": "${time}" }`)],
    ["a Map with other keys", new Map<unknown, unknown>([["a", 1n], [at, new Set()]]), [["a", "1"], [time, []]]], // biome-ignore format: short
    ["an empty Map", new Map(), {}],
    ["a Set", new Set([1n, at]), ["1", time]],
    ["a Date", at, time],
    ["an invalid Date, as JSON does", new Date(Number.NaN), null],
    ["a URL", new URL("https://example.org/a"), "https://example.org/a"],
    ["bytes", new Uint8Array([1, 2, 255]), "AQL/"],
    ["a Buffer, not as its own JSON", Buffer.from([1, 2, 255]), "AQL/"],
    ["an ArrayBuffer", new Uint8Array([1, 2, 255]).buffer, "AQL/"],
    ["a SharedArrayBuffer", new SharedArrayBuffer(3), "AAAA"],
    ["a DataView", new DataView(new Uint8Array([0, 1, 2, 255]).buffer, 1), "AQL/"],
    ["numbers", new Float64Array([1.5, -2]), [1.5, -2]],
    ["big numbers", new BigInt64Array([1n, -2n]), ["1", "-2"]],
    ["a bigint", 2n ** 70n, "1180591620717411303424"],
    ["a regular expression", /a+/i, "/a+/i"],
    ["a class with toJSON", new Decimal(), "1.50"],
    ["toJSON that returns other classes", { toJSON: () => new Map([["a", 1n]]) }, { a: "1" }],
    ["an object without a prototype", Object.assign(Object.create(null), { at }), { at: time }],
    ["undefined, functions and symbols, as JSON does", { a: [undefined, () => 1, Symbol("s")], b: undefined }, { a: [null, null, null] }], // biome-ignore format: short
  ];

  test.each(cases)("%s", (_, value, json) => {
    expect(JSON.parse(JSON.stringify(encodeAny(value)) ?? "null")).toEqual(json);
    expect(JSON.parse(JSON.stringify(encodeAny({ deep: [value] })))).toEqual({ deep: [json] });
  });

  it("writes only the name and the message of an error", () => {
    const error = Object.assign(new TypeError("no", { cause: new Error("secret") }), { config: { token: "secret" } });
    expect(encodeAny([error])).toEqual([{ name: "TypeError", message: "no" }]);
  });
});

it("returns the same value if nothing has to change, and otherwise copies only the changed parts", () => {
  const same = { a: [1, "b", null, Number.NaN], c: { d: undefined } };
  expect(encodeAny(same)).toBe(same);
  const given = Object.freeze({ same, list: Object.freeze([at, same]) });
  const encoded = encodeAny(given) as { same: unknown; list: unknown[] };
  expect(encoded.same).toBe(same);
  expect(encoded.list).toEqual([time, same]);
  expect(encoded.list[1]).toBe(same);
  const shared = { at };
  expect(encodeAny([shared, shared])).toEqual([{ at: time }, { at: time }]);
});

it("leaves content and streams alone", () => {
  const block = text("hello");
  const stream = new Blob(["a"]).stream();
  const list = [block, stream];
  expect(encodeAny(list)).toBe(list);
});

describe("reports the place of", () => {
  const problemOf = (value: unknown): string => {
    try {
      encodeAny(value);
    } catch (error) {
      if (error instanceof CodecError) return `${error.pointer} ${error.message}`;
    }
    return "no error";
  };

  it("a cycle", () => {
    const node: { children: Map<string, unknown>; self?: unknown } = { children: new Map() };
    node.children.set("a/b", [new Set([node])]);
    expect(problemOf(node)).toBe("/children/a~1b/0/0 is a cycle: it refers to an object that contains it");
    const self = { toJSON: (): unknown => [self] };
    expect(problemOf({ self })).toMatch(/^(\/self|(\/0)+)/);
  });

  it("a value that is nested too deep", () => {
    const nested = (levels: number): unknown => (levels === 0 ? 1n : [nested(levels - 1)]);
    expect(problemOf(nested(500))).toBe("no error");
    expect(problemOf(nested(501))).toBe(`${"/0".repeat(500)} is nested more than 500 levels deep`);
  });

  it("a promise", () => {
    expect(problemOf({ later: Promise.resolve(1) })).toBe("/later is a promise; await it before you return it");
  });
});

it("changes no JSON", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (json) => {
      expect(encodeAny(json)).toBe(json);
    }),
  );
});

it("writes any value without losing a part of it", () => {
  const value = fc.anything({ withMap: true, withSet: true, withBigInt: true, withDate: true });
  fc.assert(
    fc.property(value, (given) => {
      const encoded = encodeAny(given);
      expect(countLeaves(encoded)).toBeGreaterThanOrEqual(countLeaves(given));
      expect(() => JSON.stringify(encoded)).not.toThrow();
    }),
  );

  /** The number of values in containers, at every level. */
  function countLeaves(of: unknown): number {
    if (typeof of !== "object" || of === null || of instanceof Date) return 1;
    const items = of instanceof Map ? [...of.values()] : of instanceof Set ? [...of] : Object.values(of);
    return items.reduce<number>((sum, item) => sum + countLeaves(item), 0);
  }
});
