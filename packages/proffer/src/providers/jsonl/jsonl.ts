import { realpath } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import type { Complete } from "../../catalog/completion.ts";
import type { RpcError } from "../../protocol/errors.ts";
import type { Annotations, CacheHints } from "../../protocol/model.ts";
import type { Context } from "../../questions/context.ts";
import { messageError } from "../../resources/check-match.ts";
import type { Params } from "../../resources/check-params.ts";
import { defineResource, type Resource } from "../../resources/define.ts";
import type { ListFunction } from "../../resources/list.ts";
import type { ParamSource, ParamSources, ResourceParams } from "../../resources/param.ts";
import { type IntegerOptions, integer, pathProblem } from "../../resources/param-kinds.ts";
import type { Watch } from "../../resources/watch.ts";
import { type Contents, contents } from "../../results/content.ts";
import { requirePeer } from "../../support/peer.ts";
import { UsageError } from "../../support/usage-error.ts";
import type { TemplateVariables } from "../../uri/template.ts";
import { FilesRoot } from "../files/root.ts";
import { watchDirectory } from "../files/watch.ts";
import { type LinePage, LineReader, type OpenLines } from "./lines.ts";

/** Options for `jsonl`. */
export interface JsonlOptions<Uri extends string, Sources> {
  /** A URI, or a template whose variables select the file. `{?offset,limit}` is appended. */
  readonly uri: Uri;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly annotations?: Annotations;
  readonly cache?: Partial<CacheHints>;
  /** Checks for the template variables. */
  readonly params?: Sources;
  /** Confines files to this directory, links included; paths are relative to it. Default: no confinement. */
  readonly within?: string;
  /** Number of rows to skip. Default: 0, at most 10,000,000. */
  readonly offset?: IntegerOptions;
  /** Number of rows per page. Default: 100, at most 10,000. */
  readonly limit?: IntegerOptions;
  /** Maximum length of a line in bytes; a longer line is a bad line. Default: 1 MiB. */
  readonly maxLineBytes?: number;
  /**
   * How to handle a line that is not JSON: "report" lists it in `_meta` and skips it, "fail" fails the read, and a
   * function fails the read with its own message. Default: "report".
   */
  readonly badLines?: "report" | "fail" | BadLineMessage;
  /** Lists the resources of a template. Without it, clients see only the template. */
  readonly list?: ListFunction;
  /** Completions for the template variables. Default: from `params` and `list`. */
  readonly complete?: { readonly [Name in TemplateVariables<Uri>]?: Complete };
  /**
   * Whether the resource exists. One that exists but has no file has no rows. Default: it exists if its file does.
   */
  exists?(params: ResourceParams<Uri, Sources>, ctx: Context): boolean | Promise<boolean>;
  /**
   * Whether to notify subscribed clients of changes, or a custom watcher. `true` needs the package chokidar and, for a
   * resolver, `within`. Default: false.
   */
  readonly watch?: boolean | Watch;
  /** Whether to list the template without `{?offset,limit}`. Default: false. */
  readonly hideQuery?: boolean;
}

/** A line that is not a valid row. */
export interface BadLine {
  /** The line number, from 1. */
  readonly line: number;
  /** The problem, worded to follow "Line 5": "is not JSON". */
  readonly problem: string;
}

/** Returns the message for a bad line, sent as an internal error, or an error that is sent as it is. */
export type BadLineMessage = (bad: BadLine, ctx: Context) => string | RpcError;

/**
 * Returns the path of the file for a read; undefined if there is none. Without `within` the path is not checked, so
 * check the variables with `params`.
 */
export type FileResolver<Params> = (params: Params, ctx: Context) => string | undefined | Promise<string | undefined>;

const MAX_LINE_BYTES = 1024 * 1024;

/**
 * Serves JSON Lines files page by page, as arrays of rows.
 *
 * @example
 * jsonl(({ card }) => `${card}.jsonl`, {
 *   uri: "cards://{card}/samples",
 *   name: "Samples",
 *   within: "/srv/cards",
 *   params: { card: param.charset("a-z0-9") },
 * });
 * // cards://a/samples?offset=100&limit=50
 */
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
    throw new UsageError(`jsonl(): ${uri} must not have a query; {?offset,limit} is appended to it.`);
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

/** The requested rows. */
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

/** Copies the rows verbatim, because parsing and serializing would round large numbers. */
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
  const message = badLines === "fail" ? `Line ${bad.line} ${bad.problem}.` : badLines(bad, ctx);
  return messageError("internal_error", message, "badLines");
}

function problemOf(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return "is not JSON";
  }
}

/**
 * Watches a single file, or all files in `within`. The resolver maps URIs to files but not back, so a change in the
 * directory notifies all subscribers of the template. @throws {UsageError} for a resolver without `within`.
 */
function watchLines(file: unknown, within: string | undefined, uri: string): Watch {
  requirePeer("chokidar", "jsonl() with watch");
  const brace = uri.indexOf("{");
  const changed = brace === -1 ? uri : { prefix: uri.slice(0, brace) };
  if (typeof file === "string") {
    const path = resolve(within ?? "", file);
    return watchDirectory({
      root: () => realpath(dirname(path)),
      isIgnored: (other) => other !== basename(path),
      notify: (_, events) => events.updated(changed),
    });
  }
  if (within === undefined) {
    throw new UsageError(
      `jsonl(): to watch the files of ${uri}, set within to their directory, or pass a watch function.`,
    );
  }
  return watchDirectory({
    root: () => realpath(within),
    isIgnored: () => false,
    notify({ isListChange }, events) {
      events.updated(changed);
      if (isListChange) events.listChanged();
    },
  });
}
