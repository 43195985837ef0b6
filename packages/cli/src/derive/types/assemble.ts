import type { Codec } from "proffer/derived";
import {
  type Conversion,
  type Converted,
  type Definition,
  type Problem,
  referenceTo,
  referredName,
} from "../model/conversion.ts";
import { type DerivedSchema, forEachSubschema, mapSubschemas } from "../model/json-schema.ts";
import { finishPlan } from "./plan.ts";

/** A self-contained schema and its codec. */
export interface Assembled {
  schema: DerivedSchema;
  codec?: Codec;
  problems: Problem[];
}

/**
 * Builds the final schema of a converted type. A definition goes to `$defs` if it is recursive, or if it has a name and
 * is used more than once; any other is inlined. Keywords next to a reference (the description of the property) override
 * those of the definition.
 */
export function assemble(conversion: Conversion, draft: Converted): Assembled {
  const names = nameShared(conversion, draft.schema);
  const defs = new Map<string, DerivedSchema>();

  function write(schema: DerivedSchema): DerivedSchema {
    const definition = definitionOf(conversion, schema);
    if (definition === undefined) return mapSubschemas(schema, write);
    const { $ref: _, ...siblings } = schema;
    const name = names.get(definition.id);
    if (name === undefined) return { ...write(definition.schema), ...siblings };
    if (!defs.has(name)) {
      defs.set(name, {});
      defs.set(name, write(definition.schema));
    }
    return { ...referenceTo(name), ...siblings };
  }

  const schema = write(draft.schema);
  const { codec, problems } = finishPlan(conversion, draft.plan, names);
  return {
    schema: defs.size > 0 ? { ...schema, $defs: Object.fromEntries(defs) } : schema,
    ...(codec && { codec }),
    problems,
  };
}

/** Returns the names in `$defs` of the shared definitions, by their id. */
function nameShared(conversion: Conversion, root: DerivedSchema): Map<string, string> {
  const uses = new Map<string, number>();
  const recursive = new Set<string>();
  const within = new Set<string>();
  const order: Definition[] = [];

  function count(schema: DerivedSchema): void {
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

function definitionOf({ definitions }: Conversion, schema: DerivedSchema): Definition | undefined {
  const id = referredName(schema);
  return id === undefined ? undefined : definitions.get(id);
}
