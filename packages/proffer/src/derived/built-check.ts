import { compileRule } from "../schema/json-schema/compile.ts";
import type { Check } from "../schema/json-schema/rule.ts";
import { run, startRun } from "../schema/json-schema/run.ts";

/**
 * Checks of the arguments of tools, by the name of the tool, as `proffer build` writes them. One that is true has looked at
 * everything that the validator looks at, and charged `run` for it; one that is false has decided nothing.
 */
export type BuiltChecks = ReadonlyMap<string, Check>;

/** Where the check of one tool is put when it is imported. */
export interface CheckSlot {
  check: Check | undefined;
}

/** Tells whether a check takes a value, within the work that one validation may do. */
export function passes(check: Check, value: unknown): boolean {
  startRun(false);
  // What is enumerable on Object.prototype shows in every value; only the validator tells it apart.
  if (run.strict) return false;
  try {
    return check(value) && run.left >= 0;
  } catch (error) {
    // The stack was too small for the value.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/**
 * A part of a built check that is left to the validator: it does not begin a validation but goes on with the one under way.
 * The schema, as JSON, must not refer to another; it is compiled when it is first used.
 */
export function partCheck(json: string): Check {
  let check: Check | undefined;
  return (value) => {
    check ??= compileRule(JSON.parse(json)).check;
    return check(value);
  };
}
