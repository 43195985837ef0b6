import decimals = require("decimal.js");

import { Decimal } from "decimal.js";

/** Adds exactly. */
export function add(a: string, b: string): string {
  return new decimals.Decimal(a).plus(new Decimal(b)).toString();
}
