import { PGlite, type Results } from "@electric-sql/pglite";
import { gives } from "../expect.ts";

/** Counts the items. */
export async function count(): Promise<Omit<Results<{ count: number }>, "blob">> {
  return new PGlite().query<{ count: number }>("select 0::int as count");
}
gives(count, [], { rows: [{ count: 0 }], fields: [{ name: "count", dataTypeID: 23 }], affectedRows: 0 });
