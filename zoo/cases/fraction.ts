import { Fraction } from "fraction.js";
import { gives, refused } from "../expect.ts";

/** Simplifies a fraction. */
export function simplify(numerator: number, denominator: number): Pick<Fraction, "s" | "n" | "d"> {
  const { s, n, d } = new Fraction(numerator, denominator);
  return { s, n, d };
}
gives(simplify, [6, -8], { s: "-1", n: "3", d: "4" });

/** Adds fractions. */
export function add(a: string, b: string): Fraction {
  return new Fraction(a).add(b);
}
refused(add, "PF1105");
