import { RpcError } from "../protocol/errors.ts";
import type { Context } from "../questions/context.ts";
import { kindOf, type Result, result } from "../results/content.ts";
import { ValidationError } from "../schema/schema.ts";
import { decode, encode } from "./codec.ts";
import { CodecError } from "./codec-text.ts";
import type { Binding, BoundResult } from "./manifest.ts";

type Arguments = Readonly<Record<string, unknown>>;

/** The namespace of the author's module, once it is imported. */
export type Module = Readonly<Record<string, unknown>>;

/** A function of the author's, called with arguments by name. */
export type Bound = (args: Arguments, ctx: Context) => unknown;

/** Binds a function of a module that may still have to be imported; once it is, calls lose no time on it. */
export function bind(binding: Binding, load: () => Module | Promise<Module>): Bound {
  return (args, ctx) => {
    const module = load();
    return module instanceof Promise
      ? module.then((loaded) => call(binding, loaded, args, ctx))
      : call(binding, module, args, ctx);
  };
}

function call(binding: Binding, module: Module, args: Arguments, ctx: Context): unknown {
  const given = binding.decode === undefined ? args : decodeArguments(binding, args);
  const [holder, method] = locate(binding, module);
  return finish(binding.result, method.apply(holder, valuesOf(binding, given, ctx)));
}

function decodeArguments(binding: Binding, args: Arguments): Arguments {
  try {
    return binding.decode === undefined ? args : (decode(binding.decode, args) as Arguments);
  } catch (error) {
    if (error instanceof CodecError) throw new ValidationError([{ pointer: error.pointer, message: error.message }]);
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

function valuesOf({ parameters }: Binding, args: Arguments, ctx: Context): unknown[] {
  const values: unknown[] = [];
  for (const parameter of parameters) {
    switch (parameter.kind) {
      case "context":
        values.push(ctx);
        break;
      case "arguments":
        values.push(args);
        break;
      case "argument":
        values.push(own(args, parameter.name));
        break;
      case "rest":
        // Not spread into push(): a client chooses how many there are, and the stack is finite.
        for (const value of (own(args, parameter.name) as unknown[] | undefined) ?? []) values.push(value);
    }
  }
  return values;
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
