import { InvalidParams } from "../protocol/errors.ts";
import { compileJsonSchema } from "../schema/json-schema/compile.ts";
import type { CompiledSchema, JsonSchemaObject } from "../schema/json-schema/types.ts";

/** Maximum number of characters of an invalid value in a message. */
const MAX_SHOWN = 200;

interface Described {
  readonly name: string;
  readonly schema: JsonSchemaObject;
}

const compiled = new WeakMap<JsonSchemaObject, CompiledSchema>();

/** Checks values by their schemas. An absent value passes. @throws {InvalidParams} for the first invalid one. */
export function checkValues(
  kind: "argument" | "variable",
  described: readonly Described[],
  values: Readonly<Record<string, unknown>>,
): void {
  for (const { name, schema } of described) {
    const value = values[name];
    if (value === undefined || compile(schema).check(value)) continue;
    const problems = compile(schema)
      .issues(value)
      .map((issue) => issue.message);
    const shown = JSON.stringify(value).slice(0, MAX_SHOWN);
    throw new InvalidParams(`The ${kind} "${name}" ${problems.join(" and ")}, not ${shown}.`);
  }
}

function compile(schema: JsonSchemaObject): CompiledSchema {
  const known = compiled.get(schema) ?? compileJsonSchema(schema);
  compiled.set(schema, known);
  return known;
}
