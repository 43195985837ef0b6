import { type CompanionOptions, companionOf } from "../catalog/companion.ts";
import { matching } from "../catalog/completion.ts";
import type { Context } from "../questions/context.ts";
import { findFunction, valuesOf } from "./call-function.ts";
import { linkCodecs } from "./custom-codec.ts";
import type { Module } from "./load.ts";
import type { Binding } from "./manifest.ts";
import { mismatch } from "./mismatch.ts";

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
