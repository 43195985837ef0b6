import * as known from "../../schema/json-schema/formats.ts";
import { UsageError } from "../../support/usage-error.ts";
import { createParam, type Param, ParamIssue, type ParamOptions } from "./param.ts";

/** Accepts a UUID of any version, in upper or lower case. */
export function uuid(options: ParamOptions = {}): Param<string, false> {
  return format("uuid", known.uuid, "is not a UUID", options);
}

/** Accepts a calendar date, such as 2026-01-31. */
export function date(options: ParamOptions = {}): Param<string, false> {
  return format("date", known.date, "is not a date", options);
}

/** Accepts one of the given strings. Clients receive them as completions. */
export function oneOf<const Choice extends string>(...choices: readonly Choice[]): Param<Choice, false> {
  if (choices.length === 0) throw new UsageError("bad_option", "param.oneOf() needs at least one value.");
  const known = new Set<string>(choices);
  const reason = `is not one of ${choices.join(", ")}`;
  return createParam({}, (text) => (known.has(text) ? (text as Choice) : new ParamIssue("enum", reason)), choices);
}

function format(
  name: "date" | "uuid",
  { check, example }: known.Format,
  reason: string,
  options: ParamOptions,
): Param<string, false> {
  return createParam(options, (text) => (check(text) ? text : new ParamIssue(name, `${reason}, such as ${example}`)), {
    format: name,
  });
}
