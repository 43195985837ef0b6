/**
 * The state of the validation under way. Validation is synchronous, so one object serves all schemas, and as a constant of
 * the module it costs the hot path less than anything passed along or captured.
 */
export const run = {
  /**
   * Work that may still be done: about one unit for each property, item, reference and 16 characters that are looked at.
   * Below zero, every check answers false at once. It bounds what `anyOf` over recursive references, which is exponential
   * in the depth of a hostile value, can cost.
   */
  left: 0,
  /** Whether each property must be tested for being the object's own, because something enumerable is inherited. */
  strict: false,
};

/** The work that one validation may do: some 100 ms at worst. A message of a megabyte needs a tenth of it. */
const MAX_WORK = 5_000_000;

/** Starts a validation. A polluted `Object.prototype` shows in every `for…in`; then, and only then, names are tested. */
export function startRun(strict: boolean): void {
  run.left = MAX_WORK;
  run.strict = strict || isPolluted();
}

/** Charges for looking at a text in time proportional to its length to the power of `degree`; false when the work is used up. */
export function chargeText(length: number, degree: number): boolean {
  // Clamped, so that the counter stays a small integer, which the engine keeps unboxed.
  const cost = degree === 1 ? length >> 4 : Math.min(length ** degree / 8, MAX_WORK + 1) | 0;
  run.left -= cost;
  return run.left >= 0;
}

function isPolluted(): boolean {
  for (const _name in Object.prototype) return true;
  return false;
}
