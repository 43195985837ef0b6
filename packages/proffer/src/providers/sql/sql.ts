import type { Annotations, CacheHints, Meta } from "../../protocol/model.ts";
import { defineResource, type Resource } from "../../resources/define.ts";
import type { ListFunction } from "../../resources/list.ts";
import { type IntegerOptions, integer } from "../../resources/params/integer.ts";
import type { ParamSource } from "../../resources/params/param.ts";
import { type Contents, contents } from "../../results/content.ts";
import { UsageError } from "../../support/usage-error.ts";
import { schemaQueries } from "./catalogue.ts";
import { type Row, toCsvRows, toJsonRows } from "./rows.ts";
import { type Dialect, type Statement, toStatement } from "./text.ts";

/** Anything that runs a query with values: a pool of `pg`, or two lines around another driver. */
export interface SqlDriver {
  query(text: string, values: unknown[]): Rows | Promise<Rows>;
}

type Rows = readonly Row[] | { readonly rows: readonly Row[] };

/** A query that is a resource, or a family of them. */
export interface SqlQuery {
  /** What follows the provider's uri: `orders/{id}`. Every variable may stand in the text, as `:id`. */
  readonly path: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly annotations?: Annotations;
  readonly cache?: Partial<CacheHints>;
  /** A query that only reads, with `:name` for values. */
  readonly text: string;
  /** How the variables are checked, and what they become. */
  readonly params?: { readonly [name: string]: ParamSource };
  /** Default: "json", an array of objects. */
  readonly format?: "json" | "csv";
  /** Whether one row is an object, and none means that there is no such resource. Default: false. */
  readonly single?: boolean;
  /** Pages by a column that the rows are sorted by: the text has `:after` and `:limit`, the URI `{?after,limit}`. */
  readonly page?: SqlPage;
  readonly list?: ListFunction;
}

export interface SqlPage {
  /** The column that `:after` is compared with. */
  readonly key: string;
  /** What stands for `:after` on the first page: less than every key. */
  readonly start: string | number | null;
  /** How `after` is checked. Default: as a text, or as an integer where `start` is a number. */
  readonly after?: ParamSource;
  /** Default: 100, at most 1,000. */
  readonly limit?: IntegerOptions;
}

export interface SqlOptions {
  /** What the URIs begin with: "db://". */
  readonly uri: string;
  readonly dialect: Dialect;
  readonly queries?: readonly SqlQuery[];
  /** Whether `tables` and `tables/{table}/columns` describe the database. Default: false. */
  readonly schema?: boolean;
  /** How many rows a query without pages gives. Default: 10,000. */
  readonly maxRows?: number;
}

const MAX_ROWS = 10_000;

/**
 * Shows queries as resources. Values from URIs go to the database as parameters, never into the text; let the
 * connection belong to a role that may only read nevertheless. @throws {UsageError} for a query that cannot be served.
 */
export function sql(driver: SqlDriver, options: SqlOptions): readonly Resource[] {
  const { uri, dialect, maxRows = MAX_ROWS } = options;
  if (typeof uri !== "string" || !uri.endsWith("/") || uri.includes("{")) {
    throw new UsageError(
      "bad_option",
      `sql(): uri must end with a slash, as "db://" does, not ${JSON.stringify(uri)}.`,
    );
  }
  const queries = [...(options.queries ?? []), ...(options.schema ? schemaQueries(dialect) : [])];
  return queries.map((query) => toResource(driver, query, { uri, dialect, maxRows }));
}

function toResource(
  driver: SqlDriver,
  query: SqlQuery,
  { uri, dialect, maxRows }: { readonly uri: string; readonly dialect: Dialect; readonly maxRows: number },
): Resource {
  const { path, text, params, format = "json", single = false, page, ...described } = query;
  const where = `sql() ${uri}${path}`;
  const statement =
    page === undefined ? limited(toStatement(text, dialect, where), dialect) : toStatement(text, dialect, where);
  const resource = defineResource<string, Record<string, ParamSource>>({
    ...described,
    uri: uri + path + (page === undefined ? "" : "{?after,limit}"),
    mimeType: format === "csv" ? "text/csv" : "application/json",
    params: { ...params, ...pageParams(page) },
    read: async (values) => {
      const limit = page === undefined ? maxRows : (values.limit as number);
      // One row more than is shown tells whether there are more.
      const given = await driver.query(statement.text, bind(statement, { ...values, limit: limit + 1 }, page));
      const rows = "rows" in given ? given.rows : given;
      if (single) return rows[0] && toContents(toJsonRows([rows[0]]).slice(1, -1));
      const shown = rows.slice(0, limit);
      const more = rows.length > limit;
      const last = more && page !== undefined ? shown.at(-1)?.[page.key] : undefined;
      const _meta = { "proffer/more": more, ...(last === undefined ? {} : { "proffer/after": String(last) }) };
      return toContents(format === "csv" ? toCsvRows(shown) : toJsonRows(shown), _meta);
    },
  });
  checkNames(resource, statement, page, where);
  return resource;
}

/** A query that has no end of its own is given one, so that no table is ever read whole. */
function limited({ text, names }: Statement, dialect: Dialect): Statement {
  const place = dialect === "postgres" ? `$${names.length + 1}` : "?";
  return { text: `select * from (${text}\n) as proffer_rows limit ${place}`, names: [...names, "limit"] };
}

function pageParams(page: SqlPage | undefined): Record<string, ParamSource> {
  if (page === undefined) return {};
  const after = page.after ?? (typeof page.start === "number" ? integer({ min: Number.MIN_SAFE_INTEGER }) : undefined);
  return { ...(after === undefined ? {} : { after }), limit: integer({ default: 100, max: 1000, ...page.limit }) };
}

function bind({ names }: Statement, values: Readonly<Record<string, unknown>>, page: SqlPage | undefined): unknown[] {
  return names.map((name) => {
    const value = values[name] ?? (name === "after" ? page?.start : undefined);
    return value === undefined ? null : value;
  });
}

function checkNames(resource: Resource, { names }: Statement, page: SqlPage | undefined, where: string): void {
  const known = new Set(resource.template?.variables.map(({ name }) => name) ?? []);
  for (const name of names) {
    if (known.has(name) || name === "limit") continue;
    throw new UsageError("bad_option", `${where}: the query has :${name}, but the path has no {${name}}.`);
  }
  if (page === undefined || (names.includes("after") && names.includes("limit"))) return;
  throw new UsageError(
    "bad_option",
    `${where}: a query with pages needs :after and :limit: … where ${page.key} > :after order by ${page.key} limit :limit`,
  );
}

function toContents(text: string, _meta?: Meta): Contents {
  return contents([{ text, ...(_meta === undefined ? {} : { _meta }) }]);
}
