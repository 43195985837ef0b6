import { Map as Immutable, List, OrderedSet, Record as RecordFactory, type RecordOf } from "immutable";
import { gives } from "../expect.ts";

interface Point {
  x: number;
  label: string;
}
const makePoint = RecordFactory<Point>({ x: 0, label: "" });

/** Counts words. */
export function count(words: string[]): Immutable<string, number> {
  return Immutable(List(words).countBy((word) => word));
}
gives(count, [["a", "b", "a"]], { a: 2, b: 1 });

/** Sorts words. */
export async function sort(words: string[]): Promise<List<string>> {
  return List(words).sort();
}
gives(sort, [["b", "a"]], ["a", "b"]);

/** Finds points. */
export function points(xs: number[]): {
  points: List<RecordOf<Point>>;
  labels: OrderedSet<string>;
  first?: RecordOf<Point>;
} {
  const all = List(xs.map((x) => makePoint({ x, label: `p${x}` })));
  return { points: all, labels: OrderedSet(all.map(({ label }) => label)), first: all.first() };
}
gives(points, [[1, 2]], {
  points: [
    { x: 1, label: "p1" },
    { x: 2, label: "p2" },
  ],
  labels: ["p1", "p2"],
  first: { x: 1, label: "p1" },
});

/** Moves a point. */
export function move(x: number, by: number): RecordOf<Point> {
  return makePoint({ x, label: "a" }).set("x", x + by);
}
gives(move, [1, 2], { x: 3, label: "a" });
