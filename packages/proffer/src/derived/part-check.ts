import { compileRule } from "../schema/json-schema/compile.ts";
import type { Check } from "../schema/json-schema/rule.ts";

/**
 * Creates a part of a built check that uses the validator. It continues the current validation instead of starting one.
 * The schema, as JSON text, must not refer to another schema; it is compiled on first use.
 */
export function partCheck(json: string): Check {
  let check: Check | undefined;
  return (value) => {
    check ??= compileRule(JSON.parse(json)).check;
    return check(value);
  };
}
