import type { StandardSchema } from "../../schema/standard-schema.ts";

/** Marks what the functions of this folder make, so that a Standard Schema or any other object is not taken for it. */
export const PARAM: unique symbol = Symbol.for("proffer.param");

/** What a value of a URI can have against it. */
export type ParamIssueKind =
  | "character"
  | "date"
  | "enum"
  | "integer"
  | "length"
  | "max"
  | "min"
  | "path"
  | "pattern"
  | "schema"
  | "uuid";

/** Why a value is refused: made only then, and returned, because a throw costs more than the check. */
export class ParamIssue {
  readonly kind: ParamIssueKind;
  /** What is wrong, in words that follow the value: "is more than 100". */
  readonly reason: string;
  /** The limit that was passed. */
  readonly limit: number | undefined;
  /** The first character that may not be there. */
  readonly char: string | undefined;

  constructor(kind: ParamIssueKind, reason: string, detail: { readonly limit?: number; readonly char?: string } = {}) {
    this.kind = kind;
    this.reason = reason;
    this.limit = detail.limit;
    this.char = detail.char;
  }
}

export interface ParamOptions {
  /** What messages call the value. Default: the name of the variable. */
  readonly label?: string;
}

/** How a variable of a template is checked and what it becomes. */
export interface Param<Value = unknown, HasDefault extends boolean = boolean> {
  readonly [PARAM]: HasDefault;
  readonly label: string | undefined;
  /** What a variable that the URI leaves out stands for. */
  readonly fallback: Value | undefined;
  /** The only values there are, if they can be listed. */
  readonly choices?: readonly string[];
  /** Whether a value that is left out is checked too. */
  readonly checksAbsence?: true;
  check(value: string): Value | ParamIssue | Promise<Value | ParamIssue>;
}

/** What `params` takes for a variable: the whole value must match a regular expression. */
export type ParamSource = RegExp | Param | StandardSchema<never, unknown> | StandardSchema<unknown, unknown>;

export function isParam(value: unknown): value is Param {
  return typeof value === "object" && value !== null && PARAM in value;
}

/** A parameter without a default, from its check. */
export function createParam<Value>(
  options: ParamOptions,
  check: Param<Value>["check"],
  choices?: readonly string[],
): Param<Value, false> {
  return {
    [PARAM]: false,
    label: options.label,
    fallback: undefined,
    ...(choices === undefined ? {} : { choices }),
    check,
  };
}
