import decimals, { Decimal } from "decimal.js";

/** Adds exactly. */
export function add(a: string, b: string): string {
  return new decimals(a).plus(new Decimal(b)).toString();
}
