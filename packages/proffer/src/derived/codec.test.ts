import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decode, encode } from "./codec.ts";
import { CodecError } from "./codec-text.ts";
import type { Codec, Plan } from "./manifest.ts";

function pointerOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof CodecError) return `${error.pointer} ${error.message}`;
    throw error;
  }
  return "no error";
}

const DATE: Plan = { kind: "date" };

describe("text", () => {
  const cases: [Plan, unknown, string][] = [
    [DATE, new Date(0), "1970-01-01T00:00:00.000Z"],
    [{ kind: "url" }, new URL("https://example.org/a?b#c"), "https://example.org/a?b#c"],
    [{ kind: "bytes" }, new Uint8Array([1, 2, 255]), "AQL/"],
    [{ kind: "buffer" }, Buffer.from("héllo"), "aMOpbGxv"],
    [{ kind: "bigint" }, -12345678901234567890n, "-12345678901234567890"],
  ];

  test.each(cases)("%j is encoded and decoded", (plan, value, text) => {
    expect(encode({ plan }, value)).toBe(text);
    expect(decode({ plan }, text)).toEqual(value);
  });

  test("bytes are a plain Uint8Array without shared memory, and a Buffer is a Buffer", () => {
    const bytes = decode({ plan: { kind: "bytes" } }, "AQID") as Uint8Array;
    expect(bytes.constructor).toBe(Uint8Array);
    expect(bytes.buffer.byteLength).toBe(3);
    expect(Buffer.isBuffer(decode({ plan: { kind: "buffer" } }, "AQID"))).toBe(true);
  });

  test.each([
    ["date", "tomorrow"],
    ["date", "2026-02-31T99:00:00Z"],
    ["url", "/relative"],
    ["bytes", "A"],
    ["bytes", "AQI*"],
    ["bytes", "AQ=I"],
    ["bigint", "1.5"],
    ["bigint", ""],
    ["bigint", "0x10"],
    ["bigint", "9".repeat(10_001)],
  ] as const)("rejects a %s with the text %j", (kind, text) => {
    expect(() => decode({ plan: { kind } }, text)).toThrow(CodecError);
  });

  test("rejects an invalid Date when encoding", () => {
    expect(() => encode({ plan: DATE }, new Date(Number.NaN))).toThrow(CodecError);
  });

  test("leaves values of other types to the schema", () => {
    for (const value of [null, 5, true, [], {}]) {
      expect(decode({ plan: DATE }, value)).toBe(value);
      expect(encode({ plan: DATE }, value)).toBe(value);
    }
  });
});

describe("containers", () => {
  const codec: Codec = {
    plan: {
      kind: "object",
      properties: {
        at: DATE,
        list: { kind: "array", items: DATE },
        pair: { kind: "tuple", items: [null, DATE], rest: { kind: "bigint" } },
        set: { kind: "set", items: DATE },
        plainSet: { kind: "set" },
        map: { kind: "map", values: DATE },
        entries: { kind: "entries", keys: DATE, values: { kind: "bigint" } },
      },
      rest: { kind: "url" },
    },
  };
  const at = new Date(1e12);
  const text = at.toISOString();
  const value = {
    at,
    list: [at, at],
    pair: ["a", at, 1n, 2n],
    set: new Set([at]),
    plainSet: new Set(["a"]),
    map: new Map([["k", at]]),
    entries: new Map([[at, 5n]]),
    other: new URL("https://example.org/"),
  };
  const json = {
    at: text,
    list: [text, text],
    pair: ["a", text, "1", "2"],
    set: [text],
    plainSet: ["a"],
    map: { k: text },
    entries: [[text, "5"]],
    other: "https://example.org/",
  };

  test("are converted both ways", () => {
    expect(encode(codec, value)).toEqual(json);
    expect(decode(codec, json)).toEqual(value);
  });

  test("are copied only where needed, and never mutated", () => {
    const untouched = { deep: true };
    const given = { at: text, untouched };
    const plan: Plan = { kind: "object", properties: { at: DATE } };
    const decoded = decode({ plan }, Object.freeze(given)) as typeof given;
    expect(decoded.untouched).toBe(untouched);
    expect(given.at).toBe(text);
  });

  test("keep absent properties absent", () => {
    expect(decode(codec, {})).toEqual({});
    expect(Object.keys(encode(codec, { at: undefined }) as object)).toEqual(["at"]);
  });

  test("treat names of Object.prototype like any other name", () => {
    const hostile = JSON.parse(`{ "__proto__": "${text}", "constructor": "${text}" }`);
    const byRest = decode({ plan: { kind: "object", rest: DATE } }, hostile) as object;
    expect(Object.getPrototypeOf(byRest)).toBe(Object.prototype);
    expect(Object.entries(byRest)).toEqual([
      ["__proto__", at],
      ["constructor", at],
    ]);
    expect(decode({ plan: { kind: "object", properties: { toString: DATE } } }, {})).toEqual({});
    const map = decode({ plan: { kind: "map" } }, hostile) as Map<string, string>;
    expect([...map.keys()]).toEqual(["__proto__", "constructor"]);
    expect(Object.keys(encode({ plan: { kind: "map" } }, map) as object)).toEqual(["__proto__", "constructor"]);
  });

  test("report the pointer of an error", () => {
    expect(pointerOf(() => decode(codec, { list: [text, "never"] }))).toMatch(/^\/list\/1 must be a valid date/);
    expect(pointerOf(() => decode(codec, { entries: [[text, "x"]] }))).toMatch(/^\/entries\/0\/1 must be an integer/);
    expect(pointerOf(() => decode(codec, { entries: ["x"] }))).toMatch(/^\/entries\/0 must be a pair/);
    expect(pointerOf(() => decode(codec, { map: { "a/b~c": "x" } }))).toMatch(/^\/map\/a~1b~0c must be a valid date/);
    expect(pointerOf(() => encode(codec, { set: new Set([new Date(Number.NaN)]) }))).toMatch(
      /^\/set\/0 is an invalid Date/,
    );
  });
});

