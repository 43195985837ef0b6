import fc from "fast-check";
import { beforeEach, expect, it } from "vitest";
import { startRun } from "./compile.ts";
import { createMultipleTest } from "./scalar-rules.ts";

// Comparing with big integers charges the work limit of a validation.
beforeEach(() => startRun());

it.each([
  [0.3, 0.1, true],
  [0.35, 0.1, false],
  [4.35, 0.01, true],
  [1.1, 0.1, true],
  [19.99, 0.01, true],
  [19.999, 0.01, false],
  [-0.3, 0.1, true],
  [0, 0.1, true],
  [7, 2, false],
  [1e308, 0.5, true],
  [1e308, 0.123456789, false],
  [12391239123, 1e-8, true],
  [1e-320, 1e-321, true],
  [2 ** 53 + 2, 2, true],
  [1e23, 10, true],
])("%d is a multiple of %d: %s", (value, divisor, expected) => {
  expect(createMultipleTest(divisor)(value)).toBe(expected);
});

it("agrees with exact arithmetic on decimals", () => {
  const decimal = fc.tuple(fc.integer({ min: 1, max: 99_999 }), fc.integer({ min: 0, max: 8 }));
  const property = fc.property(
    decimal,
    fc.integer({ min: -1_000_000, max: 1_000_000 }),
    fc.nat(12),
    ([digits, places], n, more) => {
      const divisor = Number(`${digits}e-${places}`);
      const isMultiple = createMultipleTest(divisor);
      // n times the divisor, written as a decimal; and a number next to it with more decimal places.
      expect(isMultiple(Number(`${BigInt(n) * BigInt(digits)}e-${places}`))).toBe(true);
      const beside = BigInt(n) * BigInt(digits) * 10n ** BigInt(more) + 1n;
      const isExact = digits === 1 && more === 0;
      if (beside < 10n ** 15n && beside > -(10n ** 15n)) {
        expect(isMultiple(Number(`${beside}e-${places + more}`))).toBe(isExact);
      }
    },
  );
  fc.assert(property, { numRuns: 5_000 });
});
