import createKnex, { type Knex } from "knex";
import { gives, refused, refuses } from "../expect.ts";

const knex = createKnex({ client: "pg" });

/** Builds a query. */
export function build(table: string, where: Record<string, string | number>): Knex.SqlNative {
  return knex(table).where(where).toSQL().toNative();
}
refused(build, "PF1105");

/** Shows the settings of a connection. */
export function settings(host: string): Pick<Knex.PgConnectionConfig, "host" | "port" | "ssl" | "user"> {
  return createKnex({ client: "pg", connection: { host, port: 5432, ssl: true } }).client.connectionSettings;
}
refused(settings, "PF1105");

/** Counts the bindings of a query. */
export function count(
  table: string,
  where: Record<string, string | number>,
): Pick<Knex.Sql, "method" | "sql"> & { count: number } {
  const { method, sql, bindings } = knex(table).where(where).toSQL();
  return { method, sql, count: bindings.length };
}
gives(count, ["users", { id: 5 }], { method: "select", sql: 'select * from "users" where "id" = ?', count: 1 });
refuses(count, ["users", { id: true }]);
