import type { TupleOf } from "type-fest";
import { accepts } from "../expect.ts";

/** Paints. */
export function paint(color: TupleOf<3, number>): string {
  return String(color[0]);
}
accepts(paint, [[1, 2, 3]]);
