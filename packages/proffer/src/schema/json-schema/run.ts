/**
 * The state of the current validation. Validation is synchronous, so one module-level object serves all schemas, and
 * the checks on the hot path need no extra parameter.
 */
export const run = {
  /**
   * The remaining work: about one unit for each property, item, reference and 16 characters of text. Below zero, every
   * check returns false at once. This limits the cost of `anyOf` over recursive references, which is exponential in the
   * depth of a hostile value.
   */
  left: 0,
  /** Whether to skip inherited properties, because some of them are enumerable. */
  strict: false,
};

/** The work limit of one validation. A message of one megabyte has at most 500,000 items, a tenth of the limit. */
const MAX_WORK = 5_000_000;

/** Starts a validation. If `Object.prototype` is polluted, every `for…in` includes its names, so they are skipped. */
export function startRun(strict: boolean): void {
  run.left = MAX_WORK;
  run.strict = strict || isPolluted();
}

/** Charges for reading a text in time `length ** degree`; returns false if the work limit is exceeded. */
export function chargeText(length: number, degree: number): boolean {
  // Clamped, so that the counter stays a small integer, which V8 stores without an allocation.
  const cost = degree === 1 ? length >> 4 : Math.min(length ** degree / 8, MAX_WORK + 1) | 0;
  run.left -= cost;
  return run.left >= 0;
}

function isPolluted(): boolean {
  for (const _name in Object.prototype) return true;
  return false;
}
