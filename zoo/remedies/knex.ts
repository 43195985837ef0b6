import createKnex, { type Knex } from "knex";
import { gives } from "../expect.ts";

/** Builds a query. */
export function build(
  table: string,
  where: Record<string, string | number>,
): Pick<Knex.SqlNative, "sql"> & { bindings: (string | number)[] } {
  const { sql, bindings } = createKnex({ client: "pg" })(table).where(where).toSQL().toNative();
  return { sql, bindings: bindings as (string | number)[] };
}
gives(build, ["users", { id: 5 }], { sql: 'select * from "users" where "id" = $1', bindings: [5] });

/** Shows the settings of a connection. */
export function settings(host: string): Pick<Knex.PgConnectionConfig, "host" | "port"> {
  const { host: found, port } = createKnex({ client: "pg", connection: { host, port: 5432 } }).client
    .connectionSettings;
  return { host: found, port };
}
gives(settings, ["db"], { host: "db", port: 5432 });
