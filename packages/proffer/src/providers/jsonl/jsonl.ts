import { resolve } from "node:path";
import type { Complete } from "../../catalog/completion.ts";
import { RpcError } from "../../protocol/errors.ts";
import type { Annotations, CacheHints } from "../../protocol/model.ts";
import type { Context } from "../../questions/context.ts";
import type { Params } from "../../resources/check-params.ts";
import { defineResource, type Resource } from "../../resources/define.ts";
import type { ListFunction } from "../../resources/list.ts";
import { type IntegerOptions, integer } from "../../resources/params/integer.ts";
import type { ParamSource } from "../../resources/params/param.ts";
import { pathProblem } from "../../resources/params/path.ts";
import type { ParamSources, ResourceParams } from "../../resources/types.ts";
import type { Watch } from "../../resources/watch.ts";
import { type Contents, contents } from "../../results/content.ts";
import { UsageError } from "../../support/usage-error.ts";
import type { TemplateVariables } from "../../uri/template.ts";
import { FilesRoot } from "../files/root.ts";
import { type LinePage, LineReader, type OpenLines } from "./lines.ts";
import { watchLines } from "./watch.ts";

export interface JsonlOptions<Uri extends string, Sources> {
  /** The URI, or a template whose variables say which file; `{?offset,limit}` is added. */
  readonly uri: Uri;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly annotations?: Annotations;
  readonly cache?: Partial<CacheHints>;
  /** How the variables of a template are checked. */
  readonly params?: Sources;
  /** The directory that files must lie in, links included; paths are relative to it then. Default: anywhere. */
  readonly within?: string;
  /** How many rows to skip. Default: 0, at most 10,000,000. */
  readonly offset?: IntegerOptions;
  /** How many rows to give. Default: 100, at most 10,000. */
  readonly limit?: IntegerOptions;
  /** The longest line that is read. Default: 1 MiB. */
  readonly maxLineBytes?: number;
  /**
   * What becomes of a line that is not JSON: it is named beside the others, or the read fails, in our words or in yours.
   * Default: "report".
   */
  readonly badLines?: "report" | "fail" | BadLineMessage;
  /** The resources that a template stands for. Without it, clients see the template only. */
  readonly list?: ListFunction;
  /** Suggestions for the variables of a template. Default: from `params` and `list`. */
  readonly complete?: { readonly [Name in TemplateVariables<Uri>]?: Complete };
  /**
   * Whether there is such a resource, file or not: one that exists and has no file has no rows. Default: there is one
   * where there is a file.
   */
  exists?(params: ResourceParams<Uri, Sources>, ctx: Context): boolean | Promise<boolean>;
  /**
   * Whether clients that listen are told of changes, which needs the package chokidar and, for a resolver, `within`; or
   * a watcher of your own. Default: false.
   */
  readonly watch?: boolean | Watch;
  /** Whether the template is listed without `{?offset,limit}`. Default: false. */
  readonly hideQuery?: boolean;
}

/** A line that cannot be given as a row. */
export interface BadLine {
  /** Counted from 1. */
  readonly line: number;
  /** In words that can follow "Line 5": "is not JSON". */
  readonly problem: string;
}

/** Words the failure of a read that met a bad line: a text goes out as an internal error; an error as it is. */
export type BadLineMessage = (bad: BadLine, ctx: Context) => string | RpcError;

/**
 * Says which file a read is about; undefined for none. Without `within` what it returns is trusted, so check the variables
 * with `params`.
 */
export type FileResolver<Params> = (params: Params, ctx: Context) => string | undefined | Promise<string | undefined>;

const MAX_LINE_BYTES = 1024 * 1024;

/** Shows files of JSON lines page by page, as arrays of rows. */
export function jsonl<const Uri extends string, const Sources extends ParamSources<Uri> = Record<never, never>>(
  file: string | FileResolver<ResourceParams<Uri, Sources>>,
  options: JsonlOptions<Uri, Sources>,
): readonly Resource[] {
  const {
    uri,
    params,
    within,
    offset,
    limit,
    maxLineBytes = MAX_LINE_BYTES,
    badLines = "report",
    watch,
    ...described
  } = options;
  if (/\{[?&]/.test(uri)) {
    throw new UsageError("bad_option", `jsonl(): ${uri} must not have a query; offset and limit are added to it.`);
  }
  const reader = new LineReader(maxLineBytes, within === undefined ? undefined : openWithin(within));
  const find: FileResolver<never> = typeof file === "string" ? () => file : file;
  const readPage = async (values: Params, ctx: Context, part: Part): Promise<LinePage | undefined> => {
    const path = await find(values as never, ctx);
    return path === undefined ? undefined : reader.read(path, part.offset, part.limit);
  };
  const hasFile = async (values: Params, ctx: Context) => (await readPage(values, ctx, NO_ROWS)) !== undefined;
  const exists = options.exists as Resource["exists"];
  const sources: Record<string, ParamSource> = {
    ...(params as Record<string, ParamSource> | undefined),
    offset: integer({ default: 0, max: 10_000_000, ...offset }),
    limit: integer({ default: 100, max: 10_000, ...limit }),
  };
  return [
    defineResource<string, Record<string, ParamSource>>({
      ...described,
      uri: `${uri}{?offset,limit}`,
      mimeType: "application/json",
      params: sources,
      exists: exists ?? hasFile,
      ...(watch ? { watch: watch === true ? watchLines(file, within, uri) : watch } : {}),
      read: async (values, ctx) => {
        if (exists !== undefined && !(await exists(values, ctx))) return undefined;
        const part = values as unknown as Part;
        const page = (await readPage(values, ctx, part)) ?? (exists && NO_LINES);
        return page && toContents(page, part.offset, (bad) => toError(bad, badLines, ctx));
      },
    }),
  ];
}

/** Which rows are wanted. */
interface Part {
  readonly offset: number;
  readonly limit: number;
}

const NO_ROWS: Part = { offset: 0, limit: 0 };
const NO_LINES: LinePage = { lines: [], more: false };

function openWithin(directory: string): OpenLines {
  const root = new FilesRoot(resolve(directory));
  return async (path) => (pathProblem(path) === undefined ? (await root.open(path))?.file : undefined);
}

/** The rows as they stand in the file, so that no number loses a digit. */
function toContents(page: LinePage, offset: number, toFailure: (bad: BadLine) => RpcError | undefined): Contents {
  const rows: string[] = [];
  const bad: BadLine[] = [];
  for (const { number, text } of page.lines) {
    const problem = text === undefined ? "is too long" : problemOf(text);
    if (problem === undefined) rows.push(text ?? "");
    else bad.push({ line: number, problem });
  }
  const failure = bad[0] && toFailure(bad[0]);
  if (failure !== undefined) throw failure;
  const _meta = {
    "proffer/offset": offset,
    "proffer/rows": rows.length,
    "proffer/more": page.more,
    ...(bad.length === 0 ? {} : { "proffer/badLines": bad }),
  };
  return contents([{ text: `[${rows.join(",")}]`, _meta }]);
}

function toError(bad: BadLine, badLines: "report" | "fail" | BadLineMessage, ctx: Context): RpcError | undefined {
  if (badLines === "report") return undefined;
  const words = badLines === "fail" ? `Line ${bad.line} ${bad.problem}.` : badLines(bad, ctx);
  return typeof words === "string" ? new RpcError("internal_error", words) : words;
}

function problemOf(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return "is not JSON";
  }
}
