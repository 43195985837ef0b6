import { charset } from "./charset.ts";
import { date, oneOf, uuid } from "./format.ts";
import { integer } from "./integer.ts";
import { path } from "./path.ts";
import { pattern } from "./pattern.ts";

/**
 * Checks for the variables of a resource's URI.
 *
 * @example
 * defineResource({
 *   uri: "orders://{id}{?limit}",
 *   name: "Order",
 *   params: { id: param.pattern(/\d+/), limit: param.integer({ default: 10, max: 100 }) },
 *   read: ({ id, limit }) => loadOrder(id, limit), // id: string, limit: number
 * });
 */
export const param = { charset, date, integer, oneOf, path, pattern, uuid };
