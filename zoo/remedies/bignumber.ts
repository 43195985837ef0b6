import { BigNumber } from "bignumber.js";
import { defineCodec } from "proffer";
import { accepts, gives } from "../expect.ts";

export const bigNumber = defineCodec<BigNumber, string>({
  decode: (text) => new BigNumber(text),
  encode: (value) => value.toFixed(),
});

/** Divides. */
export function divide(value: BigNumber, by: number): string {
  return value.div(by).toFixed();
}
accepts(divide, [new BigNumber(3), 2]);
gives(divide, [new BigNumber(3), 2], "1.5");
