import type { Codec } from "proffer/derived";
import { type Conversion, type Converted, type Problem, referenceTo } from "../model/conversion.ts";
import { type DerivedSchema, mapSubschemas } from "../model/json-schema.ts";
import { finishPlan } from "./plan.ts";
import { createParts, type SchemaPart, splitAnnotations } from "./schema-part.ts";
import { findShared, sortParts } from "./sharing.ts";

/** A self-contained schema and its codec. */
interface Assembled {
  schema: DerivedSchema;
  codec?: Codec;
  problems: Problem[];
}

export interface AssembleOptions {
  /** Keep the schemas of properties at their place, for callers that read them. */
  isInline?: boolean;
}

/**
 * Builds the final schema of a converted type. A schema goes to `$defs` if it is recursive, if it has a name and is used
 * more than once, or if its copies would cost more than references; any other is inlined. Keywords next to a reference
 * (the description of the property) override those of the definition.
 */
export function assemble(
  conversion: Conversion,
  draft: Converted,
  { isInline = false }: AssembleOptions = {},
): Assembled {
  const parts = createParts(conversion, isInline);
  const root = parts.of(draft.schema);
  const shared = findShared(root, recursiveParts(root));
  const names = createNames(shared);
  const describedParts = new Map([...shared].flatMap((part) => (part.core ? [[part.core, part] as const] : [])));
  const defs = new Map<SchemaPart, DerivedSchema>();

  /** Writes a schema with its subschemas. `holder` is the type that contains it, in the property `property`. */
  function write(schema: DerivedSchema, holder: string, property = ""): DerivedSchema {
    const { properties, ...rest } = schema;
    const written = mapSubschemas(rest, (inner) => use(inner, holder, property));
    if (properties === undefined) return written;
    const own = property === "" ? holder : inventName("", property);
    const entries = Object.entries(properties).map(([key, inner]) => [key, use(inner, own, key)] as const);
    return { ...schema, ...written, properties: Object.fromEntries(entries) };
  }

  /** Writes a subschema, or a reference to it. */
  function use(schema: DerivedSchema, holder: string, property: string): DerivedSchema {
    const part = parts.of(schema);
    if (shared.has(part)) return refer(part, holder, property);
    const target = parts.target(schema);
    if (target) {
      const { $ref: _, ...siblings } = schema;
      if (shared.has(target)) return { ...refer(target, holder, property), ...unlike(target.schema, siblings) };
      const { alias } = target;
      return { ...(alias ? write(target.schema, alias) : write(target.schema, holder, property)), ...siblings };
    }
    const base = part.core && baseOf(part.core, schema);
    if (base) return { ...refer(base, holder, property), ...splitAnnotations(schema).annotations };
    return write(schema, holder, property);
  }

  /** Returns the shared schema that a schema differs from only in its annotations. */
  function baseOf(core: SchemaPart, schema: DerivedSchema): SchemaPart | undefined {
    const described = describedParts.get(core);
    const isOverridden = described && Object.keys(described.schema).every((key) => Object.hasOwn(schema, key));
    return isOverridden ? described : shared.has(core) ? core : undefined;
  }

  function refer(part: SchemaPart, holder: string, property: string): DerivedSchema {
    const name = names.give(part, holder, property);
    if (!defs.has(part)) defs.set(part, {});
    return referenceTo(name);
  }

  const schema = write(draft.schema, "");
  // The map grows while it is read.
  for (const part of defs.keys()) defs.set(part, write(part.schema, names.give(part)));
  const byId = new Map([...defs.keys()].map((part) => [part.definition?.id ?? "", names.give(part)] as const));
  const { codec, problems } = finishPlan(conversion, draft.plan, byId);
  const definitions = [...defs].map(([part, written]) => [names.give(part), written] as const);
  return {
    schema: defs.size > 0 ? { ...schema, $defs: Object.fromEntries(definitions) } : schema,
    ...(codec && { codec }),
    problems,
  };
}

/** Returns definitions that contain themselves. Every cycle has one of them. */
function recursiveParts(root: SchemaPart): Set<SchemaPart> {
  const found = new Set<SchemaPart>();
  const known = new Map<SchemaPart, readonly SchemaPart[]>();
  function definitionsIn(part: SchemaPart): readonly SchemaPart[] {
    let inner = known.get(part);
    if (inner === undefined) {
      inner = [...new Set(part.parts.flatMap((each) => (each.definition ? [each] : definitionsIn(each))))];
      known.set(part, inner);
    }
    return inner;
  }
  sortParts([root], definitionsIn, (part) => found.add(part));
  return found;
}

/** Returns the keywords that differ from those of the definition: a comment is not repeated. */
function unlike(definition: DerivedSchema, siblings: DerivedSchema): DerivedSchema {
  const own: Record<string, unknown> = definition;
  const differs = ([key, value]: [string, unknown]) => JSON.stringify(own[key]) !== JSON.stringify(value);
  return Object.fromEntries(Object.entries(siblings).filter(differs));
}

const MAX_LENGTH = 60;

/** The names in `$defs`. */
interface DefinitionNames {
  /**
   * Returns the name of a part: the one of its type, or else one made of the type and the property that hold it at its
   * first use.
   */
  give(part: SchemaPart, holder?: string, property?: string): string;
}

/** Names the shared parts. The author's names come first; an invented name never takes one of them. */
function createNames(shared: ReadonlySet<SchemaPart>): DefinitionNames {
  const given = new Map<SchemaPart, string>();
  /** How often a name was wanted. */
  const wishes = new Map<string, number>();
  const taken = new Set<string>();
  const reserved = new Set([...shared].flatMap(({ alias, isNamed }) => (isNamed && alias ? [clean(alias)] : [])));

  function add(part: SchemaPart, wanted: string): string {
    const isFree = (name: string) => !taken.has(name) && (part.isNamed || !reserved.has(name));
    let name = wanted;
    let number = wishes.get(wanted) ?? 1;
    while (!isFree(name)) name = `${wanted}${++number}`;
    wishes.set(wanted, number);
    taken.add(name);
    given.set(part, name);
    return name;
  }

  return {
    give(part, holder = "", property = "") {
      const { alias } = part;
      return given.get(part) ?? add(part, clean(alias ?? (inventName(holder, property) || "Value")));
    },
  };
}

/** Returns a name for the type of a property. */
function inventName(holder: string, property: string): string {
  const words = property.split(/[^A-Za-z0-9]+/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${holder}${words.join("")}`.slice(0, MAX_LENGTH);
}

function clean(name: string): string {
  return name.replace(/[^A-Za-z0-9_]/g, "_");
}
