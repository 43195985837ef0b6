import type { Codec } from "proffer/derived";
import {
  type Conversion,
  type Converted,
  type Definition,
  type Problem,
  referenceTo,
  referredName,
} from "../model/conversion.ts";
import { forEachSubschema, type JsonSchema, mapSubschemas } from "../model/json-schema.ts";
import { finishPlan } from "./plan.ts";

/** A schema that stands on its own, and the codec beside it. */
export interface Assembled {
  schema: JsonSchema;
  codec?: Codec;
  problems: Problem[];
}

/**
 * Completes a converted type. A definition becomes part of `$defs` if it contains itself, or if it has a name and is
 * used more than once; any other is written out where it is used. What stands beside a reference (the description of
 * the property) wins over what the definition says.
 */
export function assemble(conversion: Conversion, draft: Converted): Assembled {
  const names = nameShared(conversion, draft.schema);
  const defs = new Map<string, JsonSchema>();

  function write(schema: JsonSchema): JsonSchema {
    const definition = definitionOf(conversion, schema);
    if (definition === undefined) return mapSubschemas(schema, write);
    const { $ref: _, ...beside } = schema;
    const name = names.get(definition.id);
    if (name === undefined) return { ...write(definition.schema), ...beside };
    if (!defs.has(name)) {
      defs.set(name, {});
      defs.set(name, write(definition.schema));
    }
    return { ...referenceTo(name), ...beside };
  }

  const schema = write(draft.schema);
  const { codec, problems } = finishPlan(conversion, draft.plan, names);
  return {
    schema: defs.size > 0 ? { ...schema, $defs: Object.fromEntries(defs) } : schema,
    ...(codec && { codec }),
    problems,
  };
}

/** The definitions that `$defs` will hold, by their id, and what they are called there. */
function nameShared(conversion: Conversion, root: JsonSchema): Map<string, string> {
  const uses = new Map<string, number>();
  const recursive = new Set<string>();
  const within = new Set<string>();
  const order: Definition[] = [];

  function count(schema: JsonSchema): void {
    const definition = definitionOf(conversion, schema);
    if (definition) countUse(definition);
    forEachSubschema(schema, count);
  }

  function countUse(definition: Definition): void {
    const { id, label } = definition;
    const before = uses.get(id) ?? 0;
    uses.set(id, before + 1);
    if (before === 0) order.push(definition);
    if (within.has(id)) recursive.add(id);
    else if (before === 0 || label === undefined) {
      within.add(id);
      count(definition.schema);
      within.delete(id);
    }
  }

  count(root);
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const { id, label } of order) {
    if (!recursive.has(id) && (label === undefined || uses.get(id) === 1)) continue;
    const wanted = (label ?? "Value").replace(/[^A-Za-z0-9_]/g, "_");
    let name = wanted;
    for (let number = 2; taken.has(name); number++) name = `${wanted}${number}`;
    taken.add(name);
    names.set(id, name);
  }
  return names;
}

function definitionOf({ definitions }: Conversion, schema: JsonSchema): Definition | undefined {
  const id = referredName(schema);
  return id === undefined ? undefined : definitions.get(id);
}
