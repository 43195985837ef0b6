import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { describe, expect, expectTypeOf, it } from "vitest";
import { UsageError } from "../../support/usage-error.ts";
import { compileJsonSchema } from "./compile.ts";
import type { JsonSchema } from "./types.ts";

function issues(schema: JsonSchema, value: unknown): string[] {
  const compiled = compileJsonSchema(schema);
  const found = compiled.issues(value).map(({ pointer, message }) => `${pointer}: ${message}`);
  expect(compiled.check(value)).toBe(found.length === 0);
  return found;
}

function rejection(schema: unknown): UsageError {
  try {
    compileJsonSchema(schema as JsonSchema);
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error("The schema was not rejected.");
}

const person = {
  type: "object",
  properties: {
    name: { type: "string" },
    age: { type: "integer", minimum: 0 },
    tags: { type: "array", items: { type: "string" } },
  },
  required: ["name"],
  additionalProperties: false,
} as const;

describe("Issues", () => {
  it("are empty for a value that matches", () => {
    expect(issues(person, { name: "Ann", age: 3, tags: ["a"] })).toEqual([]);
    expect(issues(person, { tags: [], name: "Ann" })).toEqual([]);
  });

  it("are all listed, each with its pointer", () => {
    expect(issues(person, { age: -1, tags: ["a", 1, null], extra: true })).toEqual([
      ': missing required property "name"',
      "/age: must be >= 0",
      "/tags/1: must be string",
      "/tags/2: must be string",
      "/extra: unknown property",
    ]);
  });

  it.each<[JsonSchema, unknown, string]>([
    [false, 1, ": is not allowed"],
    [{ type: ["string", "null"] }, 1, ": must be string or null"],
    [{ type: "integer", minimum: 0 }, 1.5, ": must be integer"],
    [{ enum: ["a", 1, null, [2]] }, "b", ': must be one of "a", 1, null, [2]'],
    [{ enum: [] }, "b", ": is not allowed"],
    [{ type: "string", enum: ["a", "b"] }, 1, ': must be one of "a", "b"'],
    [{ const: { a: 1 } }, {}, ': must be {"a":1}'],
    [{ minimum: 1 }, 0, ": must be >= 1"],
    [{ maximum: 1 }, 2, ": must be <= 1"],
    [{ exclusiveMinimum: 1 }, 1, ": must be > 1"],
    [{ exclusiveMaximum: 1 }, 1, ": must be < 1"],
    [{ multipleOf: 0.1 }, 0.25, ": must be a multiple of 0.1"],
    [{ maxLength: 2 }, "a😀b", ": must have at most 2 characters (has 3)"],
    [{ minLength: 4 }, "a😀b", ": must have at least 4 characters (has 3)"],
    [{ pattern: "^a" }, "b", ": must match the pattern ^a"],
    [{ format: "date" }, "2026-02-29", ': must be a valid date, for example "2026-01-31"'],
    [{ minItems: 2 }, [1], ": must have at least 2 items (has 1)"],
    [{ maxItems: 1 }, [1, 2], ": must have at most 1 item (has 2)"],
    [{ prefixItems: [true], items: false }, [1, 2, 3], ": must have at most 1 item (has 3)"],
    [
      { uniqueItems: true },
      [1, { a: 1, b: 2 }, { b: 2, a: 1 }],
      ": must not contain duplicate items (items 1 and 2 are equal)",
    ],
    [{ contains: { type: "string" } }, [1], ': must have at least 1 item matching "contains" (has 0)'],
    [
      { prefixItems: [{ type: "string" }], contains: { type: "number" } },
      [],
      ': must have at least 1 item matching "contains" (has 0)',
    ],
    [{ items: { contains: true } }, [[1], []], '/1: must have at least 1 item matching "contains" (has 0)'],
    [{ contains: true, maxContains: 1 }, [1, 2], ': must have at most 1 item matching "contains" (has 2)'],
    [{ minProperties: 1 }, {}, ": must have at least 1 property (has 0)"],
    [{ maxProperties: 0 }, { a: 1 }, ": must have at most 0 properties (has 1)"],
    [{ propertyNames: { maxLength: 1 } }, { ab: 1 }, "/ab: the property name must have at most 1 character (has 2)"],
    [{ dependentRequired: { a: ["b"] } }, { a: 1 }, ': missing property "b", which is required if "a" is present'],
    [{ patternProperties: { "^a": { type: "string" } } }, { ab: 1 }, "/ab: must be string"],
    [{ not: { type: "string" } }, "a", ': must not match the schema in "not"'],
    [
      { oneOf: [{ minimum: 1 }, { minimum: 2 }, { minimum: 9 }] },
      3,
      ": must match exactly one alternative (matched 2)",
    ],
    [{ if: { maximum: 5 }, else: { multipleOf: 5 } }, 6, ": must be a multiple of 5"],
  ])("of %j for %j name the expected value", (schema, value, message) => {
    expect(issues(schema, value)).toEqual([message]);
  });

  it("escape names in pointers, and truncate long names", () => {
    const name = "x".repeat(5_000);
    const schema = { additionalProperties: { type: "string" } };
    expect(issues(schema, { "a/b~c": 1, [name]: 1 })).toEqual([
      "/a~1b~0c: must be string",
      `/${"x".repeat(100)}…: must be string`,
    ]);
  });

  it("are at most 100, and a count of the others", () => {
    const found = issues({ items: { type: "string" } }, new Array(1_000).fill(1));
    expect(found).toHaveLength(101);
    expect(found.at(-1)).toBe(": 900 more issues are not listed");
  });

  it("truncate a long list of choices", () => {
    const [issue] = issues({ enum: Array.from({ length: 30 }, (_, i) => i) }, "x");
    expect(issue).toMatch(/^: must be one of 0, 1, .*, 19 \(or 10 more\)$/);
  });
});

describe("Alternatives", () => {
  it("are explained by the closest one with a matching type", () => {
    const schema = {
      anyOf: [
        { type: "string" },
        { type: "object", properties: { a: { type: "string" }, b: { type: "string" } }, required: ["a", "b"] },
        { type: "object", properties: { c: { type: "string" } }, required: ["c"] },
      ],
    };
    expect(issues(schema, { c: 1 })).toEqual([
      ": matches none of the 3 alternatives. Alternative 3 is the closest; its issues follow:",
      "/c: must be string",
    ]);
  });

  it("are explained by their types if no type matches", () => {
    expect(issues({ anyOf: [{ type: "string" }, { anyOf: [{ type: "null" }, { type: "number" }] }] }, true)).toEqual([
      ": must be string or null or number",
    ]);
  });

  const shape = {
    oneOf: [
      { $ref: "#/$defs/circle" },
      {
        type: "object",
        properties: { kind: { enum: ["square", "box"] }, side: { type: "number" } },
        required: ["kind", "side"],
      },
    ],
    $defs: {
      circle: {
        type: "object",
        properties: { kind: { const: "circle" }, radius: { type: "number" } },
        required: ["kind", "radius"],
      },
    },
  };

  it("with a discriminator are selected and explained by it", () => {
    expect(issues(shape, { kind: "circle", radius: 1 })).toEqual([]);
    expect(issues(shape, { kind: "box", side: 1 })).toEqual([]);
    expect(issues(shape, { kind: "circle" })).toEqual([': missing required property "radius"']);
    expect(issues(shape, { kind: "star" })).toEqual(['/kind: must be one of "circle", "square", "box"']);
    expect(issues(shape, {})).toEqual([': missing required property "kind"']);
    expect(issues(shape, [])).toEqual([": must be object"]);
  });

  it.each<[string, JsonSchema, unknown, boolean]>([
    ["the property is optional", alternatives({ required: [] }), { x: 1 }, false],
    ["other types are allowed", alternatives({ type: ["object", "string"] }), "a", false],
    ["two have the same value", { oneOf: [tagged("a"), tagged("a")] }, { kind: "a" }, false],
    ["a value is not a primitive", { oneOf: [tagged({ a: 1 }), tagged({ b: 1 })] }, { kind: { a: 1 } }, true],
  ])("are all tried if %s", (_case, schema, value, valid) => {
    expect(compileJsonSchema(schema).check(value)).toBe(valid);
  });

  function tagged(value: unknown, extra: object = {}): JsonSchema {
    return { type: "object", properties: { kind: { const: value } }, required: ["kind"], ...extra };
  }

  function alternatives(extra: object): JsonSchema {
    return { oneOf: [tagged("a", extra), tagged("b", extra)] };
  }
});

describe("Values", () => {
  it("are compared as JSON", () => {
    expect(issues({ const: 1 }, 1.0)).toEqual([]);
    expect(issues({ const: [0] }, [-0])).toEqual([]);
    expect(issues({ const: { a: [1, "1"], b: null } }, { b: null, a: [1, "1"] })).toEqual([]);
    expect(issues({ const: 1 }, true)).toHaveLength(1);
    expect(issues({ const: ["1"] }, [1])).toHaveLength(1);
    expect(issues({ const: { a: 1 } }, ["a", 1])).toHaveLength(1);
    expect(issues({ uniqueItems: true }, [1, "1", true, "true", [1], "[1]", { a: 1 }, '{"a":1}'])).toEqual([]);
  });

  it("that JSON cannot represent are not numbers", () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      expect(issues({ type: "number" }, value)).toEqual([": must be number"]);
      expect(issues({ type: "number", minimum: 0 }, value)).toEqual([": must be number"]);
    }
    expect(issues({ type: "number" }, 1n)).toEqual([": must be number"]);
  });

  it("that are undefined are absent, as in JSON", () => {
    expect(issues(person, { name: "Ann", age: undefined, extra: undefined })).toEqual([]);
    expect(issues(person, { name: undefined })).toEqual([': missing required property "name"']);
    expect(issues({ const: { a: 1 } }, { a: 1, b: undefined })).toEqual([]);
    expect(
      issues({ maxProperties: 0, propertyNames: false, dependentRequired: { a: ["b"] } }, { a: undefined }),
    ).toEqual([]);
  });

  it("may have their properties in any order", () => {
    expect(issues(person, { tags: [], age: 1, name: "Ann" })).toEqual([]);
    expect(
      issues({ ...person, additionalProperties: true }, { x: 1, tags: [], y: 2, age: 1, z: 3, name: "Ann" }),
    ).toEqual([]);
  });
});

