import type { ToolAnnotations } from "../protocol/model.ts";
import type { JsonSchemaObject } from "../schema/json-schema/types.ts";
import type { Codec } from "./codec.ts";

/** What was derived from a module: plain data, from which it can be served without looking at its types again. */
export interface Manifest {
  readonly server: { readonly name: string; readonly version: string; readonly instructions?: string };
  readonly tools: readonly ManifestTool[];
  readonly prompts: readonly ManifestPrompt[];
  readonly resources: readonly ManifestResource[];
}

export interface ManifestTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonSchemaObject & { readonly type: "object" };
  readonly outputSchema?: JsonSchemaObject;
  readonly annotations?: ToolAnnotations;
  /** The protocol has no word for it: the description says it, and the reason, too. */
  readonly deprecated?: string | true;
  readonly binding: Binding;
}

export interface ManifestPrompt {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments: readonly ManifestArgument[];
  /** The protocol has no word for it: the description says it, and the reason, too. */
  readonly deprecated?: string | true;
  readonly binding: Binding;
}

export interface ManifestArgument {
  readonly name: string;
  readonly description?: string;
  readonly required: boolean;
  /** What the string must satisfy. */
  readonly schema: JsonSchemaObject;
  /** All values that the argument can have, if they are known. */
  readonly complete?: readonly string[];
}

export interface ManifestResource {
  /** A URI, or a template if there are variables. */
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly variables: readonly ManifestVariable[];
  /** The protocol has no word for it: the description says it, and the reason, too. */
  readonly deprecated?: string | true;
  readonly binding: Binding;
}

export interface ManifestVariable {
  readonly name: string;
  readonly required: boolean;
  /** What the text of the URI is turned into before `schema` is applied. */
  readonly type: "string" | "number" | "integer" | "boolean" | "list";
  /** What the value must satisfy, with its default and its limits. */
  readonly schema: JsonSchemaObject;
  readonly complete?: readonly string[];
}

/** How the author's function is called. */
export interface Binding {
  /** The export, then the members that lead to the function; it is called as a method of what holds it. */
  readonly path: readonly string[];
  /** What each parameter gets, in order. */
  readonly parameters: readonly BoundParameter[];
  /** Applies to the object of all arguments, before they are handed out. */
  readonly decode?: Codec;
  readonly result: BoundResult;
}

export type BoundParameter =
  /** The argument of that name; undefined if it is absent, so that the author's default applies. */
  | { readonly kind: "argument"; readonly name: string }
  /** The argument of that name, spread over the remaining parameters. */
  | { readonly kind: "rest"; readonly name: string }
  /** The object of all arguments. */
  | { readonly kind: "arguments" }
  | { readonly kind: "context" };

export interface BoundResult {
  /**
   * `value`: as returned. `iterable`: the items of an iterable or async iterable, collected into an array.
   * `content`: content blocks, bytes, streams or nothing, to be answered with as it is.
   */
  readonly kind: "value" | "iterable" | "content";
  /** The function may return nothing where the output schema has null. */
  readonly nullable?: true;
  /** Applies to the value, to the array of items, or to what `result(…)` wraps; not to content. */
  readonly encode?: Codec;
}
