import { createMultipleTest } from "./multiple-of.ts";
import { createRule, type Explain, type Rule } from "./rule.ts";
import type { JsonSchemaObject } from "./types.ts";

/** Compiles the numeric keywords. `allowOthers` is the result for values of other types. */
export function compileNumber(schema: JsonSchemaObject, integer: boolean, allowOthers: boolean): Rule {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const least = minimum ?? Number.NEGATIVE_INFINITY;
  const most = maximum ?? Number.POSITIVE_INFINITY;
  // The comparison is strict even without the keyword, which rejects the infinities. Every comparison rejects NaN.
  const above = exclusiveMinimum ?? Number.NEGATIVE_INFINITY;
  const isMultiple = multipleOf === undefined ? undefined : createMultipleTest(multipleOf);
  const below = exclusiveMaximum ?? Number.POSITIVE_INFINITY;

  function check(value: unknown): boolean {
    if (typeof value !== "number") return allowOthers;
    if (!(value >= least && value <= most && value > above && value < below)) return false;
    if (integer && !Number.isInteger(value)) return false;
    return isMultiple === undefined || isMultiple(value);
  }

  const explain: Explain = (value, pointer, report) => {
    const typed = typeof value === "number" && Number.isFinite(value) && (!integer || Number.isInteger(value));
    if (!typed) {
      if (!check(value)) report.addType(pointer, integer ? "integer" : "number");
      return;
    }
    if (value < least) report.add(pointer, `must be >= ${least}`);
    if (value > most) report.add(pointer, `must be <= ${most}`);
    if (value <= above) report.add(pointer, `must be > ${above}`);
    if (value >= below) report.add(pointer, `must be < ${below}`);
    if (isMultiple !== undefined && !isMultiple(value)) {
      report.add(pointer, `must be a multiple of ${multipleOf}`);
    }
  };

  return createRule(check, explain);
}
