import type {
  Annotations,
  CacheHints,
  Icon,
  Meta,
  ResourceDescription,
  TemplateDescription,
} from "../protocol/model.ts";
import { parseTemplate, type Template, TemplateError, type TemplateValues } from "../uri/template.ts";
import type { Complete } from "./completion.ts";
import type { Contents } from "./content.ts";
import type { Context } from "./context.ts";
import { checkName } from "./names.ts";
import { toReadResult } from "./results.ts";
import { UsageError } from "./usage-error.ts";

interface ResourceCommon<Uri extends string> {
  /** A URI, or a template of them: `orders://{orderId}`. */
  readonly uri: Uri;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly annotations?: Annotations;
  readonly icons?: readonly Icon[];
  readonly _meta?: Meta;
  /** How long clients may keep what they read, and whether they may share it. Default: the server's. */
  readonly cache?: Partial<CacheHints>;
}

/** A resource whose content never changes: serialised once. */
export interface FixedResourceOptions<Uri extends string> extends ResourceCommon<Uri> {
  readonly content: string | Uint8Array | object;
  readonly size?: number;
  readonly read?: undefined;
}

/** What a handler of reads may return: see the table in docs/resources.md. */
export type ReadReturn = unknown | Contents;

/** A resource, or a family of them, whose content is computed by each read. */
export interface ReadResourceOptions<Uri extends string> extends ResourceCommon<Uri> {
  readonly content?: undefined;
  readonly size?: number;
  /** Suggestions for the variables of a template. */
  readonly complete?: { readonly [Name in keyof TemplateValues<Uri>]?: Complete };
  read(params: TemplateValues<Uri>, ctx: Context): ReadReturn | Promise<ReadReturn>;
}

export type ResourceOptions<Uri extends string> = FixedResourceOptions<Uri> | ReadResourceOptions<Uri>;

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
  readonly complete: ReadonlyMap<string, Complete>;
  /** What never changes, in place of `read`. */
  readonly content: string | Uint8Array | object | undefined;
  read(params: Readonly<Record<string, unknown>>, ctx: Context): unknown;
}

/** Describes a resource or a template of resources. @throws {UsageError} for what could not be served. */
export function defineResource<const Uri extends string>(options: ResourceOptions<Uri>): Resource {
  const { uri, content, read, cache, ...rest } = options;
  const complete = "complete" in options ? options.complete : undefined;
  const { complete: _, ...described } = rest as typeof rest & { complete?: unknown };
  checkName(options.name, `resource ${String(uri)}`);
  const template = toTemplate(uri);
  if ((content === undefined) === (read === undefined)) {
    throw new UsageError("bad_option", `Resource ${uri} needs either content or a read function.`);
  }
  if (content !== undefined && template !== undefined) {
    throw new UsageError("bad_option", `Resource ${uri} is a template: its content must come from a read function.`);
  }
  if (content !== undefined) void toReadResult(content, { uri });
  return {
    uri,
    name: options.name,
    template,
    description: template === undefined ? { uri, ...described } : { uriTemplate: uri, ...described },
    mimeType: options.mimeType,
    cache,
    complete: new Map(Object.entries(complete ?? {})) as ReadonlyMap<string, Complete>,
    content,
    read: (read ?? (() => content)) as Resource["read"],
  };
}

function toTemplate(uri: string): Template | undefined {
  if (typeof uri !== "string" || uri === "") throw new UsageError("bad_template", "A resource needs a uri.");
  if (!uri.includes("{") && !uri.includes("}")) return undefined;
  try {
    const template = parseTemplate(uri);
    if (template.ambiguity !== undefined) throw new UsageError("bad_template", template.ambiguity);
    return template;
  } catch (cause) {
    if (cause instanceof TemplateError) throw new UsageError("bad_template", cause.message, { cause });
    throw cause;
  }
}
