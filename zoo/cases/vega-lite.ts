import type { Config, TopLevelSpec } from "vega-lite";
import type { DateTime } from "vega-lite/types_unstable/datetime.js";
import type { Encoding } from "vega-lite/types_unstable/encoding.js";
import { accepts, refuses, returns, says } from "../expect.ts";

/** Draws a chart. */
export function draw(spec: TopLevelSpec): string {
  return JSON.stringify(spec);
}
accepts(
  draw,
  [
    {
      data: { url: "a.csv" },
      mark: "bar",
      encoding: { x: { field: "a", type: "ordinal" }, y: { aggregate: "count" } },
    },
  ],
  [{ data: { values: [1, 2] }, layer: [{ mark: "line" }, { mark: { type: "point", filled: true } }] }],
  [{ hconcat: [{ data: { name: "a" }, mark: "rule" }] }],
);
refuses(draw, [{ data: { url: 5 }, mark: "bar" }], [{ data: { url: "a" }, mark: "cake" }], [{}]);

/** Encodes fields. */
export function encode(encoding: Pick<Encoding<string>, "x" | "color" | "tooltip">): void {
  throw new Error(String(encoding.x));
}
accepts(encode, [{}], [{ x: { field: "a", bin: true } }], [{ color: { value: "red" } }]);
refuses(encode, [{ x: { field: 5 } }], [{ x: 5 }]);

/** Sets the colors of a chart. */
export function configure(config: Pick<Config, "background" | "padding" | "font">): void {
  throw new Error(String(config.font));
}
accepts(configure, [{}], [{ background: "red", padding: { left: 5 } }], [{ padding: 5, font: "Inter" }]);
refuses(configure, [{ padding: "5" }], [{ font: 5 }]);

/** Shows a moment. */
export function moment(at: DateTime): DateTime {
  return at;
}
accepts(moment, [{ year: 2026, month: "jan" }], [{}]);
refuses(moment, [{ year: "2026" }], [{ years: 1 }]);
returns(moment, { hours: 5, utc: true });
says(moment, "utc");

/** Scales values. */
export function scale(range: [from: number, ...steps: number[], to: number], values: number[]): number[] {
  return values.map((value) => value * range[0]);
}
accepts(scale, [[0, 1], [5]], [[0, 1, 2, 3], []]);
refuses(scale, [[0], []], [[0, "1"], []]);
returns(scale, [1, 2]);
