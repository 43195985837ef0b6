import { charge } from "./run.ts";

/** Beyond 15 digits, two different decimals may be the same double. */
const EXACT = 1e15;

/**
 * Creates a test for multiples of a number. Both are compared as decimals: 0.3 is a multiple of 0.1, although the
 * quotient of the two doubles is not an integer.
 */
export function createMultipleTest(divisor: number): (value: number) => boolean {
  const decimal = toDecimal(divisor);
  if (Number.isSafeInteger(divisor)) {
    return (value) =>
      Number.isSafeInteger(value) ? value % divisor === 0 : Number.isInteger(value) && isMultipleOf(value, decimal);
  }
  const { digits, exponent } = decimal;
  const unit = Number(`1e${-exponent}`);
  const step = Number(digits);
  return (value) => {
    const count = Math.round(value * unit);
    if (step > EXACT || unit > EXACT || Math.abs(count) > EXACT) return isMultipleOf(value, decimal);
    // The division is rounded correctly, so it returns `value` if and only if `value` is `count` units.
    return count / unit === value && count % step === 0;
  };
}

/** Compares with big integers, which takes about a microsecond. */
function isMultipleOf(value: number, divisor: Decimal): boolean {
  if (!charge(40)) return false;
  const { digits, exponent } = toDecimal(value);
  const shift = exponent - divisor.exponent;
  return (digits * power(shift)) % (divisor.digits * power(-shift)) === 0n;
}

interface Decimal {
  digits: bigint;
  exponent: number;
}

function toDecimal(value: number): Decimal {
  const [mantissa = "0", exponent] = value.toExponential().split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

/**
 * Returns a power of ten, 1 for a negative exponent. The digits of a double are less than 10^17, which is less than 2^57:
 * a factor of 10^57 has more twos and fives than any divisor, and is larger than any value, so more makes no difference.
 */
function power(exponent: number): bigint {
  return 10n ** BigInt(Math.min(Math.max(exponent, 0), 57));
}
