import { Fraction } from "fraction.js";
import { defineCodec } from "proffer";
import { gives } from "../expect.ts";

export const fraction = defineCodec<Fraction, string>({
  decode: (text) => new Fraction(text),
  encode: (value) => value.toFraction(),
});

/** Adds fractions. */
export function add(a: string, b: string): Fraction {
  return new Fraction(a).add(b);
}
gives(add, ["1/2", "1/3"], "5/6");