describe("References", () => {
  it("resolve to pointers and anchors, with siblings", () => {
    const schema = {
      properties: { a: { $ref: "#/$defs/x~1%25" }, b: { $ref: "#name", maximum: 5 }, c: { $ref: "#/properties/a" } },
      $defs: { "x/%": { type: "integer" }, y: { $anchor: "name", type: "number" } },
    };
    expect(issues(schema, { a: 1, b: 4.5, c: 2 })).toEqual([]);
    expect(issues(schema, { a: "", b: 6, c: 0.5 })).toEqual([
      "/a: must be integer",
      "/b: must be <= 5",
      "/c: must be integer",
    ]);
  });

  it("may be recursive if they apply to a part of the value", () => {
    const tree = {
      type: "object",
      properties: { children: { type: "array", items: { $ref: "#" } } },
      required: ["children"],
    };
    expect(issues(tree, { children: [{ children: [] }, { children: [{}] }] })).toEqual([
      '/children/1/children/0: missing required property "children"',
    ]);
  });

  it.each<[JsonSchema]>([
    [{ $ref: "#" }],
    [{ $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { allOf: [{ not: { $ref: "#/$defs/a" } }] } } }],
    [{ $defs: { a: { if: { dependentSchemas: { x: { $ref: "#/$defs/a" } } } } } }],
  ])("that form a cycle for the same value are rejected: %j", (schema) => {
    expect(rejection(schema).message).toMatch(/refers to itself for the same value/);
  });

  it("to other documents are rejected and not fetched", () => {
    for (const $ref of ["http://169.254.169.254/x", "file:///etc/passwd", "other.json", "urn:x#/$defs/a"]) {
      const error = rejection({ items: { $ref } });
      expect(error.code).toBe("unsupported_keyword");
      expect(error.message).toContain(`#/items/$ref is "${$ref}", which is outside this schema and is never fetched`);
    }
  });

  it("without a target are rejected", () => {
    for (const $ref of ["#/$defs/none", "#none", "#/enum/0", "#/default", "#%", "#/properties/__proto__"]) {
      const error = rejection({ enum: [{}], default: {}, properties: {}, items: { $ref } });
      expect(error.code).toBe("bad_schema");
      expect(error.message).toContain("but the target does not exist");
    }
  });
});

