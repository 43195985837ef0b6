import type { ManifestResource, ManifestTool } from "proffer/derived";
import type { DerivedSchema, JsonType } from "../model/json-schema.ts";
import type { Grammar } from "./grammars.ts";

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
    Pick<ManifestResource, "mimeType" | "tool">
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
  /** It restricts who may call. A mistake is an error, because the function would be open without the tag. */
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
