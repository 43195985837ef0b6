import type { StandardSchema } from "../schema/schema.ts";
import type { TemplateValues, TemplateVariables } from "../uri/template.ts";
import type { Param, ParamSource } from "./params/param.ts";

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
