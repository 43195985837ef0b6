import { BigNumber } from "bignumber.js";
import { gives, refused, refuses } from "../expect.ts";

interface Balance {
  readonly account: string;
  readonly amount: BigNumber;
  readonly history: readonly BigNumber[];
  readonly limit: BigNumber | null;
}

/** Shows a balance. */
export function balance(account: string): Balance {
  const amount = new BigNumber("0.1").plus("0.2");
  return { account, amount, history: [amount, amount.negated()], limit: null };
}
gives(balance, ["a"], { account: "a", amount: "0.3", history: ["0.3", "-0.3"], limit: null });

/** Adds numbers. */
export function sum(values: string[]): BigNumber {
  return BigNumber.sum(...values);
}
gives(sum, [["1e30", "1"]], "1.000000000000000000000000000001e+30");
refuses(sum, [[1]]);

/** Divides. */
export function divide(value: BigNumber, by: number): string {
  return value.div(by).toFixed();
}
refused(divide, "PF1105");
