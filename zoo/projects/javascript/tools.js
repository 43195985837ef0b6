/**
 * @typedef {object} Order
 * @property {number} id - the number of the order
 * @property {Date} [due] - when it is due
 */

/**
 * Moves an order.
 * @param {Order} order - the order
 * @param {...number} days - the days to add
 * @returns {Promise<Order>}
 */
export async function move(order, ...days) {
  const due = new Date(Number(order.due ?? 0) + days.reduce((a, b) => a + b, 0) * 86_400_000);
  return { ...order, due };
}