describe("unions", () => {
  test("distinguish text by its format, and keep listed strings", () => {
    const plan: Plan = {
      kind: "union",
      options: [{ plan: DATE }, { plan: { kind: "url" } }, { plan: { kind: "bigint" } }],
      keep: ["now"],
    };
    expect(decode({ plan }, "2026-01-01T00:00:00Z")).toBeInstanceOf(Date);
    expect(decode({ plan }, "https://example.org")).toBeInstanceOf(URL);
    expect(decode({ plan }, "2026")).toBe(2026n);
    expect(decode({ plan }, "now")).toBe("now");
    expect(decode({ plan }, 5)).toBe(5);
    expect(encode({ plan }, new Date(0))).toBe("1970-01-01T00:00:00.000Z");
    expect(encode({ plan }, "now")).toBe("now");
  });

  test("distinguish objects by a discriminator", () => {
    const plan: Plan = {
      kind: "union",
      options: [
        { plan: { kind: "object", properties: { at: DATE } }, when: { property: "kind", values: ["at", 1] } },
        { plan: { kind: "object", properties: { at: { kind: "url" } } }, when: { property: "kind", values: ["link"] } },
      ],
    };
    expect(decode({ plan }, { kind: 1, at: "1970-01-01T00:00:00Z" })).toEqual({ kind: 1, at: new Date(0) });
    expect(decode({ plan }, { kind: "link", at: "a:b" })).toEqual({ kind: "link", at: new URL("a:b") });
    expect(decode({ plan }, { kind: "other", at: "x" })).toEqual({ kind: "other", at: "x" });
  });

  test("distinguish the author's values by class", () => {
    const plan: Plan = {
      kind: "union",
      options: [
        { plan: { kind: "map" } },
        { plan: { kind: "set" } },
        { plan: { kind: "array", items: DATE } },
        { plan: { kind: "object", properties: { x: DATE } } },
        { plan: { kind: "bytes" } },
      ],
    };
    const time = "1970-01-01T00:00:00.000Z";
    expect(encode({ plan }, new Map([["a", 1]]))).toEqual({ a: 1 });
    expect(encode({ plan }, new Set([1]))).toEqual([1]);
    expect(encode({ plan }, [new Date(0)])).toEqual([time]);
    expect(encode({ plan }, { x: new Date(0) })).toEqual({ x: time });
    expect(encode({ plan }, new Uint8Array(1))).toBe("AA==");
  });
});

