import type { Prompt } from "../prompts/define.ts";
import type { ContentBlock, PromptResult, ReadResult } from "../protocol/model.ts";
import type { Context } from "../questions/context.ts";
import type { Resource } from "../resources/define.ts";
import type { CustomCodec } from "../schema/custom-codec.ts";
import type { Defined, Server } from "../server/server.ts";
import type { Tool } from "../tools/define.ts";
import type { Scalar, TemplateValues } from "../uri/template.ts";
import type { Returned, Wire } from "./wire.ts";

/** The functions of a server that nothing is known about: each takes one object. */
interface Unknown {
  readonly tools: { readonly [name: string]: (input?: object) => Promise<unknown> };
  readonly prompts: { readonly [name: string]: (values?: Record<string, string>) => Promise<PromptResult> };
  readonly resources: { readonly [uri: string]: (values?: object) => Promise<ReadResult> };
}

/** The members of an interface that `proffer types` wrote. */
export interface Written {
  readonly $server: { readonly name: string; readonly version: string };
  readonly tools: object;
  readonly prompts: object;
  readonly resources: object;
}

/** The functions of a server by the type of its module, of `defineServer`, or of what `proffer types` wrote. */
export type Api<Of> = unknown extends Of
  ? Unknown
  : Of extends Written
    ? Of
    : Of extends Server<infer Items>
      ? unknown extends Items
        ? Unknown
        : ApiOfItems<Items>
      : Of extends { readonly default: Server<infer Items> }
        ? ApiOfItems<Items>
        : ApiOfModule<Of>;

/** The version that types are of, if they say so. */
export type VersionOf<Of> = Of extends Written ? Of["$server"]["version"] : string;

interface ApiOfModule<Module> {
  readonly tools: Functions<Module, CodecsOf<Module>, "tool"> & ApiOfServer<Module>["tools"];
  readonly prompts: Functions<Module, CodecsOf<Module>, "prompt"> & ApiOfServer<Module>["prompts"];
  readonly resources: Functions<Module, CodecsOf<Module>, "resource"> & ApiOfServer<Module>["resources"];
}

/** The server that a module of functions exports beside them. */
type ApiOfServer<Module> = ApiOfItems<
  { [Name in keyof Module]: Module[Name] extends Server<infer Items> ? Items : never }[keyof Module]
>;

type CodecsOf<Module> = {
  [Name in keyof Module]: Module[Name] extends CustomCodec<infer _Value, infer _Json> ? Module[Name] : never;
}[keyof Module];

type Kind = "tool" | "prompt" | "resource";

/** The exported functions, and the objects with functions as groups. */
type Functions<Module, Codecs, As extends Kind> = {
  readonly [Name in keyof Module as Name extends string
    ? IsServed<Module[Name]> extends true
      ? Name
      : never
    : never]: Module[Name] extends (...args: infer Params) => infer Result
    ? Remote<Params, Result, Codecs, As>
    : Functions<Module[Name], Codecs, As>;
};

type IsServed<Value> = 0 extends 1 & Value
  ? false
  : Value extends (...args: never[]) => unknown
    ? true
    : Value extends
          | readonly unknown[]
          | CustomCodec<infer _Value, infer _Json>
          | Server
          | (abstract new (
              ...args: never[]
            ) => unknown)
      ? false
      : Value extends object
        ? true
        : false;

type Remote<Params extends readonly unknown[], Result, Codecs, As extends Kind> = (
  ...args: Sent<WithoutContext<Params>, Codecs>
) => Promise<As extends "tool" ? Returned<Result, Codecs> : As extends "prompt" ? PromptResult : ReadResult>;

/** The server passes the context. */
type WithoutContext<Params extends readonly unknown[]> = Params extends readonly []
  ? []
  : Params extends readonly [unknown?, ...infer Rest]
    ? IsRest<Params> extends true
      ? Params
      : Params extends readonly [...infer First, ...Rest]
        ? [...(IsContext<First[0]> extends true ? [] : First), ...WithoutContext<Rest>]
        : Params
    : Params;

type IsRest<Params extends readonly unknown[]> = [] extends Params
  ? number extends Params["length"]
    ? Params extends readonly (infer Item)[]
      ? Item[] extends Params
        ? true
        : false
      : false
    : false
  : false;

type IsContext<Type> = 0 extends 1 & Type
  ? false
  : [NonNullable<Type>] extends [never]
    ? false
    : [NonNullable<Type>] extends [Context]
      ? true
      : false;

type Sent<Params extends readonly unknown[], Codecs> = { [Index in keyof Params]: Argument<Params[Index], Codecs> };

/** An argument may be given as the function takes it, unless a codec of the module reads it, or as JSON. */
type Argument<Value, Codecs> = [Codecs] extends [never]
  ? Value | Wire<Value>
  : [Wire<Value>, Wire<Value, Codecs>] extends [Wire<Value, Codecs>, Wire<Value>]
    ? Value | Wire<Value>
    : Wire<Value, Codecs>;

interface ApiOfItems<Items> {
  readonly tools: [Items] extends [Defined<infer Tools, infer _Prompts, infer _Resources>] ? ToolsOf<Tools> : object;
  readonly prompts: [Items] extends [Defined<infer _Tools, infer Prompts, infer _Resources>]
    ? PromptsOf<Prompts>
    : object;
  readonly resources: [Items] extends [Defined<infer _Tools, infer _Prompts, infer Resources>]
    ? ResourcesOf<Resources extends readonly (infer Each)[] ? Each : Resources>
    : object;
}

type ToolsOf<Tools> = {
  readonly [Each in Tools as Each extends Tool ? Each["name"] : never]: Each extends Tool<infer Input, infer Output>
    ? (
        ...input: unknown extends Input ? [input?: object] : undefined extends Input ? [] : [input: Input]
      ) => Promise<unknown extends Output ? readonly ContentBlock[] : Wire<Output>>
    : never;
};

type PromptsOf<Prompts> = {
  readonly [Each in Prompts as Each extends Prompt ? Each["name"] : never]: Each extends Prompt<infer Arguments>
    ? (...values: Optional<PromptInput<Arguments>>) => Promise<PromptResult>
    : never;
};

type PromptInput<Arguments> = {
  [Name in keyof Arguments as Arguments[Name] extends { readonly required: true } ? Name : never]: string;
} & { [Name in keyof Arguments as Arguments[Name] extends { readonly required: true } ? never : Name]?: string };

type ResourcesOf<Resources> = {
  readonly [Each in Resources as Each extends Resource ? Each["uri"] : never]: Each extends Resource<infer Uri>
    ? (...values: Optional<Expansion<TemplateValues<Uri>>>) => Promise<ReadResult>
    : never;
};

/** Values of a template: lists for those with `*`, and numbers for texts. */
type Expansion<Values> = {
  [Name in keyof Values]: NonNullable<Values[Name]> extends readonly unknown[] ? readonly Scalar[] : Scalar;
};

/** The object may be missing if all of its properties may. */
type Optional<Values> =
  Record<never, never> extends Values ? (keyof Values extends never ? [] : [values?: Values]) : [values: Values];
