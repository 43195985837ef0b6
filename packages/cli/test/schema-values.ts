import fc from "fast-check";
import type { JsonSchema, JsonSchemaObject } from "proffer";

const NAMES = ["a", "b", "kind", "__proto__", "constructor", "hasOwnProperty", "a/b~c", "\u2028"];
const name = fc.constantFrom(...NAMES);
const TEXTS = [
  "",
  "a",
  "b",
  "ab",
  "abc",
  "😀",
  "a😀b",
  "\ud83d",
  "2024-02-29",
  "2026-02-29",
  "10",
  "-3",
  "\u2028",
  "`\\",
];
const text = fc.constantFrom(...TEXTS);
const number = fc.constantFrom(0, -0, 1, -1, 2, 3, 10, 0.5, 1.5, -2.5, 1e12);
const count = fc.nat({ max: 3 });
const primitive = fc.oneof(text, number, fc.boolean(), fc.constant(null));
const anything = fc.oneof(
  primitive,
  fc.array(primitive, { maxLength: 3 }),
  fc.array(fc.tuple(name, primitive), { maxLength: 3 }).map((entries) => Object.fromEntries(entries)),
);
const types = fc.constantFrom("string", "number", "integer", "boolean", "null", "array", "object");

/** A valid string for each format that derivation uses. */
const FORMATS = new Map([
  ["date-time", "2026-01-31T13:00:00Z"],
  ["date", "2026-01-31"],
  ["email", "ann@example.com"],
  ["uri", "https://example.com/a"],
  ["uuid", "0e2f3a54-5a2b-4c1d-9e8f-7a6b5c4d3e2f"],
]);

/** Draws one value from an arbitrary. */
type Draw = <T, Args extends unknown[]>(arbitrary: (...args: Args) => fc.Arbitrary<T>, ...args: Args) => T;

const { schema } = fc.letrec<{ schema: JsonSchema }>((tie) => {
  const schemas = fc.array(tie("schema"), { minLength: 1, maxLength: 3 });
  const properties = fc
    .array(fc.tuple(name, tie("schema")), { maxLength: 4 })
    .map((entries): object => Object.fromEntries(entries));
  const required = fc.array(name, { maxLength: 2 });
  const some = (keywords: { [keyword: string]: fc.Arbitrary<unknown> }, all: object = {}) =>
    fc.record(keywords, { requiredKeys: [] }).map((chosen) => ({ ...all, ...chosen }) as JsonSchema);
  const limits = { minimum: number, maximum: number, exclusiveMinimum: number, exclusiveMaximum: number };
  const tagged = fc
    .tuple(fc.uniqueArray(primitive, { minLength: 2, maxLength: 4 }), properties)
    .map(([tags, others]) => tags.map((tag) => tagWith("kind", tag, others)));
  return {
    schema: fc.oneof(
      { maxDepth: 3 },
      types.map((type) => ({ type })),
      fc.boolean(),
      fc.uniqueArray(types, { minLength: 1, maxLength: 3 }).map((type) => ({ type })),
      some({ type: types, enum: fc.array(anything, { maxLength: 10 }), const: anything }),
      some({ ...limits, multipleOf: fc.constantFrom(1, 0.5) }, { type: "number" }),
      some(limits, { type: "integer" }),
      some({ minLength: count, maxLength: count, pattern: fc.constantFrom("^a", "\\d") }, { type: "string" }),
      some({ format: fc.constantFrom(...FORMATS.keys()) }, { type: "string" }),
      some({ items: tie("schema"), prefixItems: schemas, minItems: count, maxItems: count }, { type: "array" }),
      some({ items: tie("schema"), uniqueItems: fc.boolean(), contains: tie("schema") }, { type: "array" }),
      some({ properties, required, additionalProperties: tie("schema") }, { type: "object" }),
      some({ properties, required, additionalProperties: fc.constant(false) }, { type: "object" }),
      some({ properties, required, additionalProperties: tie("schema"), maxProperties: count, items: tie("schema") }),
      fc.constantFrom("#/$defs/one", "#/$defs/two~0~1", "#").map(($ref) => ({ $ref })),
      schemas.map((anyOf) => ({ anyOf })),
      schemas.map((oneOf) => ({ oneOf })),
      tagged.map((oneOf) => ({ oneOf })),
      some({ allOf: schemas, not: tie("schema"), anyOf: schemas, $ref: fc.constant("#/$defs/one") }),
    ),
  };
});

