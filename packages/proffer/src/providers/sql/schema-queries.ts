import type { SqlQuery } from "./sql.ts";
import type { Dialect } from "./text.ts";

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
export function schemaQueries(dialect: Dialect): readonly SqlQuery[] {
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
