const { ok } = require("node:assert") as { ok(value: boolean): void };

export function double(n: number): number {
  ok(n < 100);
  return 2 * n;
}
