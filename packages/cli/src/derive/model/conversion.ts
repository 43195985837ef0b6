import type { Plan, PlanCondition } from "proffer/derived";
import type ts from "typescript";
import type { Origins } from "../program/origin.ts";
import type { DiagnosticCode } from "./diagnostics.ts";
import type { JsonSchema, JsonType } from "./json-schema.ts";

/** Which way the values go. What comes in is closed against unknown properties; what goes out is open. */
export type Direction = "in" | "out";

/** A type as JSON Schema, and how its values are written, if not as they are. Both may refer to definitions. */
export interface Converted {
  schema: JsonSchema;
  plan?: Plan;
}

/** A complaint whose place is known only as a node, or not at all if the type is not the author's. */
export interface Problem {
  code: DiagnosticCode;
  message: string;
  node: ts.Node | undefined;
}

/**
 * An object type, converted once for all the functions that use it. References name it by `id`; whether it becomes part
 * of `$defs` or is written out where it is used is decided for each schema by assemble.ts.
 */
export interface Definition extends Converted {
  id: string;
  /** What the author calls it; absent for a type without a name. */
  label: string | undefined;
  json: JsonType;
  problems: Problem[];
}

/** What is known of a union's members; whether a value tells which one it is can be said only when all plans are there. */
export interface UnionFacts {
  members: UnionMember[];
  /** The union as the author knows it; worked out only for a complaint. */
  text: () => string;
  subject: string;
  node: ts.Node | undefined;
}

export interface UnionMember extends Converted {
  /** What it is in JSON. */
  json: JsonType;
  /** The one string that it is, if it is a literal. */
  literal?: string;
  /** The property that tells it from the other objects. */
  when?: PlanCondition;
}

/** The conversion of types in one direction. */
export interface Conversion {
  readonly checker: ts.TypeChecker;
  readonly origins: Origins;
  readonly direction: Direction;
  readonly definitions: ReadonlyMap<string, Definition>;
  readonly unions: Map<Plan, UnionFacts>;
  /** What is being converted, as complaints call it. */
  subject: string;
  /** Where it is written. */
  place: ts.Node | undefined;
  /** Converts a type; `node` is how the author wrote it, which keeps the order of unions and the names of aliases. */
  convert(type: ts.Type, node?: ts.TypeNode): Converted;
  /** Converts a type in a place that cannot be absent: there, JSON writes undefined as null. */
  convertElement(type: ts.Type, node?: ts.TypeNode): Converted;
  /** Gives a reference to the definition of a type, which `make` converts at the first time. */
  define(type: ts.Type, label: string | undefined, json: JsonType, make: () => Converted): Converted;
  /** Converts a type that has no definition, unless it contains itself: then it gets one. */
  guard(type: ts.Type, json: JsonType, make: () => Converted): Converted;
  /** Applies the comment of a symbol. What is wrong with it is reported only to who wrote it. */
  document(schema: JsonSchema, symbol: ts.Symbol): JsonSchema;
  /** Writes out the definition that a schema refers to, so that this use of it can be changed. */
  inline(converted: Converted): Converted;
  report(code: DiagnosticCode, message: string, node?: ts.Node): void;
  /** Runs a conversion and gives the problems that it met, those of the definitions it refers to included. */
  collect(subject: string, place: ts.Node | undefined, run: () => Converted): Converted & { problems: Problem[] };
}

const REFERENCE = "#/$defs/";

/** A schema that stands for a definition. */
export function referenceTo(id: string): JsonSchema {
  return { $ref: REFERENCE + id };
}

/** What a schema is in JSON, as a member of a union. */
export function jsonOf({ definitions }: Conversion, schema: JsonSchema): JsonType {
  const name = referredName(schema);
  if (name !== undefined) return definitions.get(name)?.json ?? "object";
  return typeof schema.type === "string" ? schema.type : "object";
}

/** The name that a reference has of its definition. */
export function referredName(schema: JsonSchema): string | undefined {
  return schema.$ref?.startsWith(REFERENCE) ? schema.$ref.slice(REFERENCE.length) : undefined;
}
