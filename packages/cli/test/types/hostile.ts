import type { Listing } from "../../src/terminal/listing.ts";

const COMMENT = "Ends */ export const hacked = 1; /* here\u2028and \u202enowhere";

/** Each definition has the next one twice: written out, it would have 2^40 parts. */
const doubling = Object.fromEntries(
  Array.from({ length: 40 }, (_, n) => [
    `d${n}`,
    { anyOf: [{ $ref: `#/$defs/d${n + 1}` }, { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { title: `${n}` }] }] },
  ]),
);

let deep: object = { type: "string" };
for (let depth = 0; depth < 400; depth++) deep = { type: "object", properties: { a: deep } };

const schemas: readonly unknown[] = [
  { type: "string" },
  true,
  [],
  null,
  { type: "object", properties: [], required: "a" },
  { type: 5, properties: { a: { type: "nothing" }, b: 5 } },
  { $ref: "#" },
  { $ref: "https://example.com/schema.json" },
  { $ref: "#/$defs/%zz" },
  { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } },
  {
    type: "object",
    properties: { a: { $ref: "#/$defs/a" } },
    $defs: { a: { anyOf: [{ $ref: "#/$defs/a" }, { type: "string" }] } },
  },
  {
    type: "object",
    properties: { a: { $ref: "#/$defs/a" }, b: { $ref: "#/$defs/a" } },
    $defs: { a: { anyOf: [{ $ref: "#/$defs/b" }, { type: "string" }] }, b: { allOf: [{ $ref: "#/$defs/a" }] } },
  },
  { type: "object", properties: { a: { $ref: "#/$defs/d0" } }, $defs: doubling },
  deep,
  {
    type: "object",
    properties: {
      ["__proto__"]: { type: "string" },
      constructor: { type: "number" },
      "a\nb": { description: COMMENT },
      'q"\\`': { enum: ['"', "*/", "\u2028", null, { a: [1] }] },
      new: { const: { ["__proto__"]: "x" } },
      "": { type: ["string", "null", 7] },
    },
    required: ["constructor", 5],
    additionalProperties: { type: "boolean" },
    patternProperties: { "^x": { type: "string" } },
  },
  { type: "array", items: [{ type: "string" }, { type: "number" }], additionalItems: false, minItems: 1 },
  { type: "array", prefixItems: [{ type: "string" }], minItems: 5, items: { $ref: "#" } },
  { oneOf: "a", anyOf: [], allOf: [5] },
];

const names = ["__proto__", "constructor", "then", "*/ evil", 'a"b\n\u202e', "5", "class", ""];

/** What a hostile server could list. */
export const HOSTILE = {
  tools: [
    ...schemas.map((schema, index) => ({ name: `t${index}`, inputSchema: schema, outputSchema: schema })),
    ...names.map((name) => ({
      name,
      description: COMMENT,
      inputSchema: {},
      _meta: {
        "proffer/parameters": ["class", "new", "in", "function", "this", "a b", "a b", 5, "__proto__", "...rest"],
      },
    })),
  ],
  prompts: names.map((name) => ({ name, description: COMMENT, arguments: names.map((each) => ({ name: each })) })),
  resources: names.map((name) => ({ name, uri: name, description: COMMENT })),
  resourceTemplates: ["a://{", "b://{a}{a}", "c://{%41}{?b*}", "*/{x}"].map((uriTemplate) => ({
    name: "a",
    uriTemplate,
  })),
} as unknown as Listing;
