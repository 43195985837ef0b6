import Big from "big.js";
import { defineCodec } from "proffer";
import { accepts, gives } from "../expect.ts";

export const big = defineCodec<Big, string>({ decode: (text) => new Big(text), encode: (value) => value.toString() });

/** Pays. */
export function pay(amount: Big): string {
  return amount.toFixed(2);
}
accepts(pay, [new Big("1.5")]);
gives(pay, [new Big("1.5")], "1.50");
