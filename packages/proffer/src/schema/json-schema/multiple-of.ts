/** Beyond 15 digits, two different decimals may be the same double. */
const EXACT = 1e15;

/**
 * Creates a test for multiples of a number. Both are compared as decimals: 0.3 is a multiple of 0.1, although the
 * quotient of the two doubles is not an integer.
 */
export function createMultipleTest(divisor: number): (value: number) => boolean {
  if (Number.isSafeInteger(divisor)) {
    return (value) => (Number.isSafeInteger(value) ? value % divisor === 0 : isMultipleOf(value, divisor));
  }
  const { digits, exponent } = toDecimal(divisor);
  const unit = Number(`1e${-exponent}`);
  const step = Number(digits);
  return (value) => {
    const count = Math.round(value * unit);
    if (step > EXACT || unit > EXACT || Math.abs(count) > EXACT) return isMultipleOf(value, divisor);
    // The division is rounded correctly, so it returns `value` if and only if `value` is `count` units.
    return count / unit === value && count % step === 0;
  };
}

function isMultipleOf(value: number, divisor: number): boolean {
  const a = toDecimal(value);
  const b = toDecimal(divisor);
  const exponent = Math.min(a.exponent, b.exponent);
  return scale(a, exponent) % scale(b, exponent) === 0n;
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

function scale({ digits, exponent }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(exponent - to);
}
