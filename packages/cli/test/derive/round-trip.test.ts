import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { decode, encode } from "proffer/derived";
import { afterAll, describe, expect, test } from "vitest";
import { createDeriver } from "../../src/derive/deriver.ts";
import { createWorkspace } from "./workspace.ts";

/** Types with sample values. */
const cases: [name: string, type: string, values: unknown[]][] = [
  ["plain", "{ a: string; b?: number[] }", [{ a: "" }, { a: "x", b: [1] }]],
  ["date", "Date", [new Date(0)]],
  ["nullable", "Date | null", [new Date(0), null]],
  ["url", "URL", [new URL("https://example.org/?q=1")]],
  ["bytes", "Uint8Array", [new Uint8Array(), new Uint8Array([0, 255])]],
  ["buffer", "Buffer", [Buffer.from("bytes")]],
  ["bigint", "bigint", [0n, -(2n ** 100n)]],
  ["set", "Set<Date>", [new Set(), new Set([new Date(0), new Date(1)])]],
  ["map", "Map<string, Set<bigint>>", [new Map([["__proto__", new Set([1n])]])]],
  ["keyed", 'Map<"a" | "b", number>', [new Map([["a", 1]])]],
  ["entries", "Map<Date, { at: Date }>", [new Map([[new Date(0), { at: new Date(1) }]])]],
  ["tuple", "[string, Date?, ...bigint[]]", [["a"], ["a", new Date(0)], ["a", new Date(0), 1n, 2n]]],
  ["subtypes", "{ days: Days; index: Index<Date> }", [{ days: [new Date(0)], index: new Map([["a", new Date(1)]]) }]],
  ["json", "JsonValue", [null, 1, ["a", [true, { b: [] }]]]],
  ["record", "{ id: string; [key: string]: string | { at: Date } }", [{ id: "a", b: { at: new Date(0) } }]],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a type
  ["patterns", "{ [key: `d-${string}`]: Date; [key: `n-${string}`]: number }", [{ "d-a": new Date(0), "n-a": 1 }]],
  ["text", 'Date | URL | bigint | "now"', [new Date(0), new URL("a:b"), 5n, "now"]],
  ["classes", "Date | number | Set<string> | { at: Date }", [new Date(0), 5, new Set(["a"]), { at: new Date(0) }]],
  [
    "discriminated",
    '{ kind: "at"; when: Date } | { kind: "at2"; when: URL } | { kind: "text"; when: string }',
    [
      { kind: "at", when: new Date(0) },
      { kind: "at2", when: new URL("a:b") },
      { kind: "text", when: "2026-01-01T00:00:00Z" },
    ],
  ],
  [
    "oneof",
    '{ case: "a"; value: Date } | { case: "b"; value: Uint8Array } | { case: undefined; value?: undefined }',
    [{ case: "a", value: new Date(0) }, { case: "b", value: new Uint8Array([1]) }, {}],
  ],
  ["recursive", "Tree", [{ at: new Date(0), children: [{ at: new Date(1) }] }]],
  ["chained", "Chain", [["a"], [new Date(0), ["b", [new Date(1)]]]]],
];

const source = `
  interface Tree { at: Date; children?: Tree[] }
  interface Days extends ReadonlyArray<Date> {}
  interface Index<Value> extends Map<string, Value> {}
  interface JsonArray extends Array<JsonValue> {}
  type JsonValue = string | number | boolean | { [Key in string]?: JsonValue } | JsonArray | null;
  type Chain = [value: Date | "a" | "b", next?: Chain];
  ${cases.map(([name, type]) => `/** Same. */ export function ${name}(value: ${type}): ${type} { return value; }`).join("\n")}
`;

const workspace = createWorkspace();
workspace.write({ "input.ts": source });
const { tools, diagnostics } = createDeriver(workspace.path("input.ts")).derive();

afterAll(() => workspace.remove());

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);

test("every type can be derived", () => {
  expect(diagnostics.filter(({ severity }) => severity !== "note")).toEqual([]);
  expect(tools).toHaveLength(cases.length);
});

describe.each(cases)("%s", (name, _type, values) => {
  const tool = tools.find((each) => each.name === name);

  test("encodes to values that match its schemas, and decodes to equal values", () => {
    if (tool?.outputSchema === undefined) throw new Error(`${name} has no output schema`);
    const { binding } = tool;
    const input = ajv.compile(tool.inputSchema);
    const output = ajv.compile(tool.outputSchema);
    for (const value of values) {
      const written = binding.result.encode ? encode(binding.result.encode, value) : value;
      const json = JSON.parse(JSON.stringify(written));
      expect(output(json), ajv.errorsText(output.errors)).toBe(true);
      expect(input({ value: json }), ajv.errorsText(input.errors)).toBe(true);
      const args = binding.decode ? decode(binding.decode, { value: json }) : { value: json };
      expect(args).toEqual({ value });
    }
  });
});
