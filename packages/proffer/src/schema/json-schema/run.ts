/**
 * The state of the current validation. Validation is synchronous, so one module-level object serves all schemas, and
 * the checks on the hot path need no extra parameter.
 */
export const run = {
  /**
   * The remaining work in steps of roughly 20 ns. A property, item, reference or alternative costs about one; slower
   * operations charge more. Below zero, every check that charges returns false at once. This limits the cost of `anyOf`
   * over recursive references, which is exponential in the depth of a hostile value, and of schemas that read a large
   * value many times.
   */
  left: 0,
  /** Whether to skip inherited properties, because some of them are enumerable. */
  strict: false,
};

/**
 * The work limit of one validation: 20 steps for each item of the largest message (`limits.messageItems`). A schema that
 * looks at each item once stays below it.
 */
export const MAX_WORK = 5_000_000;

/** The steps for enumerating one name: V8 stores a large object as a hash table, and sorts its names each time. */
export const NAME_COST = 8;

/** Starts a validation. If `Object.prototype` is polluted, every `for…in` includes its names, so they are skipped. */
export function startRun(strict: boolean): void {
  run.left = MAX_WORK;
  run.strict = strict || isPolluted();
}

/** Charges some steps; returns false if the work limit is exceeded. */
export function charge(steps: number): boolean {
  // Clamped, so that the counter stays a small integer, which V8 stores without an allocation.
  run.left -= Math.min(steps, MAX_WORK + 1) | 0;
  return run.left >= 0;
}

function isPolluted(): boolean {
  for (const _name in Object.prototype) return true;
  return false;
}
