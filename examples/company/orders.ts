import { defineResource, defineServer, defineTool, NotFound } from "proffer";

const orders = new Map([
  ["7", { id: "7", customer: "Ada", open: true }],
  ["8", { id: "8", customer: "Bob", open: false }],
]);

function find(id: string) {
  const order = orders.get(id);
  if (order === undefined) throw new NotFound(`There is no order ${id}.`);
  return order;
}

/** The company's own orders: a server that also works alone. */
export const server = defineServer({
  name: "orders",
  version: "1.0.0",
  tools: [
    defineTool({
      name: "list",
      description: "Lists all orders.",
      annotations: { readOnlyHint: true },
      handle: () => ({ orders: [...orders.values()] }),
    }),
  ],
  resources: [defineResource({ uri: "orders://{id}", name: "Order", read: ({ id }) => find(id) })],
});
