import type { JsonSchemaObject } from "proffer";

/** The validator looks longer lists up in a set, which is faster than comparing one by one. */
const MAX_CHOICES = 8;

const TYPE_TESTS: ReadonlyMap<string, (variable: string) => string> = new Map([
  ["string", (variable) => `typeof ${variable} === "string"`],
  ["number", (variable) => `Number.isFinite(${variable})`],
  ["integer", (variable) => `Number.isInteger(${variable})`],
  ["boolean", (variable) => `typeof ${variable} === "boolean"`],
  ["null", (variable) => `${variable} === null`],
  ["array", (variable) => `Array.isArray(${variable})`],
  ["object", (variable) => `(typeof ${variable} === "object" && ${variable} !== null && !Array.isArray(${variable}))`],
]);

const COMPARISONS = [
  ["minimum", ">="],
  ["maximum", "<="],
  ["exclusiveMinimum", ">"],
  ["exclusiveMaximum", "<"],
] as const;

/** Writes the check of `type`. */
export function writeTypes({ type = [] }: JsonSchemaObject, variable: string): string {
  const types = typeof type === "string" ? [type] : type;
  const tests = types.map((name) => TYPE_TESTS.get(name)?.(variable) ?? "false");
  return tests.join(" || ");
}

/** Whether `enum` and `const` contain only a few primitive values, so that comparing them one by one is fast. */
export function isShortChoice(schema: JsonSchemaObject): boolean {
  const values = choicesOf(schema).flat();
  return values.length <= MAX_CHOICES && values.every((value) => typeof value !== "object" || value === null);
}

/** Writes the check of `enum`, `const` and `type`. */
export function writeChoice(schema: JsonSchemaObject, variable: string): string {
  const tests = choicesOf(schema).map((values) =>
    values.length === 0 ? "false" : values.map((value) => `${variable} === ${JSON.stringify(value)}`).join(" || "),
  );
  if (schema.type !== undefined) tests.unshift(writeTypes(schema, variable));
  return tests.map((test) => `(${test})`).join(" && ");
}

/** Writes the check of a number or integer with limits. */
export function writeNumber(schema: JsonSchemaObject, variable: string): string {
  const limits = COMPARISONS.filter(([keyword]) => schema[keyword] !== undefined);
  const tests = limits.map(([keyword, operator]) => `${variable} ${operator} ${JSON.stringify(schema[keyword])}`);
  return [writeTypes(schema, variable), ...tests].join(" && ");
}

function choicesOf(schema: JsonSchemaObject): (readonly unknown[])[] {
  const lists = schema.enum === undefined ? [] : [schema.enum];
  return schema.const === undefined ? lists : [...lists, [schema.const]];
}
