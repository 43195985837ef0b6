import { type CompanionOptions, companionOf } from "../catalog/companion.ts";
import { matching } from "../catalog/completion.ts";
import { InvalidParams, RpcError } from "../protocol/errors.ts";
import type { CallResult } from "../protocol/model.ts";
import type { Context } from "../questions/context.ts";
import { kindOf, type Result, result } from "../results/content.ts";
import { isWholeResult } from "../results/return-value.ts";
import { compileJsonSchema } from "../schema/json-schema/compile.ts";
import { prunerOf } from "../schema/json-schema/prune.ts";
import type { CompiledSchema, JsonSchemaObject } from "../schema/json-schema/types.ts";
import { ValidationError } from "../schema/schema.ts";
import { decode, encode } from "./codec.ts";
import { CodecError } from "./codec-text.ts";
import { linkCodecs, mismatch } from "./custom-codec.ts";
import type { Module } from "./load.ts";
import type { Binding, BoundResult, Codec } from "./manifest.ts";

type Arguments = Readonly<Record<string, unknown>>;

/** Calls the author's function with named arguments. */
export function callFunction(binding: Binding, module: Module, args: Arguments, ctx: Context): unknown {
  const linked = linkCodecs(binding, module);
  const values = valuesOf(linked, args, ctx);
  const [holder, method] = findFunction(linked, module);
  return toResult(linked.result, method.apply(holder, values));
}

function decodeArguments(codec: Codec, args: Arguments): Arguments {
  try {
    return decode(codec, args) as Arguments;
  } catch (error) {
    if (error instanceof CodecError) throw new ValidationError([{ pointer: error.pointer, message: error.message }]);
    throw error;
  }
}

/** Returns the author's function, and the object that it is a method of. */
function findFunction({ path }: Binding, module: Module): [holder: unknown, method: (...args: unknown[]) => unknown] {
  let holder: unknown;
  let found: unknown = module;
  for (const member of path) {
    holder = found;
    found = (found as Record<string, unknown> | undefined)?.[member];
  }
  if (typeof found === "function")
    return [path.length > 1 ? holder : undefined, found as (...args: unknown[]) => unknown];
  throw mismatch(`${path.join(".")} is not a function`);
}

/** Returns the values of the function's parameters. */
function valuesOf({ parameters, decode: codec }: Binding, given: Arguments, ctx: Context): unknown[] {
  const args = codec === undefined ? given : decodeArguments(codec, given);
  const values: unknown[] = [];
  for (const parameter of parameters) {
    switch (parameter.kind) {
      case "context":
        values.push(ctx);
        break;
      case "arguments":
        values.push(parameter.names === undefined ? args : withOwnNames(args, parameter.names));
        break;
      case "argument":
        values.push(ownValue(args, parameter.name));
        break;
      case "rest":
        // No push(...values): the client chooses the number of values, and too many would overflow the stack.
        for (const value of (ownValue(args, parameter.name) as unknown[] | undefined) ?? []) values.push(value);
    }
  }
  return values;
}

/** Returns the arguments under the names of the function's properties. */
function withOwnNames(args: Arguments, names: Readonly<Record<string, string>>): Arguments {
  const nameOf = (key: string) => (Object.hasOwn(names, key) ? (names[key] as string) : key);
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [nameOf(key), value]));
}

/** Reads an own property, because arguments come from the client and must not reach Object.prototype. */
function ownValue(args: Arguments, name: string): unknown {
  return Object.hasOwn(args, name) ? args[name] : undefined;
}

function toResult(bound: BoundResult, returned: unknown): unknown {
  if (bound.kind === "content" && bound.encode === undefined) return returned;
  if (bound.kind === "iterable") return collectItems(returned).then((items) => encodeResult(bound, items));
  const isPromise = typeof (returned as { then?: unknown } | null | undefined)?.then === "function";
  return isPromise
    ? Promise.resolve(returned).then((value) => encodeResult(bound, value))
    : encodeResult(bound, returned);
}

async function collectItems(returned: unknown): Promise<unknown[]> {
  const items: unknown[] = [];
  for await (const item of (await returned) as AsyncIterable<unknown>) items.push(item);
  return items;
}

