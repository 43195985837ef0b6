import type { Complete } from "../catalog/completion.ts";
import { checkHints } from "../catalog/pages.ts";
import type { Grouped, ToolsetOption } from "../catalog/registry.ts";
import { checkName } from "../catalog/registry.ts";
import { type Scoped, type ScopeOptions, toScoped } from "../catalog/scopes.ts";
import type {
  Annotations,
  CacheHints,
  Icon,
  Meta,
  ResourceDescription,
  TemplateDescription,
} from "../protocol/model.ts";
import type { Context } from "../questions/context.ts";
import type { Contents } from "../results/content.ts";
import { toReadResult } from "../results/return-value.ts";
import { checkFlag, UsageError } from "../support/usage-error.ts";
import { TemplateError } from "../uri/parse.ts";
import { parseTemplate, type Template, type TemplateVariables } from "../uri/template.ts";
import { type ParamChecks, type Params, toParamChecks } from "./check-params.ts";
import type { ListFunction } from "./list.ts";
import type { ParamSource, ParamSources, ResourceParams } from "./param.ts";
import { DEFAULT_RULES, type ResourceRules } from "./rules.ts";
import type { Watch } from "./watch.ts";

interface ResourceCommon<Uri extends string> extends ScopeOptions, ToolsetOption {
  /** A URI, or a URI template such as `orders://{orderId}`. */
  readonly uri: Uri;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  /** In bytes. */
  readonly size?: number;
  readonly annotations?: Annotations;
  readonly icons?: readonly Icon[];
  readonly _meta?: Meta;
  /** Also a tool for every client, whatever `resourceTools` of the server says; "never" for none. Default: false. */
  readonly tool?: boolean | "never";
  /** How long clients may cache the result, and whether they may share it. Default: the server's hints. */
  readonly cache?: Partial<CacheHints>;
}

/** Options for a resource with fixed content, which is serialized once per protocol revision. */
export interface FixedResourceOptions<Uri extends string> extends ResourceCommon<Uri> {
  readonly content: string | Uint8Array | object;
  readonly read?: undefined;
}

/** The return value of a `read` handler; see the table in docs/resources.md. */
export type ReadReturn = unknown | Contents;

/** Options for a resource or a template whose content is computed on each read. */
export interface ReadResourceOptions<Uri extends string, Sources> extends ResourceCommon<Uri> {
  readonly content?: undefined;
  /** Checks for the template variables. Default: any text without dot segments. */
  readonly params?: Sources;
  /** Lists the resources of the template. Without it, clients see only the template. */
  readonly list?: ListFunction;
  /** Completions for the template variables. Default: from `params` and `list`. */
  readonly complete?: { readonly [Name in TemplateVariables<Uri>]?: Complete };
  /** Whether to list the template without its `{?…}`. Reads accept the query in either case. Default: false. */
  readonly hideQuery?: boolean;
  /** Whether the resource exists; called when a client subscribes to it. Default: it exists. */
  exists?(params: ResourceParams<Uri, Sources>, ctx: Context): boolean | Promise<boolean>;
  /** Reports changes while a client listens. */
  readonly watch?: Watch;
  read(params: ResourceParams<Uri, Sources>, ctx: Context): ReadReturn | Promise<ReadReturn>;
}

export type ResourceOptions<Uri extends string, Sources = unknown> =
  | FixedResourceOptions<Uri>
  | ReadResourceOptions<Uri, Sources>;

/** Distinguishes a resource from plain options; the name of this type is the hint in the compiler's error. */
export interface CreatedByDefineResource {
  readonly kind: "resource";
}

/** A validated resource or template. Create it with `defineResource`. */
export interface Resource<Uri extends string = string> extends CreatedByDefineResource, Scoped, Grouped {
  /** The URI, or the text of the template. */
  readonly uri: Uri;
  readonly name: string;
  /** Undefined for a single URI. */
  readonly template: Template | undefined;
  readonly description: ResourceDescription | TemplateDescription;
  readonly mimeType: string | undefined;
  readonly cache: Partial<CacheHints> | undefined;
  /** Also a tool for every client; "never" for none. */
  readonly tool: boolean | "never";
  /** @internal */
  readonly rules: ResourceRules;
  /** @internal */
  readonly checks: ParamChecks;
  readonly complete: ReadonlyMap<string, Complete>;
  readonly list: ListFunction | undefined;
  readonly watch: Watch | undefined;
  readonly exists: ((params: Params, ctx: Context) => boolean | Promise<boolean>) | undefined;
  /** Fixed content, instead of `read`. */
  readonly content: string | Uint8Array | object | undefined;
  read(params: Params, ctx: Context): unknown;
}

