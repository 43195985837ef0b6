import { PGlite, type Results } from "@electric-sql/pglite";
import { eq } from "drizzle-orm";
import { bigint, boolean, date, jsonb, numeric, pgTable, serial, text, timestamp } from "drizzle-orm/pg-core";
import { drizzle } from "drizzle-orm/pglite";
import { gives, refused, refuses } from "../expect.ts";

const items = pgTable("items", {
  id: serial().primaryKey(),
  name: text().notNull(),
  price: numeric({ precision: 10, scale: 2 }).notNull(),
  sold: bigint({ mode: "bigint" }).notNull(),
  tags: text().array(),
  data: jsonb().$type<{ color: string }>(),
  active: boolean().notNull().default(true),
  since: timestamp({ withTimezone: true }).notNull(),
  day: date(),
});

let client: PGlite | undefined;
async function open(): Promise<PGlite> {
  if (client !== undefined) return client;
  client = new PGlite();
  await client.exec(`create table items (id serial primary key, name text not null, price numeric(10, 2) not null,
    sold bigint not null, tags text[], data jsonb, active boolean not null default true, since timestamptz not null, day date)`);
  await client.exec(`insert into items (name, price, sold, tags, data, since, day)
    values ('A', 1.5, 9007199254740993, '{x,y}', '{"color":"red"}', '2026-01-01T00:00:00Z', '2026-01-02')`);
  return client;
}

/** Lists items. */
export async function list(name: string): Promise<(typeof items.$inferSelect)[]> {
  return drizzle(await open())
    .select()
    .from(items)
    .where(eq(items.name, name));
}
gives(
  list,
  ["A"],
  [
    {
      id: 1,
      name: "A",
      price: "1.50",
      sold: "9007199254740993",
      tags: ["x", "y"],
      data: { color: "red" },
      active: true,
      since: "2026-01-01T00:00:00.000Z",
      day: "2026-01-02",
    },
  ],
);
refuses(list, [5]);

interface Row {
  name: string;
  since: Date;
  sold: bigint;
  bytes: Uint8Array;
}

/** Runs a query. */
export async function query(name: string): Promise<Row[]> {
  const sql = "select name, since, sold, '\\x0102'::bytea as bytes from items where name = $1";
  return (await (await open()).query<Row>(sql, [name])).rows;
}
gives(query, ["A"], [{ name: "A", since: "2026-01-01T00:00:00.000Z", sold: "9007199254740993", bytes: "AQI=" }]);

/** Counts the items. */
export async function count(): Promise<Results<{ count: number }>> {
  return (await open()).query<{ count: number }>("select count(*)::int as count from items");
}
refused(count, "PF1106");

/** Explains why a query fails. */
export async function explain(sql: string): Promise<unknown> {
  return (await open()).query(sql).catch((error: unknown) => error);
}
gives(explain, ["select nope"], { name: "error", message: 'column "nope" does not exist' });
