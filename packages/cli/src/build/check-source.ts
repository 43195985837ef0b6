import type { JsonSchema, JsonSchemaObject } from "proffer";
import { writeArray, writeObject } from "./check-containers.ts";
import { isShortChoice, writeChoice, writeNumber, writeTypes } from "./check-scalars.ts";
import { findDefinition, findDiscriminator } from "./discriminator.ts";

/** What the checks of all tools share. The number of a function or part is in its name. */
export interface CheckDeclarations {
  /** The bodies of functions of one `value`: `check0`, `check1` and so on. */
  readonly functions: string[];
  /** Schemas, as JSON, that are left to the validator: `part0`, `part1` and so on. */
  readonly parts: string[];
}

/** Keywords that say nothing about values. One that is missing here costs time, and nothing else. */
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
 * Writes the check of a schema as an expression about `value` that is true only for what the validator takes: it looks at the
 * same things in the same order and charges the same work for them. Code that names the properties it reads is up to three
 * times as fast as closures that are given the names.
 *
 * Only what derivation makes most is written out. Anything else is left to the rules of the validator, part by part; where
 * such a part refers to another, the check is false. A part that is false too often cannot make the whole true, because
 * nothing that is written out negates or counts.
 */
export function writeCheck(root: JsonSchemaObject, declarations: CheckDeclarations): string {
  const { functions, parts } = declarations;
  /** The functions of the definitions, by reference. */
  const references = new Map<string, string>();

  function write(schema: JsonSchema, variable: string): string {
    if (typeof schema === "boolean") return String(schema);
    const keywords = Object.keys(schema).filter((keyword) => !ANNOTATIONS.has(keyword));
    const hasOnly = (known: readonly string[]) => keywords.every((keyword) => known.includes(keyword));
    const { type, $ref, anyOf, oneOf } = schema;
    if (keywords.length === 0) return "true";
    if (hasOnly(["type"])) return writeTypes(schema, variable);
    if (hasOnly(CHOICE) && isShortChoice(schema)) return writeChoice(schema, variable);
    if (hasOnly(NUMBER) && (type === "number" || type === "integer")) return writeNumber(schema, variable);
    if (hasOnly(OBJECT) && type === "object") return `${declare(writeObject(schema, write))}(${variable})`;
    if (hasOnly(ARRAY) && type === "array") return `${declare(writeArray(schema, write))}(${variable})`;
    if (hasOnly(["$ref"]) && $ref !== undefined) return writeReference($ref, variable);
    if (hasOnly(["anyOf"]) && anyOf !== undefined) return writeAlternatives(anyOf, variable);
    if (hasOnly(["oneOf"]) && findDiscriminator(oneOf, root)) return writeAlternatives(oneOf, variable);
    return writePart(schema, keywords, variable);
  }

  function declare(lines: readonly string[]): string {
    const body = toBody(lines);
    const known = functions.indexOf(body);
    return `check${known === -1 ? functions.push(body) - 1 : known}`;
  }

  /** A definition may contain itself: its function has a name before it is written. */
  function writeReference(ref: string, variable: string): string {
    const known = references.get(ref);
    if (known !== undefined) return `${known}(${variable})`;
    const definition = findDefinition(ref, root);
    if (definition === undefined) return "false";
    const at = functions.push("") - 1;
    references.set(ref, `check${at}`);
    functions[at] = toBody([`return --run.left >= 0 && (${write(definition, "value")});`]);
    return `check${at}(${variable})`;
  }

  function writeAlternatives(schemas: readonly JsonSchema[], variable: string): string {
    return schemas.map((schema) => `(${write(schema, variable)})`).join(" || ");
  }

  function writePart(schema: JsonSchemaObject, keywords: readonly string[], variable: string): string {
    const json = JSON.stringify(Object.fromEntries(keywords.map((keyword) => [keyword, schema[keyword]])));
    if (json.includes('"$ref"')) return "false";
    const known = parts.indexOf(json);
    const at = known === -1 ? parts.push(json) - 1 : known;
    return `part${at}(${variable})`;
  }

  return write(root, "value");
}

function toBody(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}\n`).join("");
}
