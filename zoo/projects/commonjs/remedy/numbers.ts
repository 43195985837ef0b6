import { ok } from "node:assert";

export function double(n: number): number {
  ok(n < 100);
  return 2 * n;
}
