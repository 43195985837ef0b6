import type { JsonSchemaObject } from "../schema/json-schema/types.ts";
import type { StandardSchema } from "../schema/schema.ts";
import type { TemplateValues, TemplateVariables } from "../uri/template.ts";

/** Brands the parameters created in this folder, to distinguish them from Standard Schemas and other objects. */
export const PARAM: unique symbol = Symbol.for("proffer.param");

/** The reasons for which a URI value can be rejected. */
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

/** A rejected value. Returned rather than thrown, because a throw costs more than the check. */
export class ParamIssue {
  readonly kind: ParamIssueKind;
  /** The problem, worded to follow the value: "is greater than 100". */
  readonly reason: string;
  /** The limit that was exceeded. */
  readonly limit: number | undefined;
  /** The first character that is not allowed. */
  readonly char: string | undefined;

  constructor(kind: ParamIssueKind, reason: string, detail: { readonly limit?: number; readonly char?: string } = {}) {
    this.kind = kind;
    this.reason = reason;
    this.limit = detail.limit;
    this.char = detail.char;
  }
}

export interface ParamOptions {
  /** The name of the value in messages. Default: the name of the variable. */
  readonly label?: string;
}

/** Checks a template variable and converts it. */
export interface Param<Value = unknown, HasDefault extends boolean = boolean> {
  readonly [PARAM]: HasDefault;
  readonly label: string | undefined;
  /** The value if the URI omits the variable. */
  readonly fallback: Value | undefined;
  /** The check, for descriptions of the value; undefined if it may be any text. */
  readonly source?: CheckSource | undefined;
  /** Whether `check` also runs if the URI omits the variable. */
  readonly checksAbsence?: true;
  check(value: string): Value | ParamIssue | Promise<Value | ParamIssue>;
}

/**
 * The check of a value: all allowed values, an expression, the characters of `param.charset`, the keywords of a JSON
 * Schema, or the schema of a library.
 */
export type CheckSource = readonly string[] | RegExp | string | JsonSchemaObject | StandardSchema;

/** A declaration in `params`. A regular expression must match the whole value. */
export type ParamSource = RegExp | Param | StandardSchema<never, unknown> | StandardSchema<unknown, unknown>;

/** The declarations in `params` for the variables of a template. */
export type ParamSources<Uri extends string> = { readonly [Name in TemplateVariables<Uri>]?: ParamSource };

/**
 * The first argument of a handler: for each variable its checked value, or its text if it is undeclared. Variables that
 * a URI may omit are `undefined` unless they have a default.
 */
export type ResourceParams<Uri extends string, Sources> = string extends Uri
  ? OpenParams<Sources>
  : { readonly [Name in TemplateVariables<Uri>]: ValueOf<Name, TemplateValues<Uri>, Sources> };

/** The values of a template whose type is not a literal: the declared ones, and unknown others. */
type OpenParams<Sources> = { readonly [Name in keyof Sources]: Declared<Sources[Name]> } & {
  readonly [name: string]: unknown;
};

type ValueOf<Name extends string, Values, Sources> = Name extends keyof Values
  ? Name extends keyof Sources
    ? FromSource<Sources[Name], Values[Name]>
    : Values[Name]
  : never;

type FromSource<Source, Found> = Source extends RegExp
  ? Found
  : Source extends StandardSchema<never, unknown> | StandardSchema<unknown, unknown>
    ? ListOf<Declared<Source>, Found>
    : Source extends Param<infer Value, infer HasDefault>
      ? HasDefault extends true
        ? ListOf<Value, Found>
        : ListOf<Value, Found> | Extract<Found, undefined>
      : Found;

/** An exploded variable is checked item by item. */
type ListOf<Value, Found> = Exclude<Found, undefined> extends readonly string[] ? Value[] : Value;

type Declared<Source> =
  Source extends Param<infer Value>
    ? Value
    : Source extends { readonly "~standard": { readonly types?: infer Types } }
      ? NonNullable<Types> extends { readonly output: infer Output }
        ? Output
        : unknown
      : string;

export function isParam(value: unknown): value is Param {
  return typeof value === "object" && value !== null && PARAM in value;
}

/** Creates a parameter without a default from its check. */
export function createParam<Value>(
  options: ParamOptions,
  check: Param<Value>["check"],
  source?: CheckSource,
): Param<Value, false> {
  return {
    [PARAM]: false,
    label: options.label,
    fallback: undefined,
    source,
    check,
  };
}
