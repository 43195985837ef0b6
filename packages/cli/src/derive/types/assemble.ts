import { type DerivedSchema, forEachSubschema, mapSubschemas } from "../model/json-schema.ts";
import { type Conversion, type Converted, type Definition, referenceTo, referredName } from "./conversion.ts";
import { finishPlan } from "./plan.ts";
import { findShared, type Part, sortParts } from "./sharing.ts";

export interface AssembleOptions {
  /** Keep the schemas of properties at their place, for callers that read them. */
  isInline?: boolean;
}

/**
 * Builds the final, self-contained schema of a converted type, and its codec. A schema goes to `$defs` if it is recursive, if it has a name and is used
 * more than once, or if its copies would cost more than references; any other is inlined. Keywords next to a reference
 * (the description of the property) override those of the definition.
 */
export function assemble(conversion: Conversion, draft: Converted, { isInline = false }: AssembleOptions = {}) {
  const parts = createParts(conversion, isInline);
  const root = parts.of(draft.schema);
  const shared = findShared(root, recursiveParts(root));
  const nameOf = createNames(shared);
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
    const name = nameOf(part, holder, property);
    if (!defs.has(part)) defs.set(part, {});
    return referenceTo(name);
  }

  const schema = write(draft.schema, "");
  // The map grows while it is read.
  for (const part of defs.keys()) defs.set(part, write(part.schema, nameOf(part)));
  const byId = new Map([...defs.keys()].map((part) => [part.definition?.id ?? "", nameOf(part)] as const));
  const { codec, problems } = finishPlan(conversion, draft.plan, byId);
  const definitions = [...defs].map(([part, written]) => [nameOf(part), written] as const);
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

/**
 * Names the shared parts in `$defs`. The name of a part is the one of its type, or else one made of the type and the
 * property that hold it at its first use. The author's names come first; an invented name never takes one of them.
 */
function createNames(shared: ReadonlySet<SchemaPart>) {
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

  return (part: SchemaPart, holder = "", property = ""): string =>
    given.get(part) ?? add(part, clean(part.alias ?? (inventName(holder, property) || "Value")));
}

/** Returns a name for the type of a property. */
function inventName(holder: string, property: string): string {
  const words = property.split(/[^A-Za-z0-9]+/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${holder}${words.join("")}`.slice(0, MAX_LENGTH);
}

function clean(name: string): string {
  return name.replace(/[^A-Za-z0-9_]/g, "_");
}

/** Keywords that describe a value and may differ at each use of a schema. */
const ANNOTATIONS: ReadonlySet<string> = new Set(["title", "description", "default", "examples", "deprecated"]);

/** The bytes that sharing must save. A plain string is shared only for a long comment that is repeated often. */
const WORTH = 256;
const WORTH_OF_SCALAR = 1024;
const WORTH_IF_INLINE = 100_000;

/** A schema to write: a definition, or a schema without one that may occur at several places. */
export interface SchemaPart extends Part<SchemaPart> {
  readonly schema: DerivedSchema;
  readonly definition: Definition | undefined;
  /** The same schema without its annotations, if it has some. */
  readonly core: SchemaPart | undefined;
  /** The name of the type, if it is known. */
  alias: string | undefined;
}

/**
 * Finds the parts of a schema. Equal schemas, and uses of one definition, are one part. `isInline` leaves everything at
 * its place except objects, and except schemas that would become huge.
 */
function createParts({ definitions, names }: Conversion, isInline: boolean) {
  const byObject = new Map<DerivedSchema, SchemaPart>();
  const byText = new Map<string, SchemaPart>();
  const byDefinition = new Map<string, SchemaPart>();
  const numbers = new Map<SchemaPart, number>();

  function add(schema: DerivedSchema, bytes: number, more: Partial<SchemaPart> = {}): SchemaPart {
    let parts: SchemaPart[] | undefined;
    const part: SchemaPart = {
      schema,
      definition: undefined,
      core: undefined,
      alias: undefined,
      bytes,
      worth: undefined,
      isNamed: false,
      // Read later, because a definition may contain itself.
      get parts() {
        parts ??= partsOf(part);
        return parts;
      },
      ...more,
    };
    numbers.set(part, numbers.size);
    return part;
  }

  function partsOf({ schema, core, definition }: SchemaPart): SchemaPart[] {
    if (core) return [core];
    const referred = definition ? undefined : target(schema);
    if (referred) return [referred];
    const parts: SchemaPart[] = [];
    forEachSubschema(schema, (inner) => parts.push(of(inner)));
    return parts;
  }

  /** Returns the definition that a schema refers to. */
  function target(schema: DerivedSchema): SchemaPart | undefined {
    const definition = definitions.get(referredName(schema) ?? "");
    if (definition === undefined) return undefined;
    let part = byDefinition.get(definition.id);
    if (part === undefined) {
      const { label, hint } = definition;
      const { schema: content } = definition;
      const isNamed = label !== undefined;
      part = add(content, ownBytes(content), { definition, alias: label ?? hint, isNamed, worth: WORTH });
      byDefinition.set(definition.id, part);
    }
    return part;
  }

  function of(schema: DerivedSchema): SchemaPart {
    let part = byObject.get(schema);
    if (part === undefined) {
      part = find(schema);
      byObject.set(schema, part);
    }
    const name = names.get(schema);
    for (const known of [part, part.core]) if (known && name !== undefined) known.alias ??= name;
    return part;
  }

  function find(schema: DerivedSchema): SchemaPart {
    const referred = target(schema);
    if (referred) return Object.keys(schema).length === 1 ? referred : add(schema, ownBytes(schema));
    const { text, bytes } = ownText(schema, (inner) => numbers.get(of(inner)) ?? -1);
    let part = byText.get(text);
    if (part === undefined) {
      const core = coreOf(schema);
      part = add(schema, bytes - (core?.bytes ?? 0), { core, worth: isInline ? WORTH_IF_INLINE : worthOf(schema) });
      byText.set(text, part);
    }
    return part;
  }

  function coreOf(schema: DerivedSchema): SchemaPart | undefined {
    const { core, annotations } = splitAnnotations(schema);
    return Object.keys(annotations).length > 0 && Object.keys(core).length > 0 ? of(core) : undefined;
  }

  return { of, target };
}

/** Separates the keywords that describe a value from those that constrain it. */
function splitAnnotations(schema: DerivedSchema): { core: DerivedSchema; annotations: DerivedSchema } {
  const entries = Object.entries(schema);
  return {
    core: Object.fromEntries(entries.filter(([key]) => !ANNOTATIONS.has(key))),
    annotations: Object.fromEntries(entries.filter(([key]) => ANNOTATIONS.has(key))),
  };
}

function worthOf(schema: DerivedSchema): number {
  let isScalar = schema.enum === undefined;
  forEachSubschema(schema, () => {
    isScalar = false;
  });
  return isScalar ? WORTH_OF_SCALAR : WORTH;
}

/** Returns a schema as text with a number for each subschema, and the bytes of the schema without them. */
function ownText(schema: DerivedSchema, numberOf: (inner: DerivedSchema) => number): { text: string; bytes: number } {
  let digits = 0;
  let count = 0;
  const numbered = mapSubschemas<number>(schema, (inner) => {
    const number = numberOf(inner);
    digits += String(number).length;
    count++;
    return number;
  });
  const text = JSON.stringify(numbered);
  return { text, bytes: text.length - digits + count * "{}".length };
}

function ownBytes(schema: DerivedSchema): number {
  return ownText(schema, () => 0).bytes;
}
