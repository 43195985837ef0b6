import {
  type BigNumber,
  bignumber,
  derivative,
  det,
  type Fraction,
  fraction,
  inv,
  type Matrix,
  matrix,
  multiply,
  std,
  type Unit,
  unit,
} from "mathjs";
import { fails, gives, refused, refuses } from "../expect.ts";

/** Inverts a matrix. */
export function invert(rows: number[][]): number[][] {
  return inv(rows) as number[][];
}
gives(
  invert,
  [
    [
      [2, 0],
      [0, 4],
    ],
  ],
  [
    [0.5, 0],
    [0, 0.25],
  ],
);
refuses(invert, [[1, 2]]);

/** Multiplies matrices. */
export function product(a: number[][], b: number[][]): Matrix {
  return multiply(matrix(a), matrix(b));
}
gives(product, [[[1, 2]], [[3], [4]]]);

/** Measures matrices. */
export function measures(rows: number[][]): { det: number; std: number } {
  return { det: det(rows), std: std(...rows.flat()) };
}
gives(measures, [
  [
    [1, 0],
    [0, 1],
  ],
]);

/** Converts a length. */
export function convert(value: number, from: string, to: string): Unit {
  return unit(value, from).to(to);
}
gives(convert, [1, "inch", "cm"]);

/** Adds exactly. mathjs types the JSON of a BigNumber as a string; it is an object. */
export function exact(a: string, b: string): { sum: BigNumber } {
  return { sum: bignumber(a).plus(b) };
}
fails(exact, ["0.1", "0.2"], "sum", "0.3");

/** Shows a number as a fraction. */
export function ratio(value: number): Fraction {
  return fraction(value);
}
refused(ratio, "PF1105");

/** Differentiates. */
export function slope(expression: string, variable: string): string {
  return derivative(expression, variable).toString();
}
gives(slope, ["x^2", "x"], "2 * x");
