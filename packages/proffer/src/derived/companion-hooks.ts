import type { CompleteFunction } from "../catalog/completion.ts";
import type { Resource } from "../resources/define.ts";
import { whenReady } from "../support/async.ts";
import type { Load } from "./load.ts";
import type { Binding, ManifestCompanion } from "./manifest.ts";

interface Described {
  readonly binding: Binding;
  readonly companion?: ManifestCompanion;
}

/** Returns completions that call the companion of a function, whose module may not be imported yet. */
export function companionCompletions(
  { binding, companion }: Described,
  load: Load,
): { [name: string]: CompleteFunction } {
  const names = companion?.complete ?? [];
  const completeOf = (name: string): CompleteFunction => {
    return (value, context, ctx) =>
      whenReady(load(), ({ module, calls }) => calls.completeBy(binding, module, name)(value, context, ctx));
  };
  return Object.fromEntries(names.map((name) => [name, completeOf(name)]));
}

/** Returns the options of a resource that call the companion of its function. */
export function companionHooks(
  { binding, companion }: Described,
  load: Load,
): { [Name in "list" | "exists" | "watch"]?: NonNullable<Resource[Name]> } {
  return {
    ...(companion?.list && {
      list: (request, ctx) =>
        whenReady(load(), ({ module, calls }) => calls.optionOf(binding, module, "list")(request, ctx)),
    }),
    ...(companion?.exists && {
      exists: (params, ctx) => whenReady(load(), ({ module, calls }) => calls.exists(binding, module, params, ctx)),
    }),
    ...(companion?.watch && {
      watch: (events) => whenReady(load(), ({ module, calls }) => calls.optionOf(binding, module, "watch")(events)),
    }),
  };
}
