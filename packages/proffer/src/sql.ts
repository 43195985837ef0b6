export type { Row } from "./providers/sql/sql.ts";
export { type Rows, type SqlDriver, type SqlOptions, type SqlPage, type SqlQuery, sql } from "./providers/sql/sql.ts";
export type { Dialect } from "./providers/sql/text.ts";
