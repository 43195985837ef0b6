import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scan } from "./scan.ts";

const count = (text: string, maxDepth = 64, maxItems = 1_000_000) => {
  const { tooDeep: _, tooMany: __, ...counts } = scan(text, maxDepth, maxItems);
  return counts;
};

/** The key counts after JSON.parse; duplicate keys are not generated. */
function expected(value: unknown): ReturnType<typeof count> {
  const keys = (object: unknown) => (isPlain(object) ? Object.keys(object).length : 0);
  const messages = Array.isArray(value) ? value : [value];
  const sum = (count: (message: unknown) => number) => messages.reduce<number>((all, one) => all + count(one), 0);
  const params = (message: unknown) => (isPlain(message) ? message.params : undefined);
  const inParams = (message: unknown, key: string) => {
    const object = params(message);
    return isPlain(object) ? keys(object[key]) : 0;
  };
  return {
    envelopeKeys: sum(keys),
    paramsKeys: sum((message) => keys(params(message))),
    metaKeys: sum((message) => inParams(message, "_meta")),
    argumentsKeys: sum((message) => inParams(message, "arguments")),
  };
}

type Plain = { readonly [key: string]: unknown };

function isPlain(value: unknown): value is Plain {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The total number of keys and elements; an empty object or list counts as one. */
function itemsOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const inside = Object.values(value);
  return inside.reduce<number>((sum, each) => sum + itemsOf(each), Math.max(1, inside.length));
}

/** Writes every character of a key as an escape. */
function escapeKeys(json: string): string {
  return json.replace(/"(params|_meta|arguments)":/g, (_, name: string) => {
    const escaped = [...name].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
    return `"${escaped}":`;
  });
}

describe("scan", () => {
  it("counts keys as they are written, in the envelope, in params, params._meta and params.arguments", () => {
    const params = '{"b":1,"b":1,"b":1,"_meta":{"c":1,"c":2,"d":{"e":1}},"arguments":{"f":[{"g":1}],"f":1}}';
    const text = `{"a":1,"a":2,"params":${params}}`;
    expect(count(text)).toEqual({ envelopeKeys: 3, paramsKeys: 5, metaKeys: 3, argumentsKeys: 2 });
  });

  it("does not count keys of other objects named params or _meta", () => {
    const text = '{"result":{"params":{"x":1}},"params":[{"_meta":{"y":1}}],"s":"\\"params\\":{\\"z\\":1}"}';
    expect(count(text)).toEqual({ envelopeKeys: 3, paramsKeys: 0, metaKeys: 0, argumentsKeys: 0 });
  });

  it("agrees with JSON.parse on any JSON, with any whitespace and escapes", () => {
    const key = fc.oneof(fc.constantFrom("params", "_meta", "arguments", "__proto__", "id"), fc.string());
    const leaf = fc.oneof(fc.string({ unit: "binary" }), fc.string({ minLength: 60, maxLength: 90 }), fc.integer());
    const { object } = fc.letrec<{ object: Plain; value: unknown }>((tie) => ({
      object: fc.dictionary(key, tie("value"), { maxKeys: 4 }),
      value: fc.oneof({ depthSize: "small" }, leaf, tie("object"), fc.array(tie("value"), { maxLength: 3 })),
    }));
    const message = fc
      .tuple(object, object, object)
      .map(([envelope, params, _meta]) => ({ ...envelope, params: { ...params, _meta } }));
    const texts = fc.oneof(message, fc.array(message, { maxLength: 3 }), object);
    fc.assert(
      fc.property(texts, fc.constantFrom(0, 2), fc.boolean(), fc.boolean(), (value, indent, escaped, long) => {
        // Long texts take another code path than short ones.
        const json = JSON.stringify(value, null, indent) + (long ? " ".repeat(17_000) : "");
        expect(count(escaped ? escapeKeys(json) : json, 1000)).toEqual(expected(JSON.parse(json)));
      }),
      { numRuns: 500 },
    );
  });

  it("finds the end of long strings with quotes and backslashes in them", () => {
    const strings = fc
      .array(fc.constantFrom("\\", '"', "x".repeat(40), "\\\\", "\u2028"))
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(strings, strings, (key, value) => {
        const text = JSON.stringify({ [key]: value, after: 1 });
        expect(count(text).envelopeKeys).toBe(Object.keys(JSON.parse(text)).length);
      }),
      { numRuns: 1_000 },
    );
  });

  it("reports too many items above the limit only", () => {
    const items = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        fc.string(),
        fc.integer(),
        fc.array(tie("value"), { maxLength: 9 }),
        fc.dictionary(fc.string(), tie("value"), { maxKeys: 9 }),
      ),
    })).value;
    fc.assert(
      fc.property(items, (value) => {
        const json = JSON.stringify(value);
        const size = itemsOf(JSON.parse(json));
        expect(scan(json, 1000, size).tooMany).toBe(false);
        if (size > 0) expect(scan(json, 1000, size - 1).tooMany).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("never throws on text that is not JSON", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("{", "}", "[", "]", '"', ":", ",", "\\", "params", " ")), (parts) => {
        expect(() => scan(parts.join(""), 64, 1_000_000)).not.toThrow();
      }),
    );
  });
});
