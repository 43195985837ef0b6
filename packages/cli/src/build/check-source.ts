import type { JsonSchemaObject } from "proffer";
import { findDiscriminator, indexSchema } from "proffer/derived";
import { writeArray, writeObject } from "./check-containers.ts";
import { isShortChoice, writeChoice, writeNumber, writeTypes } from "./check-scalars.ts";

/** Declarations shared by the checks of all tools. The index of a function or part is in its name. */
export interface CheckDeclarations {
  /** The bodies of functions with the parameter `value`: `check0`, `check1` and so on. */
  readonly functions: string[];
  /** Schemas, as JSON, that the validator checks: `part0`, `part1` and so on. */
  readonly parts: string[];
}

/** Keywords that do not constrain values. A keyword that is missing here costs time, but is not an error. */
const ANNOTATIONS = new Set([
  "$defs",
  "$schema",
  "contentEncoding",
  "default",
  "deprecated",
  "description",
  "examples",
  "title",
]);
const CHOICE = ["type", "enum", "const"];
const NUMBER = ["type", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];
const ARRAY = ["type", "items", "prefixItems", "minItems", "maxItems"];
const OBJECT = ["type", "properties", "required", "additionalProperties"];

/**
 * Writes the check of a schema as an expression about `value`. The expression is true only for values that the validator
 * accepts: it checks the same things in the same order and charges the same work to `run`. Code that names the properties
 * is faster than closures that receive the names as data.
 *
 * Only the schemas that derivation produces most are written out. The validator checks the others, part by part; a part
 * that contains a reference is written as `false`. Such a part cannot make the whole expression wrongly true, because no
 * written code negates or counts.
 */
export function writeCheck(root: JsonSchemaObject, declarations: CheckDeclarations): string {
  const { functions, parts } = declarations;
  const index = indexSchema(root);
  /** The names of the functions for referenced schemas, by pointer. */
  const referenced = new Map<string, string>();

  /** Writes the check of the schema at a pointer; an absent schema accepts every value. */
  function write(pointer: string, variable: string): string {
    const schema = index.schemas.get(pointer) ?? true;
    if (typeof schema === "boolean") return String(schema);
    const keywords = Object.keys(schema).filter((keyword) => !ANNOTATIONS.has(keyword));
    const hasOnly = (known: readonly string[]) => keywords.every((keyword) => known.includes(keyword));
    const { type, $ref, anyOf, oneOf } = schema;
    if (keywords.length === 0) return "true";
    if (hasOnly(["type"])) return writeTypes(schema, variable);
    if (hasOnly(CHOICE) && isShortChoice(schema)) return writeChoice(schema, variable);
    if (hasOnly(NUMBER) && (type === "number" || type === "integer")) return writeNumber(schema, variable);
    if (hasOnly(OBJECT) && type === "object") return `${declare(writeObject(schema, pointer, write))}(${variable})`;
    if (hasOnly(ARRAY) && type === "array") return `${declare(writeArray(schema, pointer, write))}(${variable})`;
    if (hasOnly(["$ref"]) && $ref !== undefined) return writeReference(index.resolve($ref, pointer), variable);
    if (hasOnly(["anyOf"]) && anyOf !== undefined)
      return writeAlternatives(pointersOf(pointer, "anyOf", anyOf), variable);
    if (hasOnly(["oneOf"]) && oneOf !== undefined) {
      const pointers = pointersOf(pointer, "oneOf", oneOf);
      // With a discriminator at most one alternative matches, so `oneOf` equals `anyOf`.
      if (findDiscriminator(pointers, index) !== undefined) return writeAlternatives(pointers, variable);
    }
    return writePart(schema, keywords, variable);
  }

  function declare(lines: readonly string[]): string {
    const body = toBody(lines);
    const known = functions.indexOf(body);
    return `check${known === -1 ? functions.push(body) - 1 : known}`;
  }

  /** The function gets its name before its body is written, because a definition may refer to itself. */
  function writeReference(target: string, variable: string): string {
    const known = referenced.get(target);
    if (known !== undefined) return `${known}(${variable})`;
    const at = functions.push("") - 1;
    referenced.set(target, `check${at}`);
    functions[at] = toBody([`return --run.left >= 0 && (${write(target, "value")});`]);
    return `check${at}(${variable})`;
  }

  function writeAlternatives(pointers: readonly string[], variable: string): string {
    return pointers.map((pointer) => `(${write(pointer, variable)})`).join(" || ");
  }

  function writePart(schema: JsonSchemaObject, keywords: readonly string[], variable: string): string {
    const json = JSON.stringify(Object.fromEntries(keywords.map((keyword) => [keyword, schema[keyword]])));
    if (json.includes('"$ref"')) return "false";
    const known = parts.indexOf(json);
    const at = known === -1 ? parts.push(json) - 1 : known;
    return `part${at}(${variable})`;
  }

  return write("", "value");
}

function pointersOf(pointer: string, keyword: string, schemas: readonly unknown[]): string[] {
  return schemas.map((_, i) => `${pointer}/${keyword}/${i}`);
}

function toBody(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}\n`).join("");
}