/** Options of either kind. */
type AnyOptions<Uri extends string, Sources> = Omit<ReadResourceOptions<Uri, Sources>, "content" | "read"> & {
  readonly content?: FixedResourceOptions<Uri>["content"] | undefined;
  readonly read?: ReadResourceOptions<Uri, Sources>["read"] | undefined;
};

/**
 * Defines a resource or a resource template. @throws {UsageError} for options that cannot be served.
 *
 * @example
 * defineResource({ uri: "docs://terms", name: "Terms", mimeType: "text/markdown", content: "# Terms" });
 *
 * defineResource({
 *   uri: "orders://{orderId}{?limit}",
 *   name: "Order",
 *   params: { orderId: /\d+/, limit: param.integer({ default: 100, max: 10_000 }) },
 *   read: ({ orderId, limit }) => loadOrder(orderId, limit), // orderId: string, limit: number
 * });
 */
export function defineResource<
  const Uri extends string,
  const Sources extends ParamSources<Uri> = Record<never, never>,
>(options: ResourceOptions<Uri, Sources>): Resource<Uri> {
  const {
    uri,
    content,
    read,
    cache,
    tool = false,
    params,
    list,
    complete,
    hideQuery,
    exists,
    watch,
    ...rest
  } = options as AnyOptions<Uri, Sources>;
  const { scopes: _scopes, paramScopes: _params, toolset, ...described } = rest;
  checkName(options.name, `resource ${String(uri)}`);
  const template = toTemplate(uri);
  if ((content === undefined) === (read === undefined)) {
    throw new UsageError(`Resource ${uri} needs either content or a read function.`);
  }
  if (content !== undefined && template !== undefined) {
    throw new UsageError(`Resource ${uri} is a template and needs a read function instead of content.`);
  }
  if (list !== undefined && template === undefined) {
    throw new UsageError(`Resource ${uri} is not a template; only a template can have a list.`);
  }
  checkDescription(described, uri);
  if (tool !== "never") checkFlag("tool", tool, `Resource ${uri}`);
  if (cache !== undefined) checkHints(cache, `Resource ${uri}`);
  if (content !== undefined) void toReadResult(content, { uri });
  const checks = toParamChecks(template, (params ?? {}) as Record<string, ParamSource>, uri);
  return {
    kind: "resource",
    ...toScoped(rest, () => template?.variables.map((variable) => variable.name) ?? [], `Resource ${uri}`),
    uri,
    name: options.name,
    toolset,
    template,
    description:
      template === undefined
        ? { uri, ...described }
        : { uriTemplate: hideQuery ? withoutQuery(uri) : uri, ...described },
    mimeType: options.mimeType,
    cache,
    tool,
    rules: DEFAULT_RULES,
    checks,
    complete: toComplete(checks, (complete ?? {}) as Record<string, Complete>),
    list,
    watch,
    exists: exists as Resource["exists"],
    content,
    read: (read ?? (() => content)) as Resource["read"],
  };
}

/** Returns the text of a template without its query expressions. */
export function withoutQuery(template: string): string {
  return template.replace(/\{[?&][^}]*\}/g, "");
}

function toTemplate(uri: string): Template | undefined {
  if (typeof uri !== "string" || uri === "") throw new UsageError("A resource needs a uri.", "bad_template");
  if (!uri.includes("{") && !uri.includes("}")) return undefined;
  try {
    // The server that the resource is added to checks the lengths.
    const template = parseTemplate(uri, {
      maxLength: Number.POSITIVE_INFINITY,
      maxUriLength: Number.POSITIVE_INFINITY,
    });
    if (template.ambiguity !== undefined) throw new UsageError(template.ambiguity, "bad_template");
    return template;
  } catch (cause) {
    if (cause instanceof TemplateError) throw new UsageError(cause.message, "bad_template", { cause });
    throw cause;
  }
}

/** Collects the completions of each variable: the author's, or else the choices of its parameter. */
function toComplete(checks: ParamChecks, given: Readonly<Record<string, Complete>>): ReadonlyMap<string, Complete> {
  const all = new Map<string, Complete>();
  for (const { name, param } of [...checks.path, ...checks.query]) {
    if (Array.isArray(param.source)) all.set(name, param.source);
  }
  for (const [name, complete] of Object.entries(given)) all.set(name, complete);
  return all;
}

function checkDescription(described: { size?: number; annotations?: Annotations }, uri: string): void {
  const { size, annotations } = described;
  if (size !== undefined && !(Number.isSafeInteger(size) && size >= 0)) {
    throw new UsageError(`Resource ${uri}: size must be a non-negative number of bytes, not ${size}.`);
  }
  const priority = annotations?.priority;
  if (priority === undefined || (priority >= 0 && priority <= 1)) return;
  throw new UsageError(`Resource ${uri}: annotations.priority must be between 0 and 1, not ${priority}.`);
}