function encodeResult(bound: BoundResult, value: unknown): unknown {
  const kind = kindOf(value);
  if (kind === "result") {
    const { value: inner, ...rest } = value as Result;
    return result(encodeResult(bound, inner), rest);
  }
  if (kind !== undefined) return value;
  if (value === undefined) return bound.nullable ? null : undefined;
  if (bound.kind === "result") return withoutOthers(value as Partial<CallResult>);
  const encoded = bound.encode === undefined ? value : encodeData(bound.encode, value);
  return bound.closed === undefined ? encoded : prunerOf(bound.closed)(encoded);
}

function encodeData(codec: Codec, value: unknown): unknown {
  // Bytes as the whole value are content, unless the type says that they are data.
  if (codec.plan.kind === "any" && value instanceof Uint8Array) return value;
  try {
    return encode(codec, value);
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    // The client does not see it: the message is for the log.
    const failure = `The result at ${error.pointer || "/"} ${error.message}.`;
    // A codec of the author threw, which is like an exception of the function.
    if (error.cause !== undefined) throw new TypeError(failure, { cause: error.cause });
    throw new RpcError("internal_error", "The return value cannot be represented as JSON.", {
      cause: new TypeError(failure),
    });
  }
}

/** Drops the properties that only the type of a result allows: that of the official SDK has an index signature. */
function withoutOthers(value: Partial<CallResult>): object {
  const { content, structuredContent, isError, _meta } = value;
  const own = { content, structuredContent, isError, _meta };
  return isWholeResult(own) ? own : value;
}

type Options = CompanionOptions<(...values: unknown[]) => unknown>;

/** Returns an option of the companion of a function. */
export function optionOf<Name extends keyof Options>(
  binding: Binding,
  module: Module,
  name: Name,
): NonNullable<Options[Name]> {
  const [, method] = findFunction(binding, module);
  const option = (companionOf(method) as Options | undefined)?.[name];
  if (option == null) throw lacks(binding, name);
  return option as NonNullable<Options[Name]>;
}

/** Returns the completion of an argument or variable. */
export function completeBy(
  binding: Binding,
  module: Module,
  name: string,
): Exclude<NonNullable<Options["complete"]>[string], readonly string[] | undefined> {
  const complete = optionOf(binding, module, "complete")[name];
  if (complete === undefined) throw lacks(binding, name);
  return typeof complete === "function" ? complete : (value) => matching(complete, value);
}

/** Whether a resource exists, by the function's own parameters. */
export function exists(
  binding: Binding,
  module: Module,
  params: Readonly<Record<string, unknown>>,
  ctx: Context,
): boolean | Promise<boolean> {
  const values = valuesOf(linkCodecs(binding, module), params, ctx);
  return optionOf(binding, module, "exists")(...values);
}

function lacks({ path }: Binding, name: string): Error {
  return mismatch(`the companion of ${path.join(".")} lacks ${name}`);
}

/** Maximum number of characters of an invalid value in a message. */
const MAX_SHOWN = 200;

interface Described {
  readonly name: string;
  readonly schema: JsonSchemaObject;
}

const compiledChecks = new WeakMap<JsonSchemaObject, CompiledSchema>();

/** Checks values by their schemas. An absent value passes. @throws {InvalidParams} for the first invalid one. */
export function checkValues(
  kind: "argument" | "variable",
  described: readonly Described[],
  values: Readonly<Record<string, unknown>>,
): void {
  for (const { name, schema } of described) {
    const value = values[name];
    if (value === undefined || compiledCheck(schema).check(value)) continue;
    const problems = compiledCheck(schema)
      .issues(value)
      .map((issue) => issue.message);
    const shown = JSON.stringify(value).slice(0, MAX_SHOWN);
    throw new InvalidParams(`The ${kind} "${name}" ${problems.join(" and ")}, not ${shown}.`);
  }
}

function compiledCheck(schema: JsonSchemaObject): CompiledSchema {
  const known = compiledChecks.get(schema) ?? compileJsonSchema(schema);
  compiledChecks.set(schema, known);
  return known;
}

// A server starts without this file, see `loadCalls`. The compiler of schemas is loaded with it, for the first call.
export { compileJsonSchema };
