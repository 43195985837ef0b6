import { createRequire } from "node:module";
import type { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { integer } from "../../resources/param-kinds.ts";
import { defineServer } from "../../server/server.ts";
import { connect } from "../../testing/connect.ts";
import { type SqlDriver, type SqlOptions, sql, toCsvRows, toJsonRows } from "./sql.ts";
import type { Dialect } from "./text.ts";

const { Database } = createRequire(import.meta.url)("node-sqlite3-wasm") as typeof import("node-sqlite3-wasm");

interface Engine {
  readonly dialect: Dialect;
  readonly driver: SqlDriver;
  close(): Promise<void> | void;
}

async function sqlite(): Promise<Engine> {
  const database = new Database();
  const driver: SqlDriver = { query: (text, values) => database.all(text, values as never) as never };
  return { dialect: "sqlite", driver, close: () => database.close() };
}

/** A real server at the URL in PROFFER_TEST_POSTGRES, such as postgres://user@host/database. */
async function postgres(): Promise<Engine> {
  const { default: pg } = await import("pg");
  const pool: Pool = new pg.Pool({ connectionString: process.env.PROFFER_TEST_POSTGRES, max: 1 });
  await pool.query("create schema if not exists proffer_test");
  await pool.query("set search_path to proffer_test");
  return {
    dialect: "postgres",
    driver: pool,
    close: async () => {
      await pool.query("drop schema proffer_test cascade");
      await pool.end();
    },
  };
}

const engines: [string, () => Promise<Engine>][] = [["SQLite", sqlite]];
if (process.env.PROFFER_TEST_POSTGRES) engines.push(["PostgreSQL", postgres]);

describe.each(engines)("sql on %s", (_, start) => {
  let engine: Engine;
  const queries: [string, unknown[]][] = [];

  beforeAll(async () => {
    engine = await start();
    await engine.driver.query(
      "create table orders (id integer primary key, customer text not null, total numeric)",
      [],
    );
    for (let id = 1; id <= 25; id++) {
      const customer = id === 1 ? `O'Brien, "Bob"` : `customer ${id}`;
      await engine.driver.query(`insert into orders values (${id}, '${customer.replaceAll("'", "''")}', ${id}.5)`, []);
    }
  });

  afterAll(() => engine.close());

  function open(options: Partial<SqlOptions>) {
    queries.length = 0;
    const driver: SqlDriver = {
      query(text, values) {
        queries.push([text, values]);
        return engine.driver.query(text, values);
      },
    };
    const resources = sql(driver, { uri: "db://", dialect: engine.dialect, ...options });
    return connect(defineServer({ name: "sql", version: "1", log: () => undefined, resources: [resources] }));
  }

  const order = {
    path: "orders/{id}",
    name: "order",
    text: "select id, customer from orders where id = :id",
    params: { id: integer() },
    single: true,
  } as const;

  it('returns one row, or "not found"', async () => {
    const client = await open({ queries: [order] });
    expect((await client.read("db://orders/2")).contents).toEqual([
      { uri: "db://orders/2", mimeType: "application/json", text: '{"id":2,"customer":"customer 2"}' },
    ]);
    await expect(client.read("db://orders/99")).rejects.toMatchObject({
      message: 'Resource not found: "db://orders/99".',
    });
  });

  it("passes values as parameters, whatever they contain", async () => {
    const client = await open({
      queries: [{ path: "by/{customer}", name: "by", text: "select id from orders where customer = :customer" }],
    });
    const hostile = "x' or '1'='1'; drop table orders; --";
    expect((await client.read(`db://by/${encodeURIComponent(hostile)}`)).contents[0]?.text).toBe("[]");
    expect(queries.at(-1)?.[0]).not.toContain("drop");
    expect(queries.at(-1)?.[1]).toContain(hostile);
    expect((await client.read(`db://by/${encodeURIComponent(`O'Brien, "Bob"`)}`)).contents[0]?.text).toBe('[{"id":1}]');
  });

  it("rejects invalid values before it queries the database", async () => {
    const client = await open({ queries: [order] });
    await expect(client.read("db://orders/1%20or%201=1")).rejects.toMatchObject({ code: -32602 });
    expect(queries).toEqual([]);
  });

  it("pages by key and returns the start of the next page", async () => {
    const client = await open({
      queries: [
        {
          path: "orders",
          name: "orders",
          text: "select id from orders where id > :after order by id limit :limit",
          page: { key: "id", start: 0, limit: { default: 10, max: 20 } },
        },
      ],
    });
    const ids: number[] = [];
    let query = "";
    for (;;) {
      const [page] = (await client.read(`db://orders${query}`)).contents;
      ids.push(...JSON.parse(page?.text ?? "").map(({ id }: { id: number }) => id));
      const after = page?._meta?.["proffer/after"];
      if (after === undefined) break;
      query = `?after=${after}`;
    }
    expect(ids).toEqual(Array.from({ length: 25 }, (_, at) => at + 1));
    expect(queries.map(([, values]) => values)).toEqual([
      [0, 11],
      [10, 11],
      [20, 11],
    ]);
    await expect(client.read("db://orders?limit=21")).rejects.toMatchObject({ code: -32602 });
    await expect(client.read("db://orders?after=x")).rejects.toMatchObject({ code: -32602 });
  });

  it("never reads a whole table", async () => {
    const client = await open({
      maxRows: 3,
      queries: [{ path: "all", name: "all", text: "select id from orders order by id;" }],
    });
    expect((await client.read("db://all")).contents[0]).toMatchObject({
      text: '[{"id":1},{"id":2},{"id":3}]',
      _meta: { "proffer/more": true },
    });
    expect(queries.at(-1)?.[1]).toEqual([4]);
  });

  it("returns CSV", async () => {
    const client = await open({
      maxRows: 2,
      queries: [
        {
          path: "csv",
          name: "csv",
          format: "csv",
          text: "select id, customer, null as gap from orders order by id",
        },
      ],
    });
    expect((await client.read("db://csv")).contents[0]).toMatchObject({
      mimeType: "text/csv",
      text: 'id,customer,gap\r\n1,"O\'Brien, ""Bob""",\r\n2,customer 2,\r\n',
    });
  });

  it("describes the database", async () => {
    const client = await open({ schema: true });
    const [tables] = (await client.read("db://tables")).contents;
    expect(JSON.parse(tables?.text ?? "")).toContainEqual(expect.objectContaining({ name: "orders" }));
    const [columns] = (await client.read("db://tables/orders/columns")).contents;
    const described = JSON.parse(columns?.text ?? "") as { name: string; nullable: unknown }[];
    expect(described.map(({ name }) => name)).toEqual(["id", "customer", "total"]);
    expect(Boolean(described[1]?.nullable)).toBe(false);
    expect(Boolean(described[2]?.nullable)).toBe(true);
  });

  it("sends errors of the database only to the log", async () => {
    const client = await open({ queries: [{ path: "bad", name: "bad", text: "select * from no_such_table" }] });
    await expect(client.read("db://bad")).rejects.toMatchObject({ code: -32603, message: "Internal error." });
  });
});

describe("a query that cannot be served", () => {
  const driver: SqlDriver = { query: () => [] };
  const query = { path: "x", name: "x" };
  it.each([
    ["a placeholder that is not in the path", { ...query, text: "select :y" }],
    ["pages without :after", { ...query, text: "select 1 limit :limit", page: { key: "id", start: 0 } }],
    ["a text that writes", { ...query, text: "update t set x = 1" }],
  ])("%s is rejected", (_, bad) => {
    expect(() => sql(driver, { uri: "db://", dialect: "sqlite", queries: [bad] })).toThrow(
      expect.objectContaining({ code: "bad_option" }),
    );
  });
});

describe("rows", () => {
  const row = {
    big: 2n ** 60n,
    small: 7n,
    bytes: Buffer.from([1, 2, 3]),
    array: Uint8Array.of(255),
    when: new Date(0),
    nothing: null,
    nested: { a: [1] },
  };

  it("are serialized as JSON without loss", () => {
    expect(JSON.parse(toJsonRows([row]))).toEqual([
      {
        big: "1152921504606846976",
        small: 7,
        bytes: "AQID",
        array: "/w==",
        when: "1970-01-01T00:00:00.000Z",
        nothing: null,
        nested: { a: [1] },
      },
    ]);
  });

  it("are serialized as CSV with quotes where needed", () => {
    expect(toCsvRows([{ ...row, text: 'a,"b"\n' }])).toBe(
      'big,small,bytes,array,when,nothing,nested,text\r\n1152921504606846976,7,AQID,/w==,1970-01-01T00:00:00.000Z,,"{""a"":[1]}","a,""b""\n"\r\n',
    );
    expect(toCsvRows([])).toBe("\r\n");
  });
});
