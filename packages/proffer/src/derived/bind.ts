import { RpcError } from "../protocol/errors.ts";
import { after } from "../server/after.ts";
import { kindOf, type Result, result } from "../server/content.ts";
import type { Context } from "../server/context.ts";
import { Mismatch } from "../server/schema.ts";
import { decode, encode } from "./codec.ts";
import { CodecError } from "./codec-text.ts";
import type { Binding, BoundParameter, BoundResult } from "./manifest.ts";

type Arguments = Readonly<Record<string, unknown>>;

/** The namespace of the author's module, once it is imported. */
export type Module = Readonly<Record<string, unknown>>;

/** A function of the author's, called with arguments by name. */
export type Bound = (args: Arguments, ctx: Context) => unknown;

/** Binds a function of a module that may still have to be imported; once it is, calls lose no time on it. */
export function bind(binding: Binding, load: () => Module | Promise<Module>): Bound {
  return (args, ctx) => after(load(), (module) => call(binding, module, args, ctx));
}

function call(binding: Binding, module: Module, args: Arguments, ctx: Context): unknown {
  const given = binding.decode === undefined ? args : decodeArguments(binding, args);
  const [holder, method] = locate(binding, module);
  const values = binding.parameters.flatMap((parameter) => valuesOf(parameter, given, ctx));
  return finish(binding.result, method.apply(holder, values));
}

function decodeArguments(binding: Binding, args: Arguments): Arguments {
  try {
    return binding.decode === undefined ? args : (decode(binding.decode, args) as Arguments);
  } catch (error) {
    if (error instanceof CodecError) throw new Mismatch([{ pointer: error.pointer, message: error.message }]);
    throw error;
  }
}

function locate({ path }: Binding, module: Module): [holder: unknown, method: (...args: unknown[]) => unknown] {
  let holder: unknown;
  let found: unknown = module;
  for (const member of path) {
    holder = found;
    found = (found as Record<string, unknown> | undefined)?.[member];
  }
  if (typeof found === "function")
    return [path.length > 1 ? holder : undefined, found as (...args: unknown[]) => unknown];
  throw new RpcError("internal_error", "What was derived does not fit the module any more.", {
    cause: new TypeError(`${path.join(".")} is not a function; derive the module again`),
  });
}

function valuesOf(parameter: BoundParameter, args: Arguments, ctx: Context): unknown[] {
  switch (parameter.kind) {
    case "context":
      return [ctx];
    case "arguments":
      return [args];
    case "argument":
      return [own(args, parameter.name)];
    case "rest":
      return (own(args, parameter.name) as unknown[] | undefined) ?? [];
  }
}

/** Arguments come from outside: only what they have themselves counts. */
function own(args: Arguments, name: string): unknown {
  return Object.hasOwn(args, name) ? args[name] : undefined;
}

function finish(bound: BoundResult, returned: unknown): unknown {
  if (bound.kind === "content") return returned;
  if (bound.kind === "iterable") return collectItems(returned).then((items) => encoded(bound, items));
  const isPromise = typeof (returned as { then?: unknown } | null | undefined)?.then === "function";
  return isPromise ? Promise.resolve(returned).then((value) => encoded(bound, value)) : encoded(bound, returned);
}

async function collectItems(returned: unknown): Promise<unknown[]> {
  const items: unknown[] = [];
  for await (const item of (await returned) as AsyncIterable<unknown>) items.push(item);
  return items;
}

function encoded(bound: BoundResult, value: unknown): unknown {
  const kind = kindOf(value);
  if (kind === "result") {
    const { value: inner, ...rest } = value as Result;
    return result(encoded(bound, inner), rest);
  }
  if (kind !== undefined) return value;
  if (value === undefined) return bound.nullable ? null : undefined;
  return bound.encode === undefined ? value : encode(bound.encode, value);
}
