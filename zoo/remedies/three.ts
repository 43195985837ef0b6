import { defineCodec } from "proffer";
import { Vector3 } from "three";
import { gives } from "../expect.ts";

export const vector = defineCodec<Vector3, [x: number, y: number, z: number]>({
  decode: (parts) => new Vector3(...parts),
  encode: (value) => value.toArray(),
});

/** Adds vectors. */
export function add(a: [number, number, number], b: [number, number, number]): Vector3 {
  return new Vector3(...a).add(new Vector3(...b));
}
gives(
  add,
  [
    [1, 2, 3],
    [1, 1, 1],
  ],
  [2, 3, 4],
);
