import { type Fraction, fraction } from "mathjs";
import { defineCodec } from "proffer";
import { gives } from "../expect.ts";

export const ratioCodec = defineCodec<Fraction, string>({
  decode: (text) => fraction(text),
  encode: (value) => `${value.s * value.n}/${value.d}`,
});

/** Shows a number as a fraction. */
export function ratio(value: number): Fraction {
  return fraction(value);
}
gives(ratio, [0.75], "3/4");