describe("A schema", () => {
  it("may be a TypeScript constant", () => {
    expectTypeOf(person).toExtend<JsonSchema>();
    expectTypeOf({ type: "object", properties: { a: { type: "string" } }, "x-own": 1 }).toExtend<JsonSchema>();
  });

  it("may have annotations and vendor keywords", () => {
    const schema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $id: "https://example.com/schema",
      $comment: "",
      ...{ title: "", description: "", default: 1, examples: [1], deprecated: true, readOnly: true, writeOnly: false },
      ...{ contentEncoding: "base64", contentMediaType: "image/png", contentSchema: { type: "nonsense" } },
      ...{ "x-mcp-header": "Region", format: "unheard-of", "x-absent": undefined },
      type: "integer",
    };
    expect(issues(schema, 1)).toEqual([]);
  });

  it.each([
    ["unevaluatedProperties", { properties: { "a/b": { unevaluatedProperties: false } } }, "#/properties/a~1b"],
    ["unevaluatedItems", { unevaluatedItems: false }, "#"],
    ["$dynamicRef", { items: { $dynamicRef: "#a" } }, "#/items"],
    ["$dynamicAnchor", { $dynamicAnchor: "a" }, "#"],
    ["$vocabulary", { $vocabulary: {} }, "#"],
    ["$recursiveRef", { $recursiveRef: "#" }, "#"],
    ["$id", { $defs: { a: { $id: "a" } } }, "#/$defs/a"],
    ["nullable", { anyOf: [{ nullable: true }] }, "#/anyOf/0"],
    ["toString", { toString: 1 }, "#"],
    ["__proto__", JSON.parse('{"__proto__":{"type":"string"}}'), "#"],
  ])("with %s is rejected, with its pointer and the remedy", (keyword, schema, place) => {
    const { code, message } = rejection(schema);
    expect(code).toBe("unsupported_keyword");
    expect(message).toContain(`${place} has the keyword "${keyword}"`);
    expect(message).toContain('ajvSchema(…) from "proffer/ajv"');
  });

  it("of another dialect is rejected", () => {
    const { code, message } = rejection({ $schema: "http://json-schema.org/draft-07/schema#" });
    expect(code).toBe("unsupported_keyword");
    expect(message).toContain("only JSON Schema 2020-12 is supported");
  });

  it.each([
    [null, "# must be a schema"],
    [{ items: [] }, "#/items must be a schema"],
    [{ properties: { a: "string" } }, '#/properties/a must be a schema (an object or a boolean), not "string"'],
    [{ required: "a" }, '#/required must be an array of strings, not "a"'],
    [{ required: [1] }, "#/required must be an array of strings, not an array of other values"],
    [{ minimum: "1" }, '#/minimum must be a finite number, not "1"'],
    [{ maximum: Number.NaN }, "#/maximum must be a finite number, not NaN"],
    [{ multipleOf: 0 }, "#/multipleOf must be a number above 0, not 0"],
    [{ minLength: -1 }, "#/minLength must be an integer of at least 0, not -1"],
    [{ maxItems: 1.5 }, "#/maxItems must be an integer of at least 0, not 1.5"],
    [
      { type: "strnig" },
      '#/type must be one of string, number, integer, boolean, null, array, object, or an array of them, not "strnig"',
    ],
    [{ type: [] }, "#/type must be one of"],
    [{ enum: "a" }, '#/enum must be an array, not "a"'],
    [{ anyOf: [] }, "#/anyOf must be a non-empty array of schemas, not an empty array"],
    [{ anyOf: {} }, "#/anyOf must be a non-empty array of schemas, not an object"],
    [{ properties: [] }, "#/properties must be an object of schemas, not an empty array"],
    [{ dependentRequired: { a: "b" } }, "#/dependentRequired must be an object of arrays of strings"],
    [{ uniqueItems: 1 }, "#/uniqueItems must be a boolean, not 1"],
    [{ $ref: 1 }, "#/$ref must be a string, not 1"],
    [{ pattern: "(" }, "#/pattern is not a valid regular expression"],
    [{ patternProperties: { "(": true } }, "#/patternProperties/( is not a valid regular expression"],
    [{ $defs: { a: { $anchor: "x" }, b: { $anchor: "x" } } }, '#/$defs/b/$anchor repeats the anchor "x"'],
  ])("that is malformed is rejected: %j", (schema, message) => {
    const error = rejection(schema);
    expect(error.code).toBe("bad_schema");
    expect(error.message).toContain(message);
  });

  it("with a pattern that no automaton matches is rejected, unless it has unsafePattern", () => {
    const source = String.raw`^(a+)\1$`;
    for (const schema of [{ pattern: source }, { patternProperties: { [source]: true } }]) {
      const { code, message } = rejection({ items: schema });
      expect(code).toBe("unsafe_pattern");
      expect(message).toMatch(/#\/items\/pattern.*\(a\+\)\\1.*has the back reference \\1.*"unsafePattern": true/);
      expect(compileJsonSchema({ ...schema, unsafePattern: true }).check("aa")).toBe(true);
    }
  });

  it("with a pattern for which an engine takes exponential time is matched in linear time", () => {
    const compiled = compileJsonSchema({ pattern: "^(a+)+$" });
    expect(compiled.check("a".repeat(10_000))).toBe(true);
    expect(compiled.check(`${"a".repeat(10_000)}!`)).toBe(false);
  });

  it("is compiled when a value is checked for the first time", () => {
    let reads = 0;
    const colors = new Proxy(["red", "green"], {
      get(list, key, receiver) {
        reads++;
        return Reflect.get(list, key, receiver);
      },
    });
    const { check } = compileJsonSchema({ type: "object", properties: { color: { enum: colors } } });
    expect(reads).toBe(0);
    expect(check({ color: "red" })).toBe(true);
    expect(reads).toBeGreaterThan(0);
  });

  it.each(["pattern", "patternProperties"])("with an unusable %s deep inside is rejected at once", (keyword) => {
    const value = keyword === "pattern" ? "(" : { "(": true };
    expect(rejection({ properties: { list: { items: { anyOf: [{ [keyword]: value }] } } } }).code).toBe("bad_schema");
  });
});

describe("The validator", () => {
  it("works if code generation from strings is disabled", () => {
    const source = fileURLToPath(new URL("./compile.ts", import.meta.url));
    const { outputFiles } = buildSync({
      entryPoints: [source],
      bundle: true,
      format: "esm",
      platform: "neutral",
      write: false,
    });
    const program = `${outputFiles[0]?.text}
      const { check } = compileJsonSchema({ properties: { a: { pattern: "^a+$" } }, required: ["a"] });
      process.stdout.write(JSON.stringify([check({ a: "aa" }), check({ a: "b" }), check({})]));`;
    const flags = ["--disallow-code-generation-from-strings", "--input-type=module"];
    expect(execFileSync(process.execPath, flags, { input: program, encoding: "utf8" })).toBe("[true,false,false]");
  });
});
