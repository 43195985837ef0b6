import type { Complete } from "../catalog/completion.ts";
import { checkName } from "../catalog/names.ts";
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
import { toReadResult } from "../results/to-result.ts";
import { UsageError } from "../support/usage-error.ts";
import { parseTemplate, type Template, TemplateError, type TemplateVariables } from "../uri/template.ts";
import { type ParamChecks, type Params, toParamChecks } from "./check-params.ts";
import type { ListFunction } from "./list.ts";
import type { ParamSource } from "./params/param.ts";
import { DEFAULT_RULES, type ResourceRules } from "./rules.ts";
import type { ParamSources, ResourceParams } from "./types.ts";
import type { Watch } from "./watch.ts";

interface ResourceCommon<Uri extends string> {
  /** A URI, or a template of them: `orders://{orderId}`. */
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
  /** How long clients may keep what they read, and whether they may share it. Default: the server's. */
  readonly cache?: Partial<CacheHints>;
}

/** A resource whose content never changes: serialised once. */
export interface FixedResourceOptions<Uri extends string> extends ResourceCommon<Uri> {
  readonly content: string | Uint8Array | object;
  readonly read?: undefined;
}

/** What a handler of reads may return: see the table in docs/resources.md. */
export type ReadReturn = unknown | Contents;

/** A resource, or a family of them, whose content is computed by each read. */
export interface ReadResourceOptions<Uri extends string, Sources> extends ResourceCommon<Uri> {
  readonly content?: undefined;
  /** What the variables of the template may be, and what becomes of them. Default: any text that leads nowhere. */
  readonly params?: Sources;
  /** The resources that the template stands for. Without it, clients see the template only. */
  readonly list?: ListFunction;
  /** Suggestions for the variables of the template. Default: from `params` and `list`. */
  readonly complete?: { readonly [Name in TemplateVariables<Uri>]?: Complete };
  /** Whether the template is listed without its `{?…}`, which reads accept nevertheless. Default: false. */
  readonly hideQuery?: boolean;
  /** Whether there is such a resource, for those who subscribe to it. Default: there is. */
  exists?(params: ResourceParams<Uri, Sources>, ctx: Context): boolean | Promise<boolean>;
  /** Tells of changes while somebody listens. */
  readonly watch?: Watch;
  read(params: ResourceParams<Uri, Sources>, ctx: Context): ReadReturn | Promise<ReadReturn>;
}

export type ResourceOptions<Uri extends string, Sources = unknown> =
  | FixedResourceOptions<Uri>
  | ReadResourceOptions<Uri, Sources>;

/** A resource or a template, checked and ready to be served. */
export interface Resource {
  /** The URI, or the text of the template. */
  readonly uri: string;
  readonly name: string;
  /** Absent for a single URI. */
  readonly template: Template | undefined;
  readonly description: ResourceDescription | TemplateDescription;
  readonly mimeType: string | undefined;
  readonly cache: Partial<CacheHints> | undefined;
  readonly rules: ResourceRules;
  readonly checks: ParamChecks;
  readonly complete: ReadonlyMap<string, Complete>;
  readonly list: ListFunction | undefined;
  readonly watch: Watch | undefined;
  readonly exists: ((params: Params, ctx: Context) => boolean | Promise<boolean>) | undefined;
  /** What never changes, in place of `read`. */
  readonly content: string | Uint8Array | object | undefined;
  read(params: Params, ctx: Context): unknown;
}

/** Options of either kind, before it is known which. */
type AnyOptions<Uri extends string, Sources> = Omit<ReadResourceOptions<Uri, Sources>, "content" | "read"> & {
  readonly content?: FixedResourceOptions<Uri>["content"] | undefined;
  readonly read?: ReadResourceOptions<Uri, Sources>["read"] | undefined;
};

/** Describes a resource or a template of resources. @throws {UsageError} for what could not be served. */
export function defineResource<
  const Uri extends string,
  const Sources extends ParamSources<Uri> = Record<never, never>,
>(options: ResourceOptions<Uri, Sources>): Resource {
  const { uri, content, read, cache, params, list, complete, hideQuery, exists, watch, ...described } =
    options as AnyOptions<Uri, Sources>;
  checkName(options.name, `resource ${String(uri)}`);
  const template = toTemplate(uri);
  if ((content === undefined) === (read === undefined)) {
    throw new UsageError("bad_option", `Resource ${uri} needs either content or a read function.`);
  }
  if (content !== undefined && template !== undefined) {
    throw new UsageError("bad_option", `Resource ${uri} is a template: its content must come from a read function.`);
  }
  if (list !== undefined && template === undefined) {
    throw new UsageError("bad_option", `Resource ${uri} is a single one: only a template has a list.`);
  }
  checkDescription(described, uri);
  if (content !== undefined) void toReadResult(content, { uri });
  const checks = toParamChecks(template, (params ?? {}) as Record<string, ParamSource>, uri);
  return {
    uri,
    name: options.name,
    template,
    description:
      template === undefined
        ? { uri, ...described }
        : { uriTemplate: hideQuery ? withoutQuery(uri) : uri, ...described },
    mimeType: options.mimeType,
    cache,
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

/** The text of a template without the part that is a query. */
export function withoutQuery(template: string): string {
  return template.replace(/\{[?&][^}]*\}/g, "");
}

const UNLIMITED = { maxLength: Number.POSITIVE_INFINITY, maxUriLength: Number.POSITIVE_INFINITY };

function toTemplate(uri: string): Template | undefined {
  if (typeof uri !== "string" || uri === "") throw new UsageError("bad_template", "A resource needs a uri.");
  if (!uri.includes("{") && !uri.includes("}")) return undefined;
  try {
    // How long they may be is for the server to say that they are added to.
    const template: Template = parseTemplate(uri, UNLIMITED);
    if (template.ambiguity !== undefined) throw new UsageError("bad_template", template.ambiguity);
    return template;
  } catch (cause) {
    if (cause instanceof TemplateError) throw new UsageError("bad_template", cause.message, { cause });
    throw cause;
  }
}

/** What the author says of each variable; otherwise the values that it can have, where they are few enough to declare. */
function toComplete(checks: ParamChecks, given: Readonly<Record<string, Complete>>): ReadonlyMap<string, Complete> {
  const all = new Map<string, Complete>();
  for (const { name, param } of [...checks.path, ...checks.query]) {
    if (param.choices !== undefined) all.set(name, param.choices);
  }
  for (const [name, complete] of Object.entries(given)) all.set(name, complete);
  return all;
}

function checkDescription(described: { size?: number; annotations?: Annotations }, uri: string): void {
  const { size, annotations } = described;
  if (size !== undefined && !(Number.isSafeInteger(size) && size >= 0)) {
    throw new UsageError("bad_option", `Resource ${uri}: size must be a number of bytes from 0, not ${size}.`);
  }
  const priority = annotations?.priority;
  if (priority === undefined || (priority >= 0 && priority <= 1)) return;
  throw new UsageError("bad_option", `Resource ${uri}: annotations.priority must be from 0 to 1, not ${priority}.`);
}
