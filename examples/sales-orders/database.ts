import sqlite from "node-sqlite3-wasm";

/** A parameter or a result value of a query. */
export type SqlValue = string | number | bigint | boolean | Uint8Array | null;

export type SqlRow = { readonly [column: string]: SqlValue };

/** The interface of the database that the resources use. */
export interface SalesDatabase {
  query(text: string, values: unknown[]): SqlRow[];
  close(): void;
}

/** The lowest order number. */
export const FIRST_ORDER = 10_001;
export const ORDERS = 3000;
const CUSTOMERS = 200;
export const USERS = 1200;

const SCHEMA = `
  create table customers (id integer primary key, name text not null, city text not null);
  create table users (username text primary key, full_name text not null, role text not null);
  create table orders (
    id integer primary key,
    customer_id integer not null references customers,
    username text not null references users,
    ordered_on text not null,
    status text not null
  );
  create table items (
    order_id integer not null references orders,
    position integer not null,
    product text not null,
    quantity integer not null,
    price_cents integer not null,
    primary key (order_id, position)
  ) without rowid;
`;

/** The SQL expression for the nth of some texts. */
const pick = (texts: readonly string[], at: string) =>
  `json_extract('${JSON.stringify(texts)}', '$[' || ((${at}) % ${texts.length}) || ']')`;

const NAMES = ["Adler", "Brandt", "Castro", "Dumas", "Eriksen", "Fontana", "Gruber", "Haddad", "Ivanov", "Jansen"];
const FORMS = ["AG", "Ltd", "GmbH", "Inc", "SA", "Oy", "BV"];
const CITIES = ["Walldorf", "Lyon", "Oslo", "Porto", "Turin", "Graz"];
const ROLES = ["clerk", "manager", "auditor"];
const STATUSES = ["open", "delivered", "invoiced", "cancelled"];
const PRODUCTS = ["pump", "valve", "gasket", "bearing", "filter", "sensor", "hose"];

/** The data is the same on every start, so that tests can rely on it. */
const DATA = `
  with recursive n(i) as (select 1 union all select i + 1 from n where i < ${CUSTOMERS})
  insert into customers select i, ${pick(NAMES, "i")} || ' ' || ${pick(FORMS, "i / 10")} || ' ' || i, ${pick(CITIES, "i")} from n;
  with recursive n(i) as (select 1 union all select i + 1 from n where i < ${USERS})
  insert into users select printf('user%04d', i), ${pick(NAMES, "i * 3")} || ' ' || i, ${pick(ROLES, "i")} from n;
  with recursive n(i) as (select 0 union all select i + 1 from n where i < ${ORDERS - 1})
  insert into orders select ${FIRST_ORDER} + i, 1 + (i * 37) % ${CUSTOMERS}, printf('user%04d', 1 + i % ${USERS}),
    date('2024-01-01', '+' || (i % 900) || ' days'), ${pick(STATUSES, "i")} from n;
  insert into items select o.id, p.value, ${pick(PRODUCTS, "o.id + p.value")}, 1 + (o.id + p.value) % 9,
    500 + (o.id * p.value * 37) % 90000 from orders o, json_each('[1,2,3,4]') p where p.value <= 1 + o.id % 4;
`;

/** Opens an in-memory database with customers, users and a few thousand orders. */
export function openDatabase(): SalesDatabase {
  const database = new sqlite.Database();
  database.exec(SCHEMA);
  database.exec(DATA);
  return {
    query: (text, values) => database.all(text, values as SqlValue[]) as SqlRow[],
    close: () => database.close(),
  };
}
