import type { JsonSchemaObject } from "proffer";
import { describe, expect, it } from "vitest";
import { compareLocks } from "./compare-locks.ts";
import { LOCK_VERSION, type Lock, type LockedItem } from "./lock-file.ts";

type Properties = NonNullable<JsonSchemaObject["properties"]>;

const EMPTY: Lock = {
  lockVersion: LOCK_VERSION,
  module: "a.ts",
  tools: {},
  prompts: {},
  resources: {},
  resourceTemplates: {},
};

/** Compares two versions of one tool, and returns each change as `level: message`. */
function compare(before: LockedItem, after: LockedItem): string[] {
  const changes = compareLocks({ ...EMPTY, tools: { find: before } }, { ...EMPTY, tools: { find: after } });
  return changes.map(({ level, message }) => `${level}: ${message}`);
}

function closed(properties: Properties, required: readonly string[] = []): JsonSchemaObject {
  return { type: "object", properties, required, additionalProperties: false };
}

function open(properties: Properties, required: readonly string[] = []): JsonSchemaObject {
  return { type: "object", properties, required };
}

const REFUSED = "Clients of 2026-07-28 that do not support tasks are refused.";
const text = { type: "string" } as const;
const node = (more: Properties = {}) => ({
  ...closed({ tree: { $ref: "#/$defs/Node" } }),
  $defs: { Node: closed({ children: { type: "array", items: { $ref: "#/$defs/Node" } }, ...more }, ["children"]) },
});

const INPUTS: readonly (readonly [string, JsonSchemaObject, JsonSchemaObject, readonly string[]])[] = [
  ["the same", closed({ a: text }), closed({ a: text }), []],
  ["a new optional parameter", closed({}), closed({ a: text }), ["new: Parameter a is new."]],
  ["a new required parameter", closed({}), closed({ a: text }, ["a"]), ["break: Parameter a is new and required."]],
  [
    "a parameter that became required",
    closed({ a: text }),
    closed({ a: text }, ["a"]),
    ["break: Parameter a became required."],
  ],
  [
    "a parameter that became optional",
    closed({ a: text }, ["a"]),
    closed({ a: text }),
    ["changed: The input accepts more."],
  ],
  ["a parameter that is gone", closed({ a: text }), closed({}), ["break: Parameter a is gone."]],
  [
    "a parameter that an open schema no longer names",
    open({ a: text }),
    open({}),
    ["caution: Parameter a is gone, and ignored if it is sent."],
  ],
  [
    "a new parameter of an open schema",
    open({}),
    open({ a: text }),
    ["caution: Parameter a is new. Callers that already sent another value under this name are refused."],
  ],
  [
    "an input that became closed",
    open({}),
    closed({}),
    ["break: The input no longer accepts properties that it does not name."],
  ],
  [
    "a narrower type",
    closed({ a: { type: ["string", "null"] } }),
    closed({ a: text }),
    ["break: Parameter a accepts less."],
  ],
  [
    "a wider type",
    closed({ a: text }),
    closed({ a: { anyOf: [text, { type: "null" }] } }),
    ["changed: The input accepts more."],
  ],
  [
    "number instead of integer",
    closed({ a: { type: "integer" } }),
    closed({ a: { type: "number" } }),
    ["changed: The input accepts more."],
  ],
  [
    "integer instead of number",
    closed({ a: { type: "number" } }),
    closed({ a: { type: "integer" } }),
    ["break: Parameter a accepts less."],
  ],
  [
    "a value less",
    closed({ a: { enum: ["x", "y"] } }),
    closed({ a: { enum: ["x"] } }),
    ["break: Parameter a accepts less."],
  ],
  [
    "a value more",
    closed({ a: { enum: ["x"] } }),
    closed({ a: { enum: ["x", "y"] } }),
    ["changed: The input accepts more."],
  ],
  [
    "any text instead of values",
    closed({ a: { enum: ["x"] } }),
    closed({ a: text }),
    ["changed: The input accepts more."],
  ],
  [
    "a stricter minimum",
    closed({ a: { type: "number", minimum: 1 } }),
    closed({ a: { type: "number", exclusiveMinimum: 1 } }),
    ["break: Parameter a has a stricter exclusiveMinimum."],
  ],
  [
    "a looser minimum",
    closed({ a: { type: "number", exclusiveMinimum: 1 } }),
    closed({ a: { type: "number", minimum: 1 } }),
    ["changed: The input accepts more."],
  ],
  [
    "another pattern",
    closed({ a: { type: "string", pattern: "^a" } }),
    closed({ a: { type: "string", pattern: "^b" } }),
    ["break: Parameter a has a stricter pattern."],
  ],
  [
    "a definition instead of the type itself",
    closed({ a: text }),
    { ...closed({ a: { $ref: "#/$defs/A" } }), $defs: { A: text } },
    ["changed: The input is described in other words."],
  ],
  ["a recursive type with a new property", node(), node({ name: text }), ["new: Parameter tree.name is new."]],
  ["a recursive type that lost a property", node({ name: text }), node(), ["break: Parameter tree.name is gone."]],
  [
    "a tagged union with a new alternative",
    closed({ a: { oneOf: [closed({ kind: { const: "x" } }, ["kind"])] } }),
    closed({ a: { oneOf: [closed({ kind: { const: "x" } }, ["kind"]), closed({ kind: { const: "y" } }, ["kind"])] } }),
    ["changed: The input accepts more."],
  ],
  [
    "a tagged union without one of its alternatives",
    closed({ a: { oneOf: [closed({ kind: { const: "x" } }, ["kind"]), closed({ kind: { const: "y" } }, ["kind"])] } }),
    closed({ a: { oneOf: [closed({ kind: { const: "x" } }, ["kind"])] } }),
    ["break: Parameter a accepts less."],
  ],
  // The rules compare each place of both versions. They do not see that these accept every earlier value, too.
  [
    "one type instead of two that both apply",
    closed({ a: { allOf: [open({ b: text }), open({ c: text })] } }),
    closed({ a: open({ b: text, c: text }) }),
    [
      "break: Parameter a accepts less.",
      "break: Parameter a.b may refuse more by properties.",
      "break: Parameter a.c may refuse more by properties.",
    ],
  ],
  [
    "a condition that every number meets",
    closed({
      a: {
        anyOf: [
          { type: "number", maximum: 0 },
          { type: "number", minimum: 0 },
        ],
      },
    }),
    closed({ a: { type: "number", not: { const: "x" } } }),
    ["break: Parameter a may refuse more by not."],
  ],
  [
    "a pattern that every value matches",
    closed({ a: { enum: ["x"] } }),
    closed({ a: { type: "string", pattern: "^x" } }),
    ["break: Parameter a accepts less."],
  ],
  [
    "another description of a parameter",
    closed({ a: { ...text, description: "x" } }),
    closed({ a: { ...text, description: "y" } }),
    ["changed: The input is described in other words."],
  ],
  [
    "a header of a parameter",
    closed({ a: text }),
    closed({ a: { ...text, "x-mcp-header": "A" } as JsonSchemaObject }),
    ["break: Parameter a may refuse more by x-mcp-header."],
  ],
];

