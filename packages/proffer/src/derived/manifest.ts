import type { Meta, ToolAnnotations } from "../protocol/model.ts";
import type { JsonSchemaObject } from "../schema/json-schema/types.ts";
import type { RequiredCapability } from "../tools/define.ts";
import type { MaxResult } from "../tools/max-result.ts";
import type { TaskOption } from "../tools/task-option.ts";
import type { Codec } from "./plan.ts";

/**
 * The tools, prompts and resources derived from a module, as plain JSON: enough to serve the module without analyzing
 * its types again.
 *
 * Internal: used by @proffer/cli and by the code that `proffer build` writes. No stability promise.
 *
 * @internal
 */
export interface Manifest {
  readonly server: { readonly name: string; readonly version: string; readonly instructions?: string };
  readonly tools: readonly ManifestTool[];
  readonly prompts: readonly ManifestPrompt[];
  readonly resources: readonly ManifestResource[];
  /** The file and line of each function, by its path; only if the functions are added to a server of the author. */
  readonly places?: { readonly [path: string]: string };
  /** The environment variables that the module reads by `defineSettings`; absent if there are none. */
  readonly settings?: ManifestSettings;
}

/** A JSON Schema with a property for each variable. Secrets are `writeOnly`. */
export interface ManifestSettings {
  readonly type: "object";
  readonly properties: { readonly [name: string]: JsonSchemaObject };
  readonly required?: readonly string[];
}

export interface ManifestTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonSchemaObject & { readonly type: "object" };
  readonly outputSchema?: JsonSchemaObject;
  readonly annotations?: ToolAnnotations;
  readonly timeout?: number;
  /** Its calls become tasks. */
  readonly task?: ManifestTask;
  readonly requires?: readonly RequiredCapability[];
  readonly scopes?: readonly string[];
  readonly paramScopes?: ParamScopes;
  readonly toolset?: string;
  readonly closed?: boolean;
  readonly maxResult?: MaxResult;
  /** Earlier names, which clients can still use. */
  readonly was?: readonly string[];
  readonly _meta?: Meta;
  /** The reason, if any. The protocol has no field for it, so the description repeats it. */
  readonly deprecated?: string | true;
  readonly binding: Binding;
}

/** The option `task` in JSON, which has no `Infinity`: "background" means at `ctx.background()`. */
export interface ManifestTask extends Omit<TaskOption, "after"> {
  readonly after?: number | "background";
}

export interface ManifestPrompt {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments: readonly ManifestArgument[];
  /** Earlier names, which clients can still use. */
  readonly was?: readonly string[];
  readonly scopes?: readonly string[];
  readonly paramScopes?: ParamScopes;
  readonly toolset?: string;
  readonly _meta?: Meta;
  /** The reason, if any. The protocol has no field for it, so the description repeats it. */
  readonly deprecated?: string | true;
  readonly companion?: ManifestCompanion;
  readonly binding: Binding;
}

/** The scopes that an argument or variable requires, by its name. */
export type ParamScopes = { readonly [name: string]: readonly string[] };

/** The code that the companion of a function adds; it is imported with the module. */
export interface ManifestCompanion {
  /** The names of the arguments with completions. */
  readonly complete?: readonly string[];
  readonly list?: true;
  readonly exists?: true;
  readonly watch?: true;
}

export interface ManifestArgument {
  readonly name: string;
  readonly description?: string;
  readonly required: boolean;
  /** The schema of the string. */
  readonly schema: JsonSchemaObject;
  /** All possible values, if there is a fixed set. */
  readonly complete?: readonly string[];
}

export interface ManifestResource {
  /** A URI, or a template if it has variables. */
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  /** Also a tool for every client. */
  readonly tool?: boolean;
  readonly _meta?: Meta;
  readonly variables: readonly ManifestVariable[];
  readonly scopes?: readonly string[];
  readonly paramScopes?: ParamScopes;
  readonly toolset?: string;
  /** The reason, if any. The protocol has no field for it, so the description repeats it. */
  readonly deprecated?: string | true;
  readonly companion?: ManifestCompanion;
  readonly binding: Binding;
}

export interface ManifestVariable {
  readonly name: string;
  readonly required: boolean;
  /** The type to which the URI text is converted before validation. */
  readonly type: "string" | "number" | "integer" | "boolean" | "list";
  /** The schema of the value, with its default and limits. */
  readonly schema: JsonSchemaObject;
  readonly complete?: readonly string[];
}

/** How to call the author's function. */
export interface Binding {
  /** The name of the export, then the member names down to the function. `this` is the object that holds it. */
  readonly path: readonly string[];
  /** The source of each parameter, in order. */
  readonly parameters: readonly BoundParameter[];
  /** Decodes the arguments object before it is split into parameters. */
  readonly decode?: Codec;
  readonly result: BoundResult;
}

export type BoundParameter =
  /** The argument with this name; undefined if absent, so that the author's default applies. */
  | { readonly kind: "argument"; readonly name: string }
  /** The argument with this name, spread over the remaining parameters. */
  | { readonly kind: "rest"; readonly name: string }
  /** The whole arguments object. `names` maps the names of arguments to other names of the function's properties. */
  | { readonly kind: "arguments"; readonly names?: { readonly [argument: string]: string } }
  | { readonly kind: "context" };

export interface BoundResult {
  /**
   * `value`: the returned value. `iterable`: the items of an iterable or async iterable, collected into an array.
   * `content`: content blocks, bytes, streams or nothing, passed on unchanged, or
   * data beside them. `result`: the result of the call, by its
   * type; properties that no result has are dropped.
   */
  readonly kind: "value" | "iterable" | "content" | "result";
  /** Whether to convert `undefined` to null, because the output schema allows null. */
  readonly nullable?: true;
  /** Encodes the value, the array of items, or the value in `result(…)`; not content. */
  readonly encode?: Codec;
  /** Drops the properties that this schema does not have from the encoded value. Tools use their output schema. */
  readonly closed?: JsonSchemaObject;
}
