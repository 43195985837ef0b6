import { appendFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { defineSettings } from "proffer/settings";

const settings = defineSettings<{
  /** Milliseconds that the warehouse takes for each query. @integer @minimum 0 @default 8000 */
  REPORT_PACE: number;
  /** A file to which the warehouse appends a line for each query, as it would bill it. */
  REPORT_BILL?: string;
}>();

/** The orders of a month. */
export interface Month {
  readonly month: string;
  readonly orders: number;
  readonly euros: number;
  /** The orders that are so large that somebody should look at them. */
  readonly unusual: readonly Order[];
}

export interface Order {
  readonly id: string;
  readonly euros: number;
}

/** Orders from this amount are unusual. */
const UNUSUAL = 9900;

/**
 * Adds up the orders of a month. It is slow, and each query costs money: that is why a report records the results.
 * @param key - recognizes a repetition of the same query
 */
export async function queryMonth(month: string, key: string, signal: AbortSignal): Promise<Month> {
  if (settings.REPORT_BILL !== undefined) await appendFile(settings.REPORT_BILL, `${month} ${key} ${process.pid}\n`);
  await pause(settings.REPORT_PACE, undefined, { signal });
  const orders = ordersOf(month);
  return {
    month,
    orders: orders.length,
    euros: sum(orders),
    unusual: orders.filter(({ euros }) => euros >= UNUSUAL),
  };
}

export function sum(orders: readonly { readonly euros: number }[]): number {
  return orders.reduce((total, { euros }) => total + euros, 0);
}

/** Invents the orders of a month, always the same ones. */
function ordersOf(month: string): Order[] {
  let state = Number(month.replace("-", ""));
  const next = (limit: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % limit;
  };
  const count = 80 + next(40);
  return Array.from({ length: count }, (_, index) => ({ id: `${month}-${index + 1}`, euros: 10 + next(9990) }));
}