const OUTPUTS: readonly (readonly [
  string,
  JsonSchemaObject | undefined,
  JsonSchemaObject | undefined,
  readonly string[],
])[] = [
  ["a new property", open({}), open({ a: text }), ["new: Property a is new."]],
  ["a new property of a closed result", closed({}), closed({ a: text }), ["new: Property a is new."]],
  ["a property that is gone", open({ a: text }), open({}), ["break: Property a is gone."]],
  ["a property of a closed result that is gone", closed({ a: text }), closed({}), ["break: Property a is gone."]],
  [
    "a nested property that is gone",
    { type: "array", items: open({ a: text }) },
    { type: "array", items: open({}) },
    ["break: Property [].a is gone."],
  ],
  [
    "a property that may be missing",
    open({ a: text }, ["a"]),
    open({ a: text }),
    ["break: Property a may be missing."],
  ],
  [
    "a property that is always there",
    open({ a: text }),
    open({ a: text }, ["a"]),
    ["changed: The result is described more narrowly."],
  ],
  [
    "a wider type",
    open({ a: text }),
    open({ a: { type: ["string", "null"] } }),
    ["break: Property a may have other values."],
  ],
  [
    "a narrower type",
    open({ a: { type: ["string", "null"] } }),
    open({ a: text }),
    ["changed: The result is described more narrowly."],
  ],
  [
    "a value more",
    open({ a: { enum: ["x"] } }),
    open({ a: { enum: ["x", "y"] } }),
    ["break: Property a may have other values."],
  ],
  ["no schema", open({}), undefined, ["break: The output schema is gone, and structured content with it."]],
  ["a schema for the first time", undefined, open({}), ["new: The output schema is new."]],
];

describe("a change of an input", () => {
  it.each(INPUTS)("%s", (_, before, after, expected) => {
    expect(compare({ inputSchema: before }, { inputSchema: after })).toEqual(expected);
  });
});

describe("a change of an output", () => {
  it.each(OUTPUTS)("%s", (_, before, after, expected) => {
    const item = (schema: JsonSchemaObject | undefined) => (schema === undefined ? {} : { outputSchema: schema });
    expect(compare(item(before), item(after))).toEqual(expected);
  });
});

const HOUR = 3_600_000;
const [optional, required] = [{ required: false, ttl: HOUR } as const, { required: true, ttl: HOUR } as const];