describe("results", () => {
  class Price {
    toJSON(): { digits: string; at: Date } {
      return { digits: "1", at: new Date(0) };
    }
  }
  const price: Plan = { kind: "json", value: { kind: "object", properties: { at: DATE } } };
  const written = { digits: "1", at: "1970-01-01T00:00:00.000Z" };

  test("write undefined elements and holes as null where the plan says so", () => {
    // biome-ignore lint/suspicious/noSparseArray: the subject
    const list = ["a", undefined, , "b"];
    expect(encode({ plan: { kind: "array", items: { kind: "nullable" } } }, list)).toEqual(["a", null, null, "b"]);
    const dates: Plan = { kind: "tuple", items: [null], rest: { kind: "nullable", value: DATE } };
    expect(encode({ plan: dates }, ["a", undefined, new Date(0)])).toEqual(["a", null, "1970-01-01T00:00:00.000Z"]);
  });

  test("write errors by name and message", () => {
    const plan: Plan = { kind: "array", items: { kind: "error" } };
    expect(encode({ plan }, [new RangeError("far"), "near"])).toEqual([{ name: "RangeError", message: "far" }, "near"]);
  });

  test("write the value of toJSON by its own plan", () => {
    expect(encode({ plan: price }, new Price())).toEqual(written);
    expect(encode({ plan: { kind: "json" } }, { toJSON: () => "1.50" })).toBe("1.50");
    expect(encode({ plan: price }, null)).toBeNull();
  });

  test("write parts without a type by their class", () => {
    const plan: Plan = { kind: "object", properties: { any: { kind: "any" } } };
    expect(encode({ plan }, { any: new Map([["a", 1n]]), set: new Set([1]) })).toEqual({
      any: { a: "1" },
      set: new Set([1]),
    });
  });

  test("distinguish errors and toJSON from other objects", () => {
    const plan: Plan = {
      kind: "union",
      options: [{ plan: { kind: "object", properties: { at: DATE } } }, { plan: { kind: "error" } }],
    };
    expect(encode({ plan }, new Error("no"))).toEqual({ name: "Error", message: "no" });
    const either: Plan = { kind: "union", options: [{ plan: DATE }, { plan: { kind: "set" } }, { plan: price }] };
    expect(encode({ plan: either }, new Date(0))).toBe("1970-01-01T00:00:00.000Z");
    expect(encode({ plan: either }, new Price())).toEqual(written);
  });

  test("report a cycle instead of exhausting the stack", () => {
    const tree: Plan = { kind: "object", properties: { at: DATE, next: { kind: "ref", name: "Tree" } } };
    const node: { at: Date; next?: unknown } = { at: new Date(0) };
    node.next = node;
    const run = () => encode({ plan: tree, defs: { Tree: tree } }, node);
    expect(run).toThrow(CodecError);
    expect(run).toThrow("contains a cycle, or is nested too deep");
  });
});

describe("recursion", () => {
  const codec: Codec = {
    plan: { kind: "ref", name: "Tree" },
    defs: {
      Tree: {
        kind: "object",
        properties: { at: DATE, children: { kind: "array", items: { kind: "ref", name: "Tree" } } },
      },
    },
  };

  test("resolves references in the codec's defs", () => {
    const tree = { at: new Date(0), children: [{ at: new Date(1), children: [] }] };
    expect(decode(codec, encode(codec, tree))).toEqual(tree);
  });

  test("throws a TypeError for an unknown reference", () => {
    expect(() => decode({ plan: { kind: "ref", name: "toString" } }, {})).toThrow(/no plan named "toString"/);
  });
});

describe("any plan", () => {
  const { pair } = fc.letrec<{ pair: [Plan, unknown] }>((tie) => {
    const leaf = fc.oneof(
      fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((v): [Plan, unknown] => [DATE, v]),
      fc.webUrl().map((v): [Plan, unknown] => [{ kind: "url" }, new URL(v)]),
      fc.uint8Array().map((v): [Plan, unknown] => [{ kind: "bytes" }, v]),
      fc.bigInt().map((v): [Plan, unknown] => [{ kind: "bigint" }, v]),
    );
    const inner = tie("pair") as fc.Arbitrary<[Plan, unknown]>;
    return {
      pair: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        leaf,
        inner.map(([plan, v]): [Plan, unknown] => [{ kind: "array", items: plan }, [v, v]]),
        inner.map(([plan, v]): [Plan, unknown] => [{ kind: "set", items: plan }, new Set([v])]),
        fc
          .tuple(fc.string(), inner)
          .map(([k, [plan, v]]): [Plan, unknown] => [{ kind: "map", values: plan }, new Map([[k, v]])]),
        fc
          .tuple(inner, inner)
          .map(([[p, v], [q, w]]): [Plan, unknown] => [{ kind: "entries", keys: p, values: q }, new Map([[v, w]])]),
        fc.tuple(fc.string(), inner, fc.jsonValue()).map(([k, [plan, v], other]): [Plan, unknown] => [
          { kind: "object", properties: Object.fromEntries([[k, plan]]) },
          Object.fromEntries([
            [k, v],
            [`${k}+`, other],
          ]),
        ]),
      ),
    };
  });

  test("encodes to JSON and decodes to the same value", () => {
    fc.assert(
      fc.property(pair, ([plan, value]) => {
        const written = JSON.parse(JSON.stringify(encode({ plan }, value)));
        expect(decode({ plan }, written)).toEqual(normalized(value));
      }),
    );
  });

  test("decodes any JSON, or rejects it with a pointer", () => {
    fc.assert(
      fc.property(pair, fc.jsonValue(), ([plan], json) => {
        expect(pointerOf(() => decode({ plan }, json))).toMatch(/^(no error|(\/.*)? must )/s);
      }),
    );
  });

  /** Replaces -0, which JSON does not have. */
  function normalized(value: unknown): unknown {
    if (Object.is(value, -0)) return 0;
    if (Array.isArray(value)) return value.map(normalized);
    if (value instanceof Set) return new Set([...value].map(normalized));
    if (value instanceof Map) return new Map([...value].map(([k, v]) => [normalized(k), normalized(v)]));
    if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, normalized(v)]));
  }
});
