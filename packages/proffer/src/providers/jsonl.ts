import { resolve } from "node:path";
import { RpcError } from "../protocol/errors.ts";
import type { Annotations, CacheHints } from "../protocol/model.ts";
import { type Contents, contents } from "../server/content.ts";
import type { Context } from "../server/context.ts";
import { defineResource, type Resource } from "../server/define-resource.ts";
import { type IntegerOptions, integer } from "../server/params/integer.ts";
import type { ParamSource } from "../server/params/param.ts";
import { pathProblem } from "../server/params/path.ts";
import type { ParamSources, ResourceParams } from "../server/resource-types.ts";
import { UsageError } from "../server/usage-error.ts";
import { FilesRoot } from "./files-root.ts";
import { type Line, LineReader, type OpenFile } from "./jsonl-lines.ts";

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
  /** What becomes of a line that is not JSON: it is named beside the others, or the read fails. Default: "report". */
  readonly badLines?: "report" | "fail";
  /** Whether the template is listed without `{?offset,limit}`. Default: false. */
  readonly hideQuery?: boolean;
}

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
    ...described
  } = options;
  if (/\{[?&]/.test(uri)) {
    throw new UsageError("bad_option", `jsonl(): ${uri} must not have a query; offset and limit are added to it.`);
  }
  const reader = new LineReader(maxLineBytes, within === undefined ? undefined : openWithin(within));
  const find: FileResolver<never> = typeof file === "string" ? () => file : file;
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
      read: async (values, ctx) => {
        const start = values.offset as number;
        const path = await find(values as never, ctx);
        const page = path === undefined ? undefined : await reader.read(path, start, values.limit as number);
        return page && toContents(page.lines, page.more, start, badLines === "fail");
      },
    }),
  ];
}

function openWithin(directory: string): OpenFile {
  const root = new FilesRoot(resolve(directory));
  return async (path) => (pathProblem(path) === undefined ? (await root.open(path))?.handle : undefined);
}

/** The rows as they stand in the file, so that no number loses a digit. */
function toContents(lines: readonly Line[], more: boolean, offset: number, failing: boolean): Contents {
  const rows: string[] = [];
  const bad: { readonly line: number; readonly problem: string }[] = [];
  for (const { number, text } of lines) {
    const problem = text === undefined ? "is too long" : problemOf(text);
    if (problem === undefined) rows.push(text ?? "");
    else bad.push({ line: number, problem });
  }
  const [first] = bad;
  if (failing && first !== undefined) throw new RpcError("internal_error", `Line ${first.line} ${first.problem}.`);
  const _meta = {
    "proffer/offset": offset,
    "proffer/rows": rows.length,
    "proffer/more": more,
    ...(bad.length === 0 ? {} : { "proffer/badLines": bad }),
  };
  return contents([{ text: `[${rows.join(",")}]`, _meta }]);
}

function problemOf(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return "is not JSON";
  }
}
