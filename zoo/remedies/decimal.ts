import { Decimal } from "decimal.js";
import { defineCodec } from "proffer";
import { gives } from "../expect.ts";

export const decimal = defineCodec<Decimal, string>({
  decode: (text) => new Decimal(text),
  encode: (value) => value.toFixed(),
});

/** Pays an invoice. */
export function pay(id: string, amount: Decimal): string {
  return id + amount.toFixed(2);
}
gives(pay, ["a", new Decimal("1.5")], "a1.50");
