/**
 * Module hooks that load emitted files from memory, for projects that are not writable. `module.register` runs them in
 * a separate thread.
 */
import type { InitializeHook, LoadHook, ModuleFormat, ResolveHook } from "node:module";

/** The texts of the emitted files, by the URL that each would have on disk. */
export type EmissionData = { readonly [url: string]: string };

let texts: EmissionData = {};

export const initialize: InitializeHook<EmissionData> = (data) => {
  texts = data;
};

export const resolve: ResolveHook = (specifier, context, nextResolve) => {
  const url = URL.canParse(specifier, context.parentURL) ? new URL(specifier, context.parentURL).href : specifier;
  if (!Object.hasOwn(texts, url)) return nextResolve(specifier, context);
  return { url, shortCircuit: true, importAttributes: context.importAttributes };
};

export const load: LoadHook = (url, context, nextLoad) => {
  const source = Object.hasOwn(texts, url) ? texts[url] : undefined;
  if (source === undefined) return nextLoad(url, context);
  return { format: formatOf(url), source, shortCircuit: true };
};

function formatOf(url: string): ModuleFormat {
  if (url.endsWith(".json")) return "json";
  return url.endsWith(".cjs") ? "commonjs" : "module";
}
