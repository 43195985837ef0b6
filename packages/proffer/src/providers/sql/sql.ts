import type { Annotations, CacheHints, Meta } from "../../protocol/model.ts";
import { defineResource, type Resource } from "../../resources/define.ts";
import type { ListFunction } from "../../resources/list.ts";
import type { ParamSource } from "../../resources/param.ts";
import { type IntegerOptions, integer } from "../../resources/param-kinds.ts";
import { type Contents, contents } from "../../results/content.ts";
import { toBase64 } from "../../support/bytes.ts";
import { UsageError } from "../../support/usage-error.ts";
import { type Dialect, type Statement, toStatement } from "./text.ts";

/** Runs a query with values: a `pg` pool as it is, or a small wrapper around another driver. */
export interface SqlDriver {
  query(text: string, values: unknown[]): Rows | Promise<Rows>;
}

export type Rows = readonly Row[] | { readonly rows: readonly Row[] };

/** A query served as a resource or a template. */
export interface SqlQuery {
  /** The path after the provider's uri, such as `orders/{id}`. The text refers to a variable as `:id`. */
  readonly path: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly annotations?: Annotations;
  readonly cache?: Partial<CacheHints>;
  /** A read-only query with `:name` placeholders. */
  readonly text: string;
  /** Checks for the variables. */
  readonly params?: { readonly [name: string]: ParamSource };
  /** Default: "json", an array of objects. */
  readonly format?: "json" | "csv";
  /** Whether to return the first row as an object, and "not found" if there is none. Default: false. */
  readonly single?: boolean;
  /** Pages by a sorted column: the text uses `:after` and `:limit`, and `{?after,limit}` is appended to the URI. */
  readonly page?: SqlPage;
  readonly list?: ListFunction;
}

/** Options for keyset pagination. */
export interface SqlPage {
  /** The column that `:after` is compared to. */
  readonly key: string;
  /** The value of `:after` on the first page: less than every key. */
  readonly start: string | number | null;
  /** The check for `after`. Default: any text, or an integer if `start` is a number. */
  readonly after?: ParamSource;
  /** Default: 100, at most 1,000. */
  readonly limit?: IntegerOptions;
}

/** Options for `sql`. */
export interface SqlOptions {
  /** The prefix of the URIs, such as "db://". */
  readonly uri: string;
  readonly dialect: Dialect;
  readonly queries?: readonly SqlQuery[];
  /** Whether to add the resources `tables` and `tables/{table}/columns`. Default: false. */
  readonly schema?: boolean;
  /** Maximum number of rows of a query without `page`. Default: 10,000. */
  readonly maxRows?: number;
}

const MAX_ROWS = 10_000;

/**
 * Serves queries as resources. Values from URIs are passed as query parameters, never inserted into the text. Use a
 * read-only database role nevertheless. @throws {UsageError} for a query that cannot be served.
 *
 * @example
 * const order = {
 *   path: "orders/{id}",
 *   name: "Order",
 *   text: "select * from orders where id = :id",
 *   params: { id: param.integer() },
 *   single: true,
 * };
 * sql(new pg.Pool(), { uri: "db://", dialect: "postgres", queries: [order] });
 */
export function sql(driver: SqlDriver, options: SqlOptions): readonly Resource[] {
  const { uri, dialect, maxRows = MAX_ROWS } = options;
  if (typeof uri !== "string" || !uri.endsWith("/") || uri.includes("{")) {
    throw new UsageError(`sql(): uri must end with a slash, such as "db://", not ${JSON.stringify(uri)}.`);
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
    page === undefined ? withLimit(toStatement(text, dialect, where), dialect) : toStatement(text, dialect, where);
  const resource = defineResource<string, Record<string, ParamSource>>({
    ...described,
    uri: uri + path + (page === undefined ? "" : "{?after,limit}"),
    mimeType: format === "csv" ? "text/csv" : "application/json",
    params: { ...params, ...pageParams(page) },
    read: async (values) => {
      const limit = page === undefined ? maxRows : (values.limit as number);
      // Request one extra row to find out whether there are more.
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

/** Adds a limit to a query, so that a table is never read completely. */
function withLimit({ text, names }: Statement, dialect: Dialect): Statement {
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
    throw new UsageError(`${where}: the query uses :${name}, but the path has no {${name}}.`);
  }
  if (page === undefined || (names.includes("after") && names.includes("limit"))) return;
  throw new UsageError(
    `${where}: a query with page must use :after and :limit: … where ${page.key} > :after order by ${page.key} limit :limit`,
  );
}

function toContents(text: string, _meta?: Meta): Contents {
  return contents([{ text, ...(_meta === undefined ? {} : { _meta }) }]);
}

interface CatalogQueries {
  readonly tables: string;
  readonly columns: string;
}

/** Queries for the objects visible to the connection: information_schema, or its counterpart in SQLite. */
const CATALOG_QUERIES: Readonly<Record<Dialect, CatalogQueries>> = {
  postgres: {
    tables: `select table_schema as "schema", table_name as "name", table_type as "type" from information_schema.tables
      where table_schema not in ('information_schema', 'pg_catalog') order by 1, 2`,
    columns: `select column_name as "name", data_type as "type", is_nullable = 'YES' as "nullable", column_default as "default"
      from information_schema.columns where table_name = :table
      and table_schema not in ('information_schema', 'pg_catalog') order by table_schema, ordinal_position`,
  },
  mysql: {
    tables: `select table_schema as \`schema\`, table_name as \`name\`, table_type as \`type\` from information_schema.tables
      where table_schema = database() order by 1, 2`,
    columns: `select column_name as \`name\`, data_type as \`type\`, is_nullable = 'YES' as \`nullable\`, column_default as \`default\`
      from information_schema.columns where table_schema = database() and table_name = :table order by ordinal_position`,
  },
  sqlite: {
    tables: `select 'main' as "schema", name, type from sqlite_schema
      where type in ('table', 'view') and name not like 'sqlite_%' order by name`,
    columns: `select name, type, "notnull" = 0 as "nullable", dflt_value as "default" from pragma_table_info(:table) order by cid`,
  },
};

/** Returns the queries that describe a database. */
function schemaQueries(dialect: Dialect): readonly SqlQuery[] {
  const { tables, columns } = CATALOG_QUERIES[dialect];
  return [
    { path: "tables", name: "tables", description: "The tables and views of the database.", text: tables },
    {
      path: "tables/{table}/columns",
      name: "columns",
      description: "The columns of a table or a view.",
      text: columns,
      params: { table: /[^\p{Cc}]{1,128}/u },
    },
  ];
}

/** A row as returned by a driver. */
export type Row = Readonly<Record<string, unknown>>;

/** Serializes rows as a JSON array. Integers beyond the safe range become strings, bytes become base64. */
export function toJsonRows(rows: readonly Row[]): string {
  return JSON.stringify(rows, function (this: Record<string, unknown>, key, value: unknown) {
    // `value` is not the Buffer any more: JSON.stringify has already called its toJSON.
    const own = this[key];
    if (own instanceof Uint8Array) return toBase64(own);
    return typeof value === "bigint" ? toSafeNumber(value) : value;
  });
}

/** Serializes rows as CSV (RFC 4180) with a header line. */
export function toCsvRows(rows: readonly Row[], columns: readonly string[] = Object.keys(rows[0] ?? {})): string {
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column]))];
  return lines.map((line) => `${line.map(toField).join(",")}\r\n`).join("");
}

function toField(value: unknown): string {
  const text = toText(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function toText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return toBase64(value);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function toSafeNumber(value: bigint): number | string {
  return BigInt(Number(value)) === value && Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}
