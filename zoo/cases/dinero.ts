import { add, allocate, type Dinero, type DineroSnapshot, dinero, toSnapshot } from "dinero.js";
import { CHF } from "dinero.js/currencies";
import { gives, refuses } from "../expect.ts";

const money = (amount: number): Dinero<number> => dinero({ amount, currency: CHF });

/** Adds amounts. */
export function total(amounts: number[]): DineroSnapshot<number> {
  return toSnapshot(amounts.map(money).reduce(add));
}
gives(total, [[150, 250]], { amount: 400, currency: { code: "CHF", base: 10, exponent: 2 }, scale: 2 });
refuses(total, [["1"]]);

/** Splits an amount. */
export async function split(amount: number, ratios: number[]): Promise<Dinero<number>[]> {
  return [...allocate(money(amount), ratios)];
}
gives(
  split,
  [100, [1, 3]],
  [25, 75].map((amount) => ({ amount, currency: { code: "CHF", base: 10, exponent: 2 }, scale: 2 })),
);
