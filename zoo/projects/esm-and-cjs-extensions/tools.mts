import { half } from "./half.cjs";

/** Halves. */
export function halve(n: number): number {
  return half(n);
}
