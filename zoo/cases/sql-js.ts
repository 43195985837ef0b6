import initSqlJs, { type ParamsObject, type QueryExecResult } from "sql.js";
import { gives } from "../expect.ts";

/** Runs SQL. */
export async function run(sql: string): Promise<QueryExecResult[]> {
  const { Database } = await initSqlJs();
  return new Database().exec(sql);
}
gives(
  run,
  ["select 1 as a, 'x' as b, null as c, x'0102' as d"],
  [{ columns: ["a", "b", "c", "d"], values: [[1, "x", null, "AQI="]] }],
);

/** Shows a row. */
export async function row(name: string): Promise<ParamsObject> {
  const { Database } = await initSqlJs();
  const statement = new Database().prepare("select :name as name, 1.5 as size");
  return statement.getAsObject({ ":name": name });
}
gives(row, ["A"], { name: "A", size: 1.5 });
