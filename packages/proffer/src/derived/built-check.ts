import type { Check } from "../schema/json-schema/rule.ts";
import { run, startRun } from "../schema/json-schema/run.ts";

/**
 * Checks for tool arguments by tool name, as written by `proffer build`. A check that returns true has validated
 * everything that the validator would, and has charged `run` for the work. False is inconclusive: the validator then
 * decides.
 */
export type BuiltChecks = ReadonlyMap<string, Check>;

/** Holds the check of one tool once it is imported. */
export interface CheckSlot {
  check: Check | undefined;
}

/** Whether a check accepts a value within the work limit of one validation. */
export function passes(check: Check, value: unknown): boolean {
  startRun(false);
  // Enumerable properties on Object.prototype appear in every value; only the validator can ignore them.
  if (run.strict) return false;
  try {
    return check(value) && run.left >= 0;
  } catch (error) {
    // The value is nested too deeply for the stack.
    if (error instanceof RangeError) return false;
    throw error;
  }
}
