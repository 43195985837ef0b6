import { type CompanionOptions, companionOf } from "../catalog/companion.ts";
import { type CompleteFunction, matching } from "../catalog/completion.ts";
import type { Resource } from "../resources/define.ts";
import { whenReady } from "../support/when-ready.ts";
import { findFunction, type Module, valuesOf } from "./bind.ts";
import { linkCodecs, usesCodecs } from "./custom-codec.ts";
import type { Binding, ManifestCompanion } from "./manifest.ts";
import { mismatch } from "./mismatch.ts";

type Options = CompanionOptions<(...values: unknown[]) => unknown>;

interface Described {
  readonly binding: Binding;
  readonly companion?: ManifestCompanion;
}

/** Returns completions that call the companion of a function, whose module may not be imported yet. */
export function companionCompletions(
  described: Described,
  load: () => Module | Promise<Module>,
): { [name: string]: CompleteFunction } {
  const names = described.companion?.complete ?? [];
  const completeOf = (name: string): CompleteFunction => {
    return (value, context, ctx) =>
      whenReady(find(described, load, "complete"), (complete) => {
        const own = complete[name];
        if (own === undefined) throw mismatch(`the companion of ${described.binding.path.join(".")} lacks ${name}`);
        return typeof own === "function" ? own(value, context, ctx) : matching(own, value);
      });
  };
  return Object.fromEntries(names.map((name) => [name, completeOf(name)]));
}

/** Returns the options of a resource that call the companion of its function. */
export function companionHooks(
  described: Described,
  load: () => Module | Promise<Module>,
): { [Name in "list" | "exists" | "watch"]?: NonNullable<Resource[Name]> } {
  const { companion, binding } = described;
  return {
    ...(companion?.list && {
      list: (request, ctx) => whenReady(find(described, load, "list"), (list) => list(request, ctx)),
    }),
    ...(companion?.exists && {
      exists: (params, ctx) =>
        whenReady(load(), (module) => {
          const linked = usesCodecs(binding) ? linkCodecs(binding, module) : binding;
          return optionOf(described, module, "exists")(...valuesOf(linked, params, ctx));
        }),
    }),
    ...(companion?.watch && {
      watch: (events) => whenReady(find(described, load, "watch"), (watch) => watch(events)),
    }),
  };
}

function find<Name extends keyof Options>(
  described: Described,
  load: () => Module | Promise<Module>,
  name: Name,
): NonNullable<Options[Name]> | Promise<NonNullable<Options[Name]>> {
  return whenReady(load(), (module) => optionOf(described, module, name));
}

function optionOf<Name extends keyof Options>(
  { binding }: Described,
  module: Module,
  name: Name,
): NonNullable<Options[Name]> {
  const [, method] = findFunction(binding, module);
  const option = (companionOf(method) as Options | undefined)?.[name];
  if (option == null) throw mismatch(`the companion of ${binding.path.join(".")} lacks ${name}`);
  return option as NonNullable<Options[Name]>;
}
