import { double } from "@/numbers";
import type { Shape } from "./shapes";

/** Measures a shape. */
export function measure(shape: Shape, n: number): { shape: Shape; n: number } {
  return { shape, n: double(n) };
}
