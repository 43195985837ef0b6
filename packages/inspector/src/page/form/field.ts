import type { Json } from "../../protocol/data.ts";

/** The members of every field. Texts come from the server: show them with `visible`. */
interface FieldFacts {
  readonly title?: string;
  readonly description?: string;
  readonly default?: Json;
  readonly examples: readonly Json[];
  /** Type and constraints in words: "text · at most 40 characters". */
  readonly hint: string;
  readonly nullable: boolean;
  readonly deprecated: boolean;
}

/** Plans a child when a form shows it, so that recursive types need no end. */
export type Later = () => Field;

export interface TextShape {
  readonly kind: "text";
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  /** Whether the text may have several lines. */
  readonly area: boolean;
}

interface NumberShape {
  readonly kind: "number";
  readonly integer: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
}

export interface Choice {
  readonly value: Json;
  readonly label: string;
}

/** `enum`, `const`, or alternatives that are all constants. */
interface ChoiceShape {
  readonly kind: "choice";
  readonly choices: readonly Choice[];
}

interface ArrayShape {
  readonly kind: "array";
  /** The items of a tuple, by position. */
  readonly prefix: readonly Later[];
  /** All other items; undefined if there are none. */
  readonly items?: Later;
  readonly minItems: number;
  readonly maxItems?: number;
  readonly unique: boolean;
}

export interface Property {
  readonly name: string;
  readonly required: boolean;
  readonly field: Later;
}

interface ObjectShape {
  readonly kind: "object";
  readonly properties: readonly Property[];
  /** The values of names that can be added; undefined if the schema names none. */
  readonly extra?: Later;
  readonly minProperties: number;
}

export interface UnionShape {
  readonly kind: "union";
  readonly branches: readonly { readonly label: string; readonly field: Later }[];
  /** A property whose value decides, and the branch of each value. */
  readonly tag?: { readonly name: string; readonly values: readonly Json[] };
}

/** A value that no control shows: it is edited as JSON, and only it. */
interface JsonShape {
  readonly kind: "json";
  /** Why, in words; undefined if any value is allowed. */
  readonly reason?: string;
}

export type Shape =
  | TextShape
  | NumberShape
  | { readonly kind: "boolean" }
  | { readonly kind: "null" }
  | ChoiceShape
  | ArrayShape
  | ObjectShape
  | UnionShape
  | JsonShape;

export type Field = FieldFacts & Shape;
