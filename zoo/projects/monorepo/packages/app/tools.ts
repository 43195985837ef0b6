import { type Order, order } from "@acme/core";

/** Shows an order. */
export function show(id: number): Order {
  return order(id);
}
