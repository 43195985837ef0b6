import { EigenvalueDecomposition, Matrix } from "ml-matrix";
import { gives } from "../expect.ts";

/** Transposes. */
export function transpose(rows: number[][]): Matrix {
  return new Matrix(rows).transpose();
}
gives(
  transpose,
  [
    [
      [1, 2],
      [3, 4],
    ],
  ],
  [
    [1, 3],
    [2, 4],
  ],
);

/** Computes eigenvalues. */
export function eigenvalues(rows: number[][]): { values: number[]; vectors: Matrix | null } {
  const { realEigenvalues, eigenvectorMatrix } = new EigenvalueDecomposition(new Matrix(rows));
  return { values: realEigenvalues, vectors: eigenvectorMatrix };
}
gives(eigenvalues, [
  [
    [2, 0],
    [0, 3],
  ],
]);
