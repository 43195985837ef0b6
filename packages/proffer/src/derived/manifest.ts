import type { Meta, ToolAnnotations } from "../protocol/model.ts";
import type { CodecOptions } from "../schema/custom-codec.ts";
import type { JsonSchemaObject } from "../schema/json-schema/types.ts";
import type { MaxResult, RequiredCapability, TaskOption } from "../tools/define.ts";
import type { TextKind } from "./codec-text.ts";

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

/** The members of every item. */
export interface ManifestItem {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly scopes?: readonly string[];
  readonly paramScopes?: ParamScopes;
  readonly toolset?: string;
  readonly _meta?: Meta;
  /** The reason, if any. The protocol has no field for it, so the description repeats it. */
  readonly deprecated?: string | true;
  readonly binding: Binding;
}

export interface ManifestTool extends ManifestItem {
  readonly inputSchema: JsonSchemaObject & { readonly type: "object" };
  readonly outputSchema?: JsonSchemaObject;
  readonly annotations?: ToolAnnotations;
  readonly timeout?: number;
  /** Its calls become tasks. */
  readonly task?: ManifestTask;
  readonly requires?: readonly RequiredCapability[];
  readonly closed?: boolean;
  readonly maxResult?: MaxResult;
  /** A result that does not match the output schema fails the call, instead of being sent as text. */
  readonly mismatch?: "error";
  /** Earlier names, which clients can still use. */
  readonly was?: readonly string[];
}

/** The option `task` in JSON, which has no `Infinity`: "background" means at `ctx.background()`. */
export interface ManifestTask extends Omit<TaskOption, "after"> {
  readonly after?: number | "background";
}

export interface ManifestPrompt extends ManifestItem {
  readonly arguments: readonly ManifestArgument[];
  /** Earlier names, which clients can still use. */
  readonly was?: readonly string[];
  readonly companion?: ManifestCompanion;
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

export interface ManifestResource extends ManifestItem {
  /** A URI, or a template if it has variables. */
  readonly uri: string;
  readonly mimeType?: string;
  /** Also a tool for every client. */
  readonly tool?: boolean;
  readonly variables: readonly ManifestVariable[];
  readonly companion?: ManifestCompanion;
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

/**
 * How to encode a value that JSON cannot represent. A plan exists only where there is work to do: parts that the plan
 * does not mention stay unchanged.
 */
export type Plan =
  | { kind: TextKind }
  | { kind: "array"; items: Plan }
  /** By position; null leaves an element unchanged. `rest` applies to further elements. */
  | { kind: "tuple"; items: (Plan | null)[]; rest?: Plan }
  /** By name; `rest` applies to names that are not in `properties`. */
  | { kind: "object"; properties?: Record<string, Plan>; rest?: Plan }
  /** A Set as an array. */
  | { kind: "set"; items?: Plan }
  /** A Map with string keys as an object. */
  | { kind: "map"; values?: Plan }
  /** A Map with other keys as an array of pairs. */
  | { kind: "entries"; keys?: Plan; values?: Plan }
  /** The first option that recognizes the value; strings in `keep` stay unchanged. */
  | { kind: "union"; options: PlanOption[]; keep?: string[] }
  /** A plan in the codec's `defs`, for recursive types. */
  | { kind: "ref"; name: string }
  | CustomPlan
  | ResultPlan;

/** A codec of the author. */
export interface CustomPlan {
  kind: "custom";
  /** The export of the module with the codec, or, in a linked plan, the codec. */
  codec: string | CodecOptions<unknown, unknown>;
  /** The name of its type, for messages. */
  name: string;
  /** The JSON types of its JSON form; absent if it may have any. */
  types?: ("null" | "boolean" | "number" | "string" | "array" | "object")[];
  /** The plan of the JSON form, if it has parts that JSON cannot represent. */
  json?: Plan;
}

/** Plans that exist only in results: JSON does not say which class to decode to. */
export type ResultPlan =
  /** Any value, by its class at run time. */
  | { kind: "any" }
  /** An Error as its name and message. */
  | { kind: "error" }
  /** The value that the method `toJSON` returns, encoded by another plan. */
  | { kind: "json"; value?: Plan }
  /** An element of an array, where JSON writes undefined as null. */
  | { kind: "nullable"; value?: Plan };

export interface PlanOption {
  plan: Plan;
  /** The option applies to objects whose property has one of these values. */
  when?: PlanCondition;
}

export interface PlanCondition {
  property: string;
  values: (string | number | boolean | null)[];
  /** The option also applies to objects without the property. */
  absent?: true;
}

/** A plan and the named plans that it refers to, as plain JSON. */
export interface Codec {
  plan: Plan;
  defs?: Record<string, Plan>;
  /** A plan is a codec of the author, so the plans must be linked with the module. */
  custom?: true;
}
