import type { StandardSchema } from "../schema/standard-schema.ts";
import type { TemplateValues, TemplateVariables } from "../uri/template.ts";
import type { Param, ParamSource } from "./params/param.ts";

/** What `params` may declare for the variables of a template. */
export type ParamSources<Uri extends string> = { readonly [Name in TemplateVariables<Uri>]?: ParamSource };

/**
 * What a handler gets: for each variable the value that its declaration makes of it, otherwise the text. What a URI may
 * leave out is undefined then, unless there is a default.
 */
export type ResourceParams<Uri extends string, Sources> = string extends Uri
  ? OpenParams<Sources>
  : { readonly [Name in TemplateVariables<Uri>]: ValueOf<Name, TemplateValues<Uri>, Sources> };

/** The values of a template that is not a literal: what is declared, and whatever else there may be. */
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