/** Schemas like derived ones, and also with hostile property names and keywords in unusual combinations. */
export const rootSchema: fc.Arbitrary<JsonSchemaObject> = fc.tuple(schema, schema, schema).map(([value, one, two]) => ({
  type: "object",
  properties: { value },
  required: ["value"],
  additionalProperties: false,
  $defs: { one, "two~/": two },
}));

function tagWith(tag: string, value: unknown, others: object): JsonSchemaObject {
  return { type: "object", properties: { ...others, [tag]: { const: value } }, required: [tag] };
}

/** Draws a value that mostly matches a schema: occasionally a part is wrong, missing or superfluous. */
export function drawValue(schema: JsonSchema, root: JsonSchemaObject, draw: Draw, depth = 0): unknown {
  const isOdd = draw(fc.nat, 39) === 0;
  if (typeof schema === "boolean" || isOdd || depth > 8) return draw(() => anything);
  const into = (inner: JsonSchema) => drawValue(inner, root, draw, depth + 1);
  if (schema.$ref !== undefined) return into(definitionOf(schema.$ref, root));
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined && schema.enum.length > 0) return draw(() => fc.constantFrom(...(schema.enum ?? [])));
  const alternatives = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (alternatives !== undefined) return into(draw(() => fc.constantFrom(...alternatives)));
  const { type = [] } = schema;
  const chosen = typeof type === "string" ? type : type[draw(fc.nat, Math.max(type.length - 1, 0))];
  if (chosen === "string") return drawText(schema, draw);
  if (chosen === "number" || chosen === "integer") return drawNumber(schema, draw);
  if (chosen === "boolean") return draw(fc.boolean);
  if (chosen === "null") return null;
  if (chosen === "array") return drawItems(schema, draw).map(into);
  return chosen === "object" ? drawObject(schema, draw, into) : draw(() => anything);
}

function definitionOf(ref: string, root: JsonSchemaObject): JsonSchema {
  if (ref === "#") return root;
  const token = ref.slice("#/$defs/".length);
  return root.$defs?.[token.replaceAll("~1", "/").replaceAll("~0", "~")] ?? true;
}

function drawText({ format = "", minLength = 0, maxLength, pattern }: JsonSchemaObject, draw: Draw): string {
  const valid = FORMATS.get(format);
  if (valid !== undefined) return valid;
  const regex = pattern === undefined ? undefined : new RegExp(pattern, "u");
  const fitting = TEXTS.filter((candidate) => regex?.test(candidate) ?? true);
  const start = fitting.length === 0 ? "" : draw(() => fc.constantFrom(...fitting));
  return [...start.padEnd(minLength, "a")].slice(0, maxLength).join("");
}

function drawNumber(limits: JsonSchemaObject, draw: Draw): number {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = limits;
  const edges = [minimum, maximum, exclusiveMinimum, exclusiveMaximum].filter((edge) => edge !== undefined);
  if (edges.length === 0) return draw(() => number);
  return draw(() => fc.constantFrom(...edges.flatMap((edge) => [edge, edge + 1, edge - 1, edge + 0.5])));
}

function drawItems(
  { prefixItems = [], items = true, minItems = 0, maxItems }: JsonSchemaObject,
  draw: Draw,
): JsonSchema[] {
  const fewest = Math.max(minItems, prefixItems.length);
  const most = Math.min(items === false ? prefixItems.length : fewest + 3, maxItems ?? Number.POSITIVE_INFINITY);
  const isTooLong = draw(fc.nat, 19) === 0;
  const length = isTooLong ? Math.min(most, 10) + 1 : Math.min(fewest + draw(fc.nat, 3), most);
  return Array.from({ length }, (_, i) => prefixItems[i] ?? items);
}

function drawObject(schema: JsonSchemaObject, draw: Draw, into: (inner: JsonSchema) => unknown): object {
  const { properties = {}, required = [], additionalProperties = true } = schema;
  const names = new Set([...Object.keys(properties), ...required]);
  if (additionalProperties !== false || draw(fc.nat, 39) === 0) names.add(draw(() => name));
  const kept = [...names].filter((known) => draw(fc.nat, 39) > (required.includes(known) ? 0 : 12));
  const entries = kept.map((known) => {
    const declared = Object.hasOwn(properties, known) ? properties[known] : undefined;
    return [known, into(declared ?? additionalProperties)] as const;
  });
  return Object.fromEntries(draw(fc.boolean) ? entries : entries.reverse());
}
