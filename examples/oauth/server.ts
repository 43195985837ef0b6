/** The order desk of a shop. Everybody who is signed in may look; only some may change orders. */

import { type Context, defineServer, NotFound, ToolError } from "proffer";
import { audit } from "proffer/policy";
import { startAuthorizationServer } from "./authorization-server.ts";

export interface Order {
  readonly id: string;
  readonly customer: string;
  status: "open" | "shipped" | "canceled";
}

const orders: Order[] = [
  { id: "A1", customer: "Lin", status: "open" },
  { id: "A2", customer: "Sam", status: "shipped" },
];

let stopSignIn: (() => Promise<void>) | undefined;

export const server = defineServer({
  name: "order-desk",
  version: "1.0.0",
  observe: audit((line) => console.error(line)),
  onStart: async () => {
    stopSignIn = await startAuthorizationServer();
  },
  onStop: () => stopSignIn?.(),
});

/** Says who is signed in, with which scopes. */
export function whoAmI(ctx: Context): { user: string; scopes: readonly string[] } {
  return { user: String(ctx.principal?.subject ?? "nobody"), scopes: ctx.principal?.scopes ?? [] };
}

/**
 * Finds orders, of one customer or of all.
 * @param customer - the name of the customer
 * @param limit - the most orders to return. @integer @minimum 1
 * @scope orders:read
 * @readOnly
 */
export function findOrders(customer?: string, limit = 100): Order[] {
  return orders.filter((order) => customer === undefined || order.customer === customer).slice(0, limit);
}

/**
 * Cancels an order that was not shipped yet, and returns it.
 * @param id - the number of the order
 * @param force - Cancels an order that was shipped, too. @scope orders:admin
 * @scope orders:write
 * @destructive
 */
export function cancelOrder(id: string, force = false): Order {
  const order = orders.find((each) => each.id === id);
  if (order === undefined) throw new NotFound(`There is no order ${id}.`);
  if (order.status === "shipped" && !force) throw new ToolError(`Order ${id} was shipped. It needs force.`);
  order.status = "canceled";
  return order;
}
