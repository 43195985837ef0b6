import Big from "big.js";
import { accepts, gives, refused, refuses } from "../expect.ts";

/** Multiplies a price. */
export function times(price: string, count: number): Big {
  return new Big(price).times(count);
}
gives(times, ["19.99", 3], "59.97");
refuses(times, [19.99, 3]);

/** Splits a bill. */
export async function split(total: string, among: string[]): Promise<Record<string, Big>> {
  return Object.fromEntries(among.map((name) => [name, Big(total).div(among.length).round(2)]));
}
gives(split, ["10", ["a", "b", "c"]], { a: "3.33", b: "3.33", c: "3.33" });

/** Rounds. */
export function round(value: string | number, mode: Big["c"][number]): string {
  return Big(value)
    .round(0, mode as 0)
    .toString();
}
accepts(round, ["1.5", 1]);
gives(round, [1.5, 1], "2");

/** Pays. */
export function pay(amount: Big): string {
  return amount.toFixed(2);
}
refused(pay, "PF1105");
