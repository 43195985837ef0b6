import type { Segment } from "./segments.ts";

export interface Axis {
  readonly from: number;
  readonly to: number;
}

/** The time that the bars of several rows have in common. */
export function axisOf(rows: readonly (readonly Segment[])[]): Axis {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const segments of rows) {
    for (const segment of segments) {
      from = Math.min(from, segment.from);
      to = Math.max(to, segment.to);
    }
  }
  return from <= to ? { from, to: Math.max(to, from + 1) } : { from: 0, to: 1 };
}

/** The place of a segment on an axis in percent. A moment has a width too, so that it can be seen. */
export function placeOn({ from, to }: Axis, segment: Segment): { readonly x: number; readonly width: number } {
  const percent = (at: number) => ((at - from) / (to - from)) * 100;
  const x = Math.min(percent(segment.from), 99.2);
  return { x, width: Math.max(percent(segment.to) - x, 0.8) };
}
