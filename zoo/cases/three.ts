import { Box3, Color, Vector3 } from "three";
import { gives, refused } from "../expect.ts";

/** Encloses points. */
export function enclose(points: [x: number, y: number, z: number][]): Box3 {
  return new Box3().setFromPoints(points.map((each) => new Vector3(...each)));
}
gives(
  enclose,
  [
    [
      [0, 0, 0],
      [1, 2, 3],
    ],
  ],
  { min: [0, 0, 0], max: [1, 2, 3] },
);

/** Mixes colors. */
export function mix(a: string, b: string): { mixed: Color; hex: string } {
  const mixed = new Color(a).lerp(new Color(b), 1);
  return { mixed, hex: mixed.getHexString() };
}
gives(mix, ["#000000", "#0000ff"], { mixed: 255, hex: "0000ff" });

/** Adds vectors. */
export function add(a: [number, number, number], b: [number, number, number]): Vector3 {
  return new Vector3(...a).add(new Vector3(...b));
}
refused(add, "PF1105");
