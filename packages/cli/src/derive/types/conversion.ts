import type { Plan, PlanCondition } from "proffer/derived";
import type ts from "typescript";
import type { DiagnosticCode, TextPlace } from "../model/diagnostics.ts";
import type { DerivedSchema, JsonType } from "../model/json-schema.ts";
import type { Origins } from "../program/origin.ts";
import type { CustomCodecs } from "./custom-codecs.ts";

/** The direction of the values. Input schemas reject unknown properties, output schemas allow them. */
export type Direction = "in" | "out";

/** A type as JSON Schema, and a plan for values that JSON cannot represent directly. Both may refer to definitions. */
export interface Converted {
  schema: DerivedSchema;
  plan?: Plan;
}

/** A diagnostic with its node or tag, which is undefined if the type is not the author's. */
export interface Problem {
  code: DiagnosticCode;
  message: string;
  node: ts.Node | TextPlace | undefined;
  /** The package that declares the type, if it is not the author's. */
  library?: string | undefined;
  /** The way from the parameter or the result to the type, such as `.options.items[]`. */
  path?: string;
}

/**
 * An object type, converted once for all functions that use it. References contain its `id`. For each schema,
 * sharing.ts decides whether it becomes part of `$defs` or is inlined.
 */
export interface Definition extends Converted {
  id: string;
  /** The name in the author's code; undefined for an anonymous type. */
  label: string | undefined;
  /** A name for an anonymous type if its schema is shared, such as `PartialOrder`. */
  hint: string | undefined;
  json: JsonType;
  problems: Problem[];
}

/** Facts about a union. Whether its values are ambiguous can be decided only when all plans are complete. */
export interface UnionFacts {
  members: UnionMember[];
  /** Returns the union as source text; computed only for a diagnostic. */
  text: () => string;
  subject: string;
  node: ts.Node | undefined;
}

export interface UnionMember extends Converted {
  /** Its JSON type. */
  json: JsonType;
  /** The value of a string literal. */
  literal?: string;
  /** The discriminator that distinguishes it from the other objects. */
  when?: PlanCondition;
}

/** The conversion of types in one direction. */
export interface Conversion {
  readonly checker: ts.TypeChecker;
  readonly origins: Origins;
  readonly codecs: CustomCodecs;
  readonly direction: Direction;
  /** Set if the values are settings, which have other tags. */
  readonly describes?: "setting" | undefined;
  readonly definitions: ReadonlyMap<string, Definition>;
  readonly unions: Map<Plan, UnionFacts>;
  /** The names of the aliases that schemas without a definition come from. */
  readonly names: WeakMap<DerivedSchema, string>;
  /** The results of `isOnlyInCode`. */
  readonly onlyInCode: Map<ts.Type, boolean>;
  /** The name of the converted thing, for diagnostics. */
  subject: string;
  /** Its declaration, if it is the author's. */
  place: ts.Node | undefined;
  /** Its package, if it is not the author's. */
  library: string | undefined;
  /** Converts a type. `node` is its source text, which preserves the order of unions and the names of aliases. */
  convert(type: ts.Type, node?: ts.TypeNode): Converted;
  /** Converts the type of an array element, where JSON writes undefined as null. */
  convertElement(type: ts.Type, node?: ts.TypeNode): Converted;
  /** Returns a reference to the definition of a type. `make` is called later, once for each type. */
  define(type: ts.Type, label: string | undefined, json: JsonType, make: () => Converted): Converted;
  /** Converts a type without a definition. A recursive type gets one. */
  enter(type: ts.Type, json: JsonType, make: () => Converted): Converted;
  /** Applies the comment of a symbol. Problems are reported only if the comment is the author's. */
  document(schema: DerivedSchema, symbol: ts.Symbol): DerivedSchema;
  /** Inlines the definition that a schema refers to, so that this use can be changed separately. */
  inline(converted: Converted): Converted;
  report(code: DiagnosticCode, message: string, node?: ts.Node | TextPlace): void;
  /** Runs a conversion and returns its problems, including those of the definitions that it refers to. */
  collect(subject: string, place: ts.Node | undefined, run: () => Converted): Converted & { problems: Problem[] };
}

const REFERENCE = "#/$defs/";

/** Returns a schema that refers to a definition. */
export function referenceTo(id: string): DerivedSchema {
  return { $ref: REFERENCE + id };
}

/** Returns the JSON type of a schema, as a member of a union. */
export function jsonOf({ definitions }: Conversion, schema: DerivedSchema): JsonType {
  const name = referredName(schema);
  if (name !== undefined) return definitions.get(name)?.json ?? "object";
  return typeof schema.type === "string" ? schema.type : "object";
}

/** Returns the name of the definition that a schema refers to. */
export function referredName(schema: DerivedSchema): string | undefined {
  return schema.$ref?.startsWith(REFERENCE) ? schema.$ref.slice(REFERENCE.length) : undefined;
}

/** Returns a list of a converted type. */
export function listOf({ schema, plan }: Converted): Converted {
  return { schema: { type: "array", items: schema }, ...(plan && { plan: { kind: "array", items: plan } }) };
}
