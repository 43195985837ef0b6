import { type Conversion, type Definition, referredName } from "../model/conversion.ts";
import { type DerivedSchema, forEachSubschema, mapSubschemas } from "../model/json-schema.ts";
import type { Part } from "./sharing.ts";

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

/** The parts of a schema. Equal schemas, and uses of one definition, are one part. */
export interface SchemaParts {
  of(schema: DerivedSchema): SchemaPart;
  /** Returns the definition that a schema refers to. */
  target(schema: DerivedSchema): SchemaPart | undefined;
}

/** `isInline` leaves everything at its place except objects, and except schemas that would become huge. */
export function createParts({ definitions, names }: Conversion, isInline: boolean): SchemaParts {
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
export function splitAnnotations(schema: DerivedSchema): { core: DerivedSchema; annotations: DerivedSchema } {
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
