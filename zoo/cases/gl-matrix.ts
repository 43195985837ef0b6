import { mat4, vec3 } from "gl-matrix";
import { gives } from "../expect.ts";

/** Scales a vector. */
export function scale(of: [x: number, y: number, z: number], by: number): vec3 {
  return vec3.scale(vec3.create(), of, by);
}
gives(scale, [[1, 2, 3], 2], [2, 4, 6]);

/** Moves. */
export function translation(x: number, y: number): number[] {
  return [...(mat4.fromTranslation(mat4.create(), [x, y, 0]) as Float32Array)];
}
gives(translation, [2, 3], [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 2, 3, 0, 1]);
