import {
  contents,
  defineResource,
  defineServer,
  type ListEntry,
  type LogSink,
  type Resource,
  type Server,
} from "proffer";
import { sql } from "proffer/sql";
import type { SalesDatabase } from "./database.ts";
import { sizeOf, USER_GUIDE, UTILITY_CLASS } from "./documents.ts";
import { withNotFound } from "./not-found.ts";
import { salesSummary } from "./sales-summary.ts";

export interface SalesOrdersOptions {
  /** Receives the server's log. Default: stderr. */
  readonly log?: LogSink;
}

/** An order number. The database cannot represent longer ones. */
const ORDER_ID = /\d{1,15}/;
const JSON_TYPE = "application/json";

/** Creates a server with the resources of the document, from a database of sales orders. */
export function defineSalesOrders(database: SalesDatabase, { log }: SalesOrdersOptions = {}): Server {
  const resources = [documents(), reports(database), order(database), profile(database), salesOrder(database)];
  return defineServer({
    name: "sales-orders",
    version: "1.0.0",
    instructions: "Sales orders, who took them, and reports on them. file://documentation/user_guide.md says more.",
    resources: [withNotFound(resources, (uri) => `Resource ${uri} not found`)],
    ...(log === undefined ? {} : { log }),
  });
}

/** Resources with fixed content. */
function documents(): readonly Resource[] {
  return [
    defineResource({
      uri: "abap://classes/zcl_my_utility",
      name: "My Utility Class",
      description: "Utility class for XYZ operations",
      mimeType: "text/x-abap",
      size: sizeOf(UTILITY_CLASS),
      annotations: { audience: ["assistant"], priority: 0 },
      content: UTILITY_CLASS,
    }),
    defineResource({
      uri: "file://documentation/user_guide.md",
      name: "User Guide",
      description: "How to use the sales orders",
      mimeType: "text/markdown",
      size: sizeOf(USER_GUIDE),
      annotations: { audience: ["user", "assistant"], priority: 1, lastModified: "2026-01-31T12:00:00Z" },
      content: USER_GUIDE,
    }),
    defineResource({
      uri: "file://documentation/errata.md",
      name: "Errata",
      description: "There are none",
      mimeType: "text/markdown",
      size: 0,
      content: "",
    }),
  ];
}

const TOP_CUSTOMERS = `
  select c.id, c.name, c.city, sum(i.quantity * i.price_cents) as revenue_cents
  from customers c join orders o on o.customer_id = c.id join items i on i.order_id = o.id
  where o.status <> 'cancelled' group by c.id order by revenue_cents desc, c.id`;

/** Resources that each read computes: CSV, JSON and a PDF. */
function reports(database: SalesDatabase): readonly Resource[] {
  return [
    ...sql(database, {
      uri: "db://",
      dialect: "sqlite",
      queries: [
        {
          path: "sales/top_customers",
          name: "Top Customers Report",
          description: "List of top customers by revenue",
          format: "csv",
          text: `${TOP_CUSTOMERS} limit 50`,
        },
        { path: "customers/top_10", name: "Top 10 Customers", text: `${TOP_CUSTOMERS} limit 10` },
        {
          path: "sales/orders/{order_id}",
          name: "Order Record",
          description: "The record of an order as it is in the database",
          text: "select * from orders where id = :order_id",
          params: { order_id: ORDER_ID },
          single: true,
        },
      ],
    }),
    defineResource({
      uri: "file://reports/sales_summary.pdf",
      name: "Sales Summary",
      description: "Turnover by status, to print",
      mimeType: "application/pdf",
      annotations: { audience: ["user"] },
      read: () => salesSummary(database),
    }),
  ];
}

/** An order without its items. Each page of the list continues after the last order number of the page before. */
function order(database: SalesDatabase): Resource {
  return defineResource({
    uri: "orders/{order_id}",
    name: "Order Details",
    description: "Details for a specific sales order",
    mimeType: JSON_TYPE,
    params: { order_id: ORDER_ID },
    *list({ after, limit }): Generator<ListEntry> {
      const text = "select id, ordered_on from orders where id > ? order by id limit ?";
      for (const { id, ordered_on } of database.query(text, [after ?? 0, limit + 1])) {
        const lastModified = `${ordered_on}T00:00:00Z`;
        yield { uri: `orders/${id}`, name: `Order ${id}`, key: Number(id), annotations: { lastModified } };
      }
    },
    read: ({ order_id }) => database.query("select * from orders where id = ?", [order_id])[0],
  });
}

const PROFILES_PER_PAGE = 500;

/** A user. The list has its own cursors, and each page has the number of users as metadata. */
function profile(database: SalesDatabase): Resource {
  return defineResource({
    uri: "users/{username}/profile",
    name: "User Profile",
    description: "User profile information",
    mimeType: JSON_TYPE,
    params: { username: /[a-z0-9]{1,32}/ },
    list({ cursor = "", limit }) {
      const [{ total } = { total: 0 }] = database.query("select count(*) as total from users", []);
      const size = Math.max(1, Math.min(limit, PROFILES_PER_PAGE));
      const text = "select username, full_name from users where username > ? order by username limit ?";
      const rows = database.query(text, [cursor, size + 1]);
      const shown = rows.slice(0, size);
      return {
        items: shown.map(({ username, full_name }) => ({ uri: `users/${username}/profile`, name: String(full_name) })),
        nextCursor: rows.length > size ? String(shown.at(-1)?.username) : undefined,
        _meta: { "sales/users": Number(total) },
      };
    },
    read: ({ username }) => database.query("select * from users where username = ?", [username])[0],
  });
}

const ORDER = `
  select o.id, c.name as customer, o.username, o.ordered_on, o.status
  from orders o join customers c on c.id = o.customer_id where o.id = ?`;
const ITEMS = "select position, product, quantity, price_cents from items where order_id = ? order by position";

/** An order with its items, with metadata on the content and on the result. */
function salesOrder(database: SalesDatabase): Resource {
  return defineResource({
    uri: "sales_order/{sales_order_id}",
    name: "Sales Order Details",
    description: "Details for a specific sales order",
    mimeType: JSON_TYPE,
    params: { sales_order_id: ORDER_ID },
    complete: {
      sales_order_id: (value) =>
        database
          .query("select id from orders where cast(id as text) like ? || '%' order by id limit 101", [
            value.replace(/\D/g, ""),
          ])
          .map(({ id }) => String(id)),
    },
    read: ({ sales_order_id }) => {
      const [head] = database.query(ORDER, [sales_order_id]);
      if (head === undefined) return undefined;
      const items = database.query(ITEMS, [sales_order_id]);
      const total = items.reduce((sum, item) => sum + Number(item.quantity) * Number(item.price_cents), 0);
      return contents([{ text: JSON.stringify({ ...head, items }), _meta: { "sales/totalCents": total } }], {
        _meta: { "sales/currency": "EUR" },
      });
    },
  });
}
