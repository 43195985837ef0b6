import type { ManifestResource, ManifestTool } from "proffer/derived";
import type { DerivedSchema, JsonType } from "../model/json-schema.ts";
import type { Grammar } from "./grammars.ts";
import type { ValueText } from "./literal-grammars.ts";

/** A thing that a comment can describe. `property` is also the declaration of a type. */
export type Described = "tool" | "prompt" | "resource" | "parameter" | "property" | "result" | "module" | "setting";

/** The members that tags set in the manifest's entry of a function. The run-time passes them to `define*`. */
export type Entry = Partial<
  Pick<
    ManifestTool,
    | "title"
    | "annotations"
    | "timeout"
    | "task"
    | "requires"
    | "scopes"
    | "toolset"
    | "closed"
    | "maxResult"
    | "was"
    | "_meta"
  > &
    Pick<ManifestResource, "mimeType" | "tool"> & { readonly output: "none" | "schema" | "strict" }
>;

/** A tag of documentation comments. docs/tags.md is generated from these rows, and a test serves each example. */
export interface Tag<Value = unknown> {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly on: readonly Described[];
  readonly value: Grammar<Value>;
  /** It may appear several times in one comment. */
  readonly repeats?: true;
  /** Its effect, for the documentation. */
  readonly effect: string;
  /** A module with this tag. */
  readonly example: string;
  /** Sets members of the manifest's entry, if it describes a function. */
  readonly entry?: (value: Value) => Entry;
  /** Sets keywords of the schema, if it describes a value. */
  readonly keywords?: (value: Value, schema: DerivedSchema) => DerivedSchema;
  /** It restricts the callers. A mistake is an error, because the function would be open without the tag. */
  readonly protects?: true;
  /** The types of values that the keywords apply to. Default: all. */
  readonly types?: readonly JsonType[];
}

export const FUNCTIONS = ["tool", "prompt", "resource"] as const;
export const VALUES = ["parameter", "property", "result"] as const;

/** Checks the types of a row, and forgets the type of its value. */
export function row<Value>(tag: Tag<Value>): Tag {
  return tag as Tag;
}

/** Appends a paragraph to a description. */
export function withParagraph(description: string | undefined, paragraph: string): string {
  return [description, paragraph].filter(Boolean).join("\n\n");
}

/** Appends a deprecation note to a description. */
export function withDeprecation(description: string | undefined, reason: string): string {
  return withParagraph(description, reason === "" ? "Deprecated." : `Deprecated: ${reason}`);
}

/** Returns the keywords of a deprecated value. */
export function deprecate(reason: string, { description }: DerivedSchema): DerivedSchema {
  return { deprecated: true, ...(reason && { description: withDeprecation(description, reason) }) };
}

/** Returns the keywords of a default; its text becomes a sentence, unless the description says the same. */
export function setDefault({ value, text }: ValueText, { description }: DerivedSchema): DerivedSchema {
  const isSaid = text === undefined || description?.includes(text);
  return {
    ...(value !== undefined && { default: value }),
    ...(!isSaid && { description: withParagraph(description, `Default: ${text}`) }),
  };
}

export function addExample({ value, text }: ValueText, { examples = [], description }: DerivedSchema): DerivedSchema {
  if (value !== undefined) return { examples: [...examples, value] };
  return { description: withParagraph(description, `Example:\n${text}`) };
}

/** Returns the schema, and its alternatives, with `integer` in place of `number`. */
export function withInteger(schema: DerivedSchema): DerivedSchema {
  const { type, anyOf } = schema;
  const toInteger = (each: JsonType): JsonType => (each === "number" ? "integer" : each);
  return {
    ...schema,
    ...(type !== undefined && { type: typeof type === "string" ? toInteger(type) : type.map(toInteger) }),
    ...(anyOf && { anyOf: anyOf.map(withInteger) }),
  };
}