describe("a change of task", () => {
  it.each([
    ["the same", optional, optional, []],
    ["a task for the first time", undefined, optional, ["caution: Calls of clients that support tasks become tasks."]],
    ["no task any more", required, undefined, ["changed: Calls no longer become tasks."]],
    ["a task that became required", optional, required, [`break: ${REFUSED}`]],
    ["a required task for the first time", undefined, required, [`break: ${REFUSED}`]],
    ["a task that became optional", required, optional, ["changed: Clients that do not support tasks are accepted."]],
    ["a shorter life", optional, { ...optional, ttl: 1000 }, ["caution: Tasks are kept for a shorter time."]],
    ["a longer life", { ...optional, ttl: 1000 }, optional, ["changed: Tasks are kept for a longer time."]],
  ])("%s", (_, before, after, expected) => {
    const item = (task: LockedItem["task"]) => (task === undefined ? {} : { task });
    expect(compare(item(before), item(after))).toEqual(expected);
  });
});

describe("a change of an item", () => {
  it("reports items that are gone or new, prompts and resources too, breaks first", () => {
    const before = { ...EMPTY, tools: { a: {} }, prompts: { p: {} }, resources: { "x://a": {} } };
    const after = { ...EMPTY, tools: { b: {} }, resourceTemplates: { "x://{a}": {} } };
    expect(compareLocks(before, after).map(({ level, key, remedy }) => [level, key, remedy !== undefined])).toEqual([
      ["break", "a", true],
      ["break", "p", true],
      ["break", "x://a", true],
      ["new", "b", false],
      ["new", "x://{a}", false],
    ]);
  });

  it("accepts a renamed tool that keeps its earlier name, and compares it", () => {
    const before = { ...EMPTY, tools: { search: { inputSchema: closed({ a: text }) } } };
    const after = { ...EMPTY, tools: { find: { inputSchema: closed({ a: text }), was: ["search"] } } };
    expect(compareLocks(before, after)).toMatchObject([
      { level: "changed", key: "find", message: "The tool was renamed.", before: "search", after: "find" },
    ]);
    const stricter = { ...EMPTY, tools: { find: { inputSchema: closed({ a: text }, ["a"]), was: ["search"] } } };
    expect(compareLocks(before, stricter)[0]).toMatchObject({ level: "break", key: "find" });
    const dropped = { ...EMPTY, tools: { find: { inputSchema: closed({ a: text }) } } };
    expect(compareLocks(after, dropped)).toMatchObject([
      { level: "break", message: "The earlier name search is gone." },
    ]);
    const again = { ...EMPTY, tools: { look: { inputSchema: closed({ a: text }), was: ["search", "find"] } } };
    expect(compareLocks(after, again)).toMatchObject([{ level: "changed", before: "find", after: "look" }]);
  });

  it("reports descriptions with both versions", () => {
    const changes = compareLocks(
      { ...EMPTY, tools: { find: { description: "Finds.", annotations: { readOnlyHint: true } } } },
      { ...EMPTY, tools: { find: { description: "Finds orders." } } },
    );
    expect(changes).toMatchObject([
      { level: "changed", before: "Finds.", after: "Finds orders." },
      { level: "changed", message: "The annotations changed.", after: "none" },
    ]);
  });

  it("compares the arguments of prompts and the variables of templates", () => {
    const before = {
      a: { required: false },
      b: { required: true, schema: { type: "string", enum: ["x", "y"] } },
      c: { required: false },
    } as const;
    const after = {
      a: { required: true },
      b: { required: true, schema: { type: "string", enum: ["x"] } },
      d: { required: false },
    } as const;
    const changes = compareLocks(
      { ...EMPTY, prompts: { p: { arguments: before } } },
      { ...EMPTY, prompts: { p: { arguments: after } } },
    );
    expect(changes.map(({ level, message }) => `${level}: ${message}`)).toEqual([
      "break: Argument a became required.",
      "break: Argument b accepts less.",
      "caution: Argument c is gone, and ignored if it is sent.",
      "new: Argument d is new.",
    ]);
  });

  it("calls a schema that it cannot compare a break", () => {
    let deep: JsonSchemaObject = text;
    for (let level = 0; level < 20_000; level++) deep = { type: "array", items: deep };
    expect(compare({ inputSchema: closed({ a: deep }) }, { inputSchema: closed({ a: text }) })).toEqual([
      "break: The input is too complex to compare.",
    ]);
    const union = { anyOf: Array.from({ length: 300 }, (_, n) => open({ [`p${n}`]: text }, [`p${n}`])) };
    const changed = { anyOf: union.anyOf.map((each) => ({ ...each, minProperties: 2 })) };
    expect(compare({ inputSchema: open({ a: union }) }, { inputSchema: open({ a: changed }) })).toEqual([
      "break: The input is too complex to compare.",
    ]);
  });
});
